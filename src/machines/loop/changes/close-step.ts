/** Ends a step: its results become messages and a record. */
import { event, type MachineEvent } from '../../contract/events.ts'
import { stepCut, stepFinished } from './announce.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { recordStep } from './record.ts'
import { callsOf, moved, movesOf } from './tool-state.ts'

export interface Closed {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

export const nothingClosed: Closed = { change: {}, events: [] }

/** Ends a step that is cut off: its model call failed, or the agent ends before its calls do. */
export function cutStep(context: LoopContext): Closed {
  if (context.verdict.isCut || context.ledger.steps.length >= context.step) return nothingClosed
  return { change: { verdict: { ...context.verdict, isCut: true } }, events: [stepCut(context)] }
}

/** Ends a step that has run to its end: its tools change the tool state of the agent. */
export function closeStep(context: LoopContext): Closed {
  const moves = movesOf(context, callsOf(context))
  const change = { ...(moves.length === 0 ? {} : moved(context, moves)), ...recordStep(context) }
  return {
    change,
    events: [...moves.map((move) => event('tool-state', move)), stepFinished({ ...context, ...change })],
  }
}

/** Ends a step that a bail cuts short: the agent ends, so no tool state changes. */
export function cutStepShort(context: LoopContext): Closed {
  const change = recordStep(context)
  return { change, events: [stepFinished({ ...context, ...change })] }
}

/** Ends the step under way by `close`, if there is one. */
export function closeOpenStep<Context extends LoopContext>(
  context: Context,
  close: (context: Context) => Closed,
): Closed {
  return isStepOpen(context) ? close(context) : nothingClosed
}

/** There is a reply or a round of calls that is not on record yet. */
function isStepOpen({ calls, ledger, reply, step }: LoopContext): boolean {
  return (reply !== undefined || calls.length > 0) && ledger.steps.length < step
}
