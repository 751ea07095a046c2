/** The output of an agent whose machine failed. */
import type { ErrorData } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'

/** For a fault of Troupe or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}
