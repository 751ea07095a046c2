/** The pattern of an agent: names the chart that it runs. */
export type Pattern =
  | 'react'
  | 'supervisor'
  | 'router'
  | 'plan-then-execute'
  | 'fan-out'
  | 'meta-router'
  | 'reflexion'
  | 'debate'
  | 'dispatch'
