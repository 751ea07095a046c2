/** The entry that ends a journal. */
import { totalUsage } from '../../actors/usage.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { RunSettled } from '../journal/journal.ts'

export function settledEntry(output: AgentOutput): RunSettled {
  const { outcome, text, files, reason, by, handoffs, error, unheard } = output
  return {
    type: 'run.settled',
    at: 0,
    outcome,
    text,
    ...(files === undefined ? {} : { files }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
    ...(handoffs === undefined ? {} : { handoffs }),
    ...(error === undefined ? {} : { error }),
    ...(unheard === undefined ? {} : { unheard }),
    usage: totalUsage(output.usage),
  }
}
