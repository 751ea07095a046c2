/** How an agent ends that hands the whole of its task to another: with what the other ended with. */
import type { DelegationOutput } from '../delegation.ts'
import type { Ending, LoopContext } from './context.ts'

/** What the other said is what the agent says. */
export function passOn({ said }: LoopContext, { record, message }: DelegationOutput): Partial<LoopContext> {
  return {
    said: { ...said, text: record.text, message: message ?? said.message },
    ending: endingOf(record),
  }
}

function endingOf({ outcome, error, agent }: DelegationOutput['record']): Ending {
  switch (outcome) {
    case 'succeeded':
      return { outcome: 'completed' }
    case 'bailed':
      return { outcome: 'bailed' }
    case 'exhausted':
      return { outcome: 'exhausted', reason: 'subagent' }
    case 'cancelled':
      return { outcome: 'cancelled', reason: 'cancelled' }
    case 'rejected':
    case 'failed':
    case 'timedOut':
      return {
        outcome: 'failed',
        error: error ?? {
          name: 'DelegationError',
          code: 'DELEGATION_FAILED',
          message: `The agent "${agent}" ended as ${outcome}.`,
        },
      }
  }
}
