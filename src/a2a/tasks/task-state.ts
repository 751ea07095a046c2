/** The state of a task. */
import type { ListedRun } from '../../index.ts'
import { hasEnded } from '../../kit/index.ts'
import { TaskState, type Task } from '@a2a-js/sdk'

const terminal: readonly TaskState[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]

export function isTerminal({ status }: Task): boolean {
  return status !== undefined && terminal.includes(status.state)
}

/** Whether the client was asked a question that nobody has answered. */
export function isAsked({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
}

/** The states that the task of a run may have, as the index tells of the run. More than one: the run must be read. */
export function listedStates(run: ListedRun): readonly TaskState[] {
  if (hasEnded(run)) return statesOfOutcome(run.outcome)
  if (run.awaiting.length === 0) return [TaskState.TASK_STATE_WORKING]
  const isSuspended = run.status === 'suspended'
  return isSuspended
    ? [TaskState.TASK_STATE_INPUT_REQUIRED]
    : [TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_WORKING]
}

/** An answer that cannot be read any more is a failure that no index tells of. On Restate a run may have no outcome there. */
function statesOfOutcome(outcome: string | undefined): readonly TaskState[] {
  switch (outcome) {
    case 'completed':
      return [TaskState.TASK_STATE_COMPLETED]
    case 'cancelled':
      return [TaskState.TASK_STATE_CANCELED]
    case 'failed':
    case 'tripped':
      return [TaskState.TASK_STATE_FAILED]
    case undefined:
      return terminal
    default:
      return [TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED]
  }
}
