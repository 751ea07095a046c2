/** What an agent ends with whose machine broke. */
import type { ErrorData } from '../errors.ts'
import type { AgentOutput } from '../machines/agent.ts'

/** A fault of ours, or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}

/** What there is so far, of a run that cannot go on. */
export function broken(soFar: AgentOutput, error: ErrorData): AgentOutput {
  const { text, delegations, scores, steps, usage, plan } = soFar
  const kept = { text, delegations, scores, steps, usage, ...(plan === undefined ? {} : { plan }) }
  return { ...kept, outcome: 'failed', error }
}
