/** Ends a step: its results become messages and a record. */
import { event, type MachineEvent } from '../../contract/events.ts'
import { stepCut, stepFinished } from './announce.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { recordStep } from './record.ts'
import { findingsOf, offeringFound } from './found-tools.ts'
import { callsOf, moved, movesOf, type Called } from './tool-state.ts'

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
  const { change: offered, events } = offeredAfter(context, callsOf(context))
  const change = { ...offered, ...recordStep(context) }
  return { change, events: [...events, stepFinished({ ...context, ...change })] }
}

/** The tools on offer after these calls: by the state that they lead to, and by what they have found. */
export function offeredAfter(context: LoopContext, calls: readonly Called[]): Closed {
  const moves = movesOf(context, calls)
  const findings = findingsOf(context, calls)
  if (moves.length + findings.length === 0) return nothingClosed
  const change = moves.length === 0 ? {} : moved(context, moves)
  return {
    change: findings.length === 0 ? change : offeringFound({ ...context, ...change }, findings),
    events: [
      ...moves.map((move) => event('tool-state', move)),
      ...findings.map((finding) => event('tools-found', finding)),
    ],
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
