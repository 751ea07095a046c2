/** The events of the loop, as pure functions of its context. */
import { noUsage } from '../../../actors/usage.ts'
import { event, type MachineEvent, type Offer } from '../../contract/events.ts'
import { answeredBy, currentMessage } from './record.ts'
import { isHandoff, type LoopContext } from './context.ts'

/** The names on offer to the model now. */
export function offerTo({ input }: LoopContext): Offer {
  const { names } = input.profile.toolset
  return names.length === 0 ? {} : { offered: names }
}

/**
 * A complete message. Readers that have received its deltas do not get this one delta again. `calls`: the calls beside
 * its text.
 */
export function messageEvents(context: LoopContext, calls: LoopContext['calls'] = []): MachineEvent[] {
  const { reply } = context
  const beside = {
    ...(reply?.sources === undefined ? {} : { sources: reply.sources }),
    ...(calls.length === 0 ? {} : { toolCalls: calls.length }),
  }
  const message = currentMessage(context)
  const events: MachineEvent[] = []
  if (reply?.reasoning) {
    events.push(
      event('reasoning-start', {}, message),
      event('reasoning-delta', { text: reply.reasoning }, message),
      event('reasoning-end', { text: reply.reasoning, status: 'complete' }, message),
    )
  }
  if (reply?.text) {
    events.push(
      event('text-start', {}, message),
      event('text-delta', { text: reply.text }, message),
      event('text-end', { text: reply.text, status: 'complete', ...beside }, message),
    )
  }
  return events
}

/** The end of a step that has no record. */
export function stepCut(context: LoopContext): MachineEvent {
  const { reply, step, calls, ending } = context
  return event(
    'step-finish',
    {
      step,
      finishReason: reply?.finishReason ?? (ending.outcome === 'failed' ? 'error' : 'aborted'),
      usage: reply?.usage ?? noUsage,
      toolCalls: calls.length,
      ...answeredBy(context),
    },
    currentMessage(context),
  )
}

export function stepFinished(context: LoopContext): MachineEvent {
  const record = context.ledger.steps.at(-1)
  const handoffs = context.calls.filter(isHandoff).map(({ call }) => call.name)
  return event(
    'step-finish',
    {
      step: context.step,
      finishReason: record?.finishReason ?? 'unknown',
      usage: record?.usage ?? noUsage,
      toolCalls: record?.toolCalls.length ?? 0,
      ...(record?.model === undefined ? {} : { model: record.model }),
      ...(handoffs.length === 0 ? {} : { handoffs }),
    },
    currentMessage(context),
  )
}
