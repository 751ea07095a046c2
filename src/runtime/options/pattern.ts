/** How an agent works: which chart it runs. */
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
