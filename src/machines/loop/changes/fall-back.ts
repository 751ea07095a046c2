/** The fall from one model of the row to the next, as pure functions. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { ErrorData } from '../../../errors.ts'
import type { MachineEvent } from '../../contract/events.ts'
import { fallbackEvent } from '../../contract/model-row.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { currentMessage, paid } from './record.ts'

interface Fall {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

/** The next model has its own retries, and speaks in a message of its own. */
export function fallBack(context: LoopContext, error: ErrorData): Fall {
  const { attempts, drafts, input } = context
  return {
    change: {
      attempts: { ...attempts, failures: 0, lastFailure: error, fallen: attempts.fallen + 1 },
      drafts: drafts + 1,
    },
    events: [fallbackEvent(input.profile, attempts.fallen, error, currentMessage(context))],
  }
}

/** A refusal is paid for, and leaves no other trace. */
export function payRefusal(context: LoopContext, { usage }: ModelReply): LoopChange {
  return { ledger: paid(context, usage) }
}
