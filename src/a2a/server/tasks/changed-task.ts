/** A stored task, after an event or a message. */
import {
  Part,
  Role,
  type Message,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskStatusUpdateEvent,
} from '@a2a-js/sdk'
import type { AgentExecutionEvent } from '@a2a-js/sdk/server'
import { isSubmitted, isTerminal } from './task-state.ts'

/** `undefined`: the event changes nothing, for the task is not stored or has ended otherwise. */
export function afterEvent(task: Task | undefined, event: AgentExecutionEvent): Task | undefined {
  // A task is told as new, and another process may have gone on with it.
  if (event.kind === 'task') return task === undefined || isSubmitted(task) ? event.data : task
  if (task === undefined || event.kind === 'message') return undefined
  if (event.kind === 'artifactUpdate') return isTerminal(task) ? undefined : withArtifact(task, event.data)
  const { status } = event.data
  return isTerminal(task) && status?.state !== task.status?.state ? undefined : withStatus(task, event.data)
}

/** A message of the client joins the history once. */
export function withMessage(task: Task, message: Message): Task {
  return { ...task, history: joined(task.history, message) }
}

function withStatus(task: Task, { status, metadata }: TaskStatusUpdateEvent): Task {
  return {
    ...task,
    status,
    history: status?.message === undefined ? task.history : brief(joined(task.history, status.message)),
    ...(metadata === undefined ? {} : { metadata: { ...task.metadata, ...metadata } }),
  }
}

/** Lines of progress that a task keeps, the last ones: it is read and stored whole with each line. */
const mostLines = 10

/** Without the oldest line of progress where there are too many. Messages of the client, questions and answers stay. */
function brief(history: readonly Message[]): Message[] {
  const lines = history.filter(isProgress)
  const [oldest] = lines
  return lines.length <= mostLines ? [...history] : history.filter((message) => message !== oldest)
}

/** A line of progress is text alone; a question has its data beside it. */
function isProgress({ role, parts }: Message): boolean {
  return role === Role.ROLE_AGENT && parts.every(({ content }) => content?.$case === 'text')
}

/** The server tells its one artifact whole. */
function withArtifact(task: Task, { artifact }: TaskArtifactUpdateEvent): Task {
  return artifact === undefined ? task : { ...task, artifacts: [artifact] }
}

/** A message that is sent again joins once. There are clients that give two messages one id. */
function joined(history: readonly Message[], message: Message): Message[] {
  const isKnown = history.some(
    (known) => known.messageId === message.messageId && partsOf(known) === partsOf(message),
  )
  return isKnown ? [...history] : [...history, message]
}

function partsOf({ parts }: Message): string {
  return JSON.stringify(parts.map((part) => Part.toJSON(part)))
}
