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
  | 'remote'
  | 'custom'
  | 'program'

/** The patterns whose model calls tools and agents as it answers. */
export const callingPatterns = ['react', 'supervisor', 'reflexion'] as const satisfies readonly Pattern[]

/** The patterns whose definitions take tools. */
export const patternsWithTools = [
  'react',
  'supervisor',
  'router',
  'plan-then-execute',
  'reflexion',
  'dispatch',
  'program',
] as const satisfies readonly Pattern[]
