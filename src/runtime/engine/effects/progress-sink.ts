/** Takes the reports of one call, of a tool or of a task of another system, while it is at work. It goes straight to the readers, past the journal. */
import type { EventLog } from '../../handle/event-log.ts'
import type { RunStarted } from '../../journal/journal.ts'
import type { PerformContext } from '../perform/context.ts'
import { isKind, type PendingEffect } from '../../state/effects/pending-effect.ts'
import { taskTool } from '../../../actors/remote/remote-effects.ts'
import { envelopeOf } from './streamed-envelope.ts'

interface ReportingCall {
  readonly toolCallId: string
  readonly toolName: string
}

/** The call that the reports of an effect belong to; `undefined`: it reports nothing. */
export function reportingCall(effect: PendingEffect): ReportingCall | undefined {
  if (isKind(effect, 'tool')) {
    const { callId, tool } = effect.request.input
    return { toolCallId: callId, toolName: tool }
  }
  if (!isKind(effect, 'remote')) return undefined
  const { input } = effect.request
  if (input.operation !== 'follow' || input.isQuiet === true) return undefined
  return { toolCallId: input.callId, toolName: taskTool }
}

/** A report after the end of the call is dropped. */
export function progressSink(
  effect: PendingEffect,
  { toolCallId, toolName }: ReportingCall,
  started: RunStarted,
  log: EventLog,
  now: () => number,
): NonNullable<PerformContext['onProgress']> {
  const envelope = envelopeOf(effect, started)
  return (value) => {
    if (effect.state !== 'performing') return
    log.stream(
      { ...envelope, type: 'tool-progress', at: now(), payload: { toolCallId, toolName, value } },
      false,
    )
  }
}
