/** Ends a step: its tools change the tool state of the agent, and its results become messages and a record. */
import { event, type MachineEvent } from '../../contract/events.ts'
import { stepFinished } from './announce.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { recordStep } from './record.ts'
import { callsOf, moved, movesOf } from './tool-state.ts'

interface Closed {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

export function closeStep(context: LoopContext): Closed {
  const moves = movesOf(context, callsOf(context))
  const change = { ...(moves.length === 0 ? {} : moved(context, moves)), ...recordStep(context) }
  return {
    change,
    events: [...moves.map((move) => event('tool-state', move)), stepFinished({ ...context, ...change })],
  }
}
