/** Takes what one call of a tool reports while it is at work. It goes straight to the readers, past the journal. */
import type { EventLog } from '../../handle/event-log.ts'
import type { RunStarted } from '../../journal/journal.ts'
import type { PerformContext } from '../perform/context.ts'
import type { PendingEffect } from './pending-effect.ts'
import { envelopeOf } from './streamed-envelope.ts'

/** A report after the end of the call is dropped. */
export function progressSink(
  effect: PendingEffect<'tool'>,
  started: RunStarted,
  log: EventLog,
  now: () => number,
): NonNullable<PerformContext['onProgress']> {
  const envelope = envelopeOf(effect, started)
  const { callId: toolCallId, tool: toolName } = effect.request.input
  return (value) => {
    if (effect.state !== 'performing') return
    log.stream(
      { ...envelope, type: 'tool-progress', at: now(), payload: { toolCallId, toolName, value } },
      false,
    )
  }
}
