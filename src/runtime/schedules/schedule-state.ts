/** One step of a schedule: a state and an event give the next state. It performs nothing. */
import { transition } from 'xstate'
import {
  scheduleMachine,
  type ScheduleContext,
  type ScheduleEvent,
  type ScheduleState,
  type ScheduleStatus,
} from './schedule-machine.ts'

export function firstState(context: ScheduleContext): ScheduleState {
  return { status: 'waiting', context }
}

/** The state after an event; `undefined`: the event changes nothing in this state. */
export function stepped(state: ScheduleState, event: ScheduleEvent): ScheduleState | undefined {
  const machine = scheduleMachine()
  const before = machine.resolveState({ value: state.status, context: state.context })
  const [after] = transition(machine, before, event)
  if (after.value === before.value && after.context === before.context) return undefined
  return { status: after.value as ScheduleStatus, context: after.context }
}
