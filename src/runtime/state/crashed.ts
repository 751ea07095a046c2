/** The outputs of agents that have not ended by themselves: of a machine that failed, and of a run that was ended by force. */
import type { ErrorData } from '../../errors.ts'
import type { AgentOutput, AgentParts } from '../../machines/contract/records.ts'
import type { RunSettled } from '../journal/journal.ts'

/** For a fault of Troupe or of a schema: the run still ends with an outcome. */
export function crashed(error: ErrorData): AgentOutput {
  return { outcome: 'failed', text: '', error, delegations: [], scores: [], steps: [], usage: {} }
}

/** With what the agents had reached by then, as far as the journal could be read. */
export function forcedOutput({ outcome, text, reason }: RunSettled, reached: AgentParts): AgentOutput {
  return { ...reached, outcome, text, ...(reason === undefined ? {} : { reason }) }
}
