/** The state of a stored task. */
import { TaskState, type Part, type Task } from '@a2a-js/sdk'
import { isRecord, type JsonValue } from '../../../actors/values/json.ts'

/** The field of a task's metadata with the cursor of the last event that was told: any process goes on behind it. */
const cursorField = 'troupe/after'

const terminal: readonly (TaskState | undefined)[] = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]

export function isTerminal({ status }: Task): boolean {
  return terminal.includes(status?.state)
}

/** Whether no process has told that its run has begun. */
export function isSubmitted({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_SUBMITTED
}

/** Whether the client was asked a question that it has not answered. */
export function isAsked({ status }: Task): boolean {
  return status?.state === TaskState.TASK_STATE_INPUT_REQUIRED
}

/** The parts of the last message to the client: those of the questions where it was asked. */
export function statusParts({ status }: Task): readonly Part[] {
  return status?.message?.parts ?? []
}

/** The `toolCallId`s of the questions that the client was asked. */
export function askedQuestions(task: Task): ReadonlySet<unknown> {
  if (!isAsked(task)) return new Set()
  const questions = statusParts(task).flatMap(({ content }) => {
    const value: unknown = content?.$case === 'data' ? content.value : undefined
    const listed = isRecord(value) ? value['questions'] : undefined
    return Array.isArray(listed) ? (listed as readonly unknown[]) : []
  })
  return new Set(questions.map((question) => (isRecord(question) ? question['toolCallId'] : undefined)))
}

/** `undefined`: no event was told. */
export function cursorOf({ metadata }: Task): string | undefined {
  const cursor: unknown = metadata?.[cursorField]
  return typeof cursor === 'string' ? cursor : undefined
}

export function cursorMetadata(cursor: string | undefined): Readonly<Record<string, JsonValue>> | undefined {
  return cursor === undefined ? undefined : { [cursorField]: cursor }
}
