/** What an agent ends with whose machine broke. */
import type { ErrorData } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/agent.ts'

/** A fault of ours, or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}
