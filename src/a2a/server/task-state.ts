/** The state of a task. */
import { TaskState, type Task } from '@a2a-js/sdk'

const terminal: readonly (TaskState | undefined)[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]

export function isTerminal({ status }: Task): boolean {
  return terminal.includes(status?.state)
}

/** Whether the client was asked a question that nobody has answered. */
export function isAsked({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
}
