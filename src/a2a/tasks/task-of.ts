/**
 * A task is a fold of the events of its run: what a client reads of it follows from the journal alone, in any process and at any
 * time.
 */
import type { RunEvent } from '../../index.ts'
import { progressText } from '../../kit/index.ts'
import {
  Role,
  TaskState,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk'
import { textPart } from '../messages/parts.ts'
import { answeredParts, questionParts } from '../messages/questions.ts'
import { contextOf } from './conversation.ts'

/** A change of a task, as a stream tells it. */
export type TaskUpdate = Extract<
  NonNullable<StreamResponse['payload']>,
  { readonly $case: 'statusUpdate' | 'artifactUpdate' }
>

/** The ids of a task. */
export interface TaskPlace {
  readonly taskId: string
  readonly contextId: string
}

/** The task without the end of its run, which `withEnd` adds. `undefined`: no message has begun the run. */
export function taskOf(events: readonly RunEvent[]): Task | undefined {
  const [first, ...rest] = events
  return first?.type === 'run-start' ? rest.reduce(changed, newTask(first)) : undefined
}

function newTask(start: Extract<RunEvent, { readonly type: 'run-start' }>): Task {
  const { taskId: id, contextId } = placeOf(start)
  const { task, promptId } = start.payload
  const prompt = messageOf(placeOf(start), idOf(start, promptId), Role.ROLE_USER, [textPart(task)])
  const status = statusOf(start)
  return { id, contextId, status, artifacts: [], history: [prompt], metadata: undefined }
}

/** The task belongs to its fold, which changes it in place: copies of the history would cost the square of the events. */
function changed(task: Task, event: RunEvent): Task {
  const said = messageIn(event)
  if (said !== undefined) join(task.history, said)
  const status = statusOf(event)
  return status === undefined ? task : withStatus(task, status)
}

/** Changes the task in place. */
export function withStatus(task: Task, status: TaskStatus): Task {
  task.status = status
  if (status.message !== undefined) task.history.push(status.message)
  return task
}

/** Answers that one message gives are one message. */
function join(history: Message[], message: Message): void {
  const last = history.at(-1)
  if (last?.messageId === message.messageId) last.parts.push(...message.parts)
  else history.push(message)
}

/** The change that a stream tells of. `undefined`: the event changes no state. */
export function updateOf(event: RunEvent): TaskUpdate | undefined {
  const status = statusOf(event)
  return status && statusUpdate(placeOf(event), status)
}

export function statusUpdate(place: TaskPlace, status: TaskStatus): TaskUpdate {
  return { $case: 'statusUpdate', value: { ...place, status, metadata: undefined } }
}

/** `undefined`: the event changes no state. The end of a run needs its result. */
function statusOf(event: RunEvent): TaskStatus | undefined {
  const stated = (state: TaskState, parts: readonly Part[] = []): TaskStatus => ({
    state,
    message: parts.length === 0 ? undefined : messageOf(placeOf(event), idOf(event), Role.ROLE_AGENT, parts),
    timestamp: timeOf(event.at),
  })
  switch (event.type) {
    case 'run-start':
    case 'resumed':
      return stated(TaskState.TASK_STATE_WORKING)
    case 'suspended':
      return stated(TaskState.TASK_STATE_INPUT_REQUIRED, questionParts(event.payload.awaiting))
    default: {
      const text = progressText(event)
      return text === undefined ? undefined : stated(TaskState.TASK_STATE_WORKING, [textPart(text)])
    }
  }
}

/** What a person, or another program, says in the event. */
function messageIn(event: RunEvent): Message | undefined {
  switch (event.type) {
    case 'said': {
      const { id, message } = event.payload
      return messageOf(placeOf(event), id, Role.ROLE_USER, [textPart(message)])
    }
    case 'tool-call-answered': {
      const { payload } = event
      return messageOf(placeOf(event), idOf(event, payload.answerId), Role.ROLE_USER, answeredParts(payload))
    }
    default:
      return undefined
  }
}

export function placeOf({ runId, conversationId = '' }: RunEvent): TaskPlace {
  return { taskId: runId, contextId: contextOf(conversationId) }
}

/** `given`: by the sender of the message. Default: an id that follows from the run. */
export function idOf({ runId, seq }: RunEvent, given = `${runId}:${seq}`): string {
  return given
}

export function messageOf(place: TaskPlace, messageId: string, role: Role, parts: readonly Part[]): Message {
  return {
    ...place,
    messageId,
    role,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}

/** `at`: milliseconds since 1970. */
export function timeOf(at: number): string {
  return new Date(at).toISOString()
}
