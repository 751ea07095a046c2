/** The budgets, and whether they are met. */
export interface Verdict {
  readonly budget: string
  readonly limit: number
  readonly measured: number
  readonly verdict: 'met' | 'missed'
}

export const budgets = {
  cpu: { budget: '(d): CPU, times the XState machine', limit: 2.5 },
  growth: { budget: '(e): CPU a step, times that of (a)', limit: 1.3 },
  fanOut: { budget: '(f): CPU a child among 1 000, times that among 100', limit: 1.5 },
  wideStep: { budget: '(g): CPU a tool call among 4 000 of one reply, times that among 125', limit: 1.5 },
  callsAtOnce: { budget: '(g): CPU a tool call among 5 000 at once, times that among 100', limit: 1.5 },
  delegationsAtOnce: {
    budget: '(g): CPU a delegation among 5 000 at once, times that among 100',
    limit: 1.5,
  },
  latencyTogether: { budget: 'ms added to a model call of 200, 20 runs begun together', limit: 2 },
  latencyApart: { budget: 'ms added to a model call of 200, 20 runs begun one by one', limit: 2 },
  latencyTogetherOnNode: { budget: 'ms added over node:http, 20 runs begun together', limit: 2 },
  latencyApartOnNode: { budget: 'ms added over node:http, 20 runs begun one by one', limit: 2 },
  import: { budget: "import 'troupe': wall, times xstate and zod", limit: 1.5 },
  packages: { budget: 'packages that a user installs', limit: 8 },
} as const

export function verdictOf(name: keyof typeof budgets, measured: number): Verdict {
  const { budget, limit } = budgets[name]
  return { budget, limit, measured, verdict: measured <= limit ? 'met' : 'missed' }
}
