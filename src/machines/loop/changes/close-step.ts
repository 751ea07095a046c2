/** Ends a step: its tools change the tool state of the agent, and its results become messages and a record. */
import { event, type MachineEvent } from '../../contract/events.ts'
import { stepCut, stepFinished } from './announce.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { recordStep } from './record.ts'
import { callsOf, moved, movesOf } from './tool-state.ts'

interface Closed {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

/** Ends a step that is cut off: its model call failed, or the agent ends before its calls do. */
export function cutStep(context: LoopContext): Closed {
  if (context.verdict.isCut || context.ledger.steps.length >= context.step) return { change: {}, events: [] }
  return { change: { verdict: { ...context.verdict, isCut: true } }, events: [stepCut(context)] }
}

export function closeStep(context: LoopContext): Closed {
  const moves = movesOf(context, callsOf(context))
  const change = { ...(moves.length === 0 ? {} : moved(context, moves)), ...recordStep(context) }
  return {
    change,
    events: [...moves.map((move) => event('tool-state', move)), stepFinished({ ...context, ...change })],
  }
}
