/** Ends a step of a fan-out: a round of goals, or the answer. A step without a reply is a round. */
import { event } from '../contract/events.ts'
import { stepFinished } from '../loop/changes/announce.ts'
import { closeStep, cutStep, type Closed } from '../loop/changes/close-step.ts'
import { fanIn } from './announce.ts'
import { closeRound, recordRound, type FanOutContext } from './round.ts'

export function closeRoundOrStep(context: FanOutContext): Closed {
  if (context.reply !== undefined) return closeStep(context)
  const change = closeRound(context)
  const after = { ...context, ...change }
  return { change, events: [stepFinished(after), event('fan-in', fanIn(after))] }
}

/** Ends a round that a bail cuts short: no model reads its results. */
export function cutRoundShort(context: FanOutContext): Closed {
  const change = recordRound(context)
  const after = { ...context, ...change }
  return { change, events: [stepFinished(after), event('fan-in', fanIn(after))] }
}

/** Ends a step that is cut off: a round ends with the goals that have their outcome. */
export function cutRoundOrStep(context: FanOutContext): Closed {
  const { change, events } = cutStep(context)
  const isRound = context.reply === undefined && context.calls.length > 0
  return events.length > 0 && isRound
    ? { change, events: [...events, event('fan-in', fanIn(context))] }
    : { change, events }
}
