/** Takes the deltas of a model call, and the reports of another call at work. They go straight to the readers, past the journal. */
import { delegationPrefix, handoffPrefix } from '../../../actors/strict/ids.ts'
import { below, childId, type ChildKind } from '../../../actors/actor-path.ts'
import type { CallDelta } from '../../../actors/chat-model.ts'
import { toldDelta } from '../../../actors/models/told-delta.ts'
import { once } from '../../../actors/values/once.ts'
import { messageId } from '../../handle/event-recorder.ts'
import type { StreamedEvent, RunEvent } from '../../handle/run-event.ts'
import type { RunStarted } from '../../journal/journal.ts'
import type { PerformContext } from '../perform/context.ts'
import { isKind, type PendingEffect } from '../../state/effects/pending-effect.ts'
import type { EventLog } from '../../handle/event-log.ts'
import { taskTool } from '../../../actors/remote/remote-effects.ts'

/** What streams the deltas to the readers of the run. */
interface DeltaRecorder {
  readonly log: { stream(event: StreamedEvent, isFirst: boolean): void }
  /** The step of an agent; `undefined`: it has begun none. */
  stepOf(path: string): number | undefined
}

export function deltaSink(
  effect: PendingEffect<'model'>,
  started: RunStarted,
  recorder: DeltaRecorder,
  now: () => number,
): NonNullable<PerformContext['onDelta']> {
  const { path } = effect.source
  // Made with the first delta: many models have none.
  const head = once(() => ({
    seen: new Set<string>(),
    envelope: { ...envelopeOf(effect, started), messageId: messageId(path, effect.request.input.message) },
  }))
  const stream = (event: StreamedEvent, key: string): void => {
    const { seen } = head()
    const isFirst = !seen.has(key)
    seen.add(key)
    recorder.log.stream(event, isFirst)
  }
  return (piece) => {
    const delta = effect.state === 'performing' ? toldDelta(piece) : undefined
    if (delta === undefined) return
    const { type, text } = delta
    const { envelope } = head()
    switch (type) {
      case 'text':
        return stream({ ...envelope, type: 'text-delta', at: now(), payload: { text } }, type)
      case 'reasoning':
        return stream({ ...envelope, type: 'reasoning-delta', at: now(), payload: { text } }, type)
      case 'tool-args': {
        const step = recorder.stepOf(path)
        if (step === undefined) return // no calls are on offer outside of a step
        const payload = { toolCallId: callId(path, step, delta), toolName: delta.name, text }
        return stream({ ...envelope, type: 'tool-call-delta', at: now(), payload }, payload.toolCallId)
      }
    }
  }
}

type Envelope = Pick<RunEvent, 'runId' | 'agent' | 'path' | 'delegationId' | 'conversationId'>

/** The envelope of the events that an effect streams. */
function envelopeOf({ source }: PendingEffect, { runId, conversationId }: RunStarted): Envelope {
  return {
    runId,
    agent: source.agent,
    path: source.path,
    ...(source.delegationId === undefined ? {} : { delegationId: source.delegationId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}

/** The id that the call will have, if it is valid. */
function callId(path: string, step: number, { name, index }: CallDelta): string {
  return below(path, childId(kindOf(name), `${step}.${index + 1}`))
}

function kindOf(name: string): ChildKind {
  if (name.startsWith(delegationPrefix)) return 'delegation'
  return name.startsWith(handoffPrefix) ? 'handoff' : 'call'
}

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
