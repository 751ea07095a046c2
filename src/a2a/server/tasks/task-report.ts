/** Tells of one task: its states, its progress, its answer. */
import { Role, TaskState, type Message, type Part, type Task } from '@a2a-js/sdk'
import { AgentEvent, type ServerCallContext } from '@a2a-js/sdk/server'
import type { JsonValue } from '../../../actors/values/json.ts'
import { textPart } from '../../messages/parts.ts'
import { cursorMetadata } from './task-state.ts'
import type { TaskEvents } from './task-events.ts'

type Metadata = Readonly<Record<string, JsonValue>>

/** The id of the one artifact. */
const artifactId = 'answer'

/** The ids of a task, and the context of a request of its owner. */
export interface TaskPlace {
  readonly taskId: string
  readonly contextId: string
  readonly context: ServerCallContext
}

export class TaskReport {
  readonly #place: TaskPlace
  readonly #events: TaskEvents
  /** The task has ended, or waits for an answer: no progress is told any more. */
  #isOver = false

  constructor(place: TaskPlace, events: TaskEvents) {
    this.#place = place
    this.#events = events
  }

  /** Stores a new task, and tells nobody. */
  async keep(userMessage: Message): Promise<void> {
    await this.#events.keep(this.#submitted(userMessage))
  }

  /** Must be told first, of a new task. */
  async open(userMessage: Message): Promise<void> {
    await this.#events.publish(AgentEvent.task(this.#submitted(userMessage)))
  }

  /** `cursor`: of the last event that was told. */
  async working(text?: string, cursor?: string): Promise<void> {
    if (this.#isOver) return
    const parts = text === undefined ? [] : [textPart(text)]
    await this.#state(TaskState.TASK_STATE_WORKING, parts, cursorMetadata(cursor))
  }

  /** The question was answered, and the task is at work again. */
  async goesOn(cursor?: string): Promise<void> {
    this.#isOver = false
    await this.working(undefined, cursor)
  }

  async asks(parts: readonly Part[], cursor?: string): Promise<void> {
    await this.#last(TaskState.TASK_STATE_INPUT_REQUIRED, parts, cursorMetadata(cursor))
  }

  async answer(parts: Part[], metadata: Metadata): Promise<void> {
    const { taskId, contextId } = this.#place
    await this.#events.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: { artifactId, name: 'Answer', description: '', parts, metadata: undefined, extensions: [] },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    )
    await this.#last(TaskState.TASK_STATE_COMPLETED, [], metadata)
  }

  async failed(text: string, metadata?: Metadata): Promise<void> {
    await this.#last(TaskState.TASK_STATE_FAILED, [textPart(text)], metadata)
  }

  /** The message is none that a run could begin with. */
  async rejected(text: string): Promise<void> {
    await this.#last(TaskState.TASK_STATE_REJECTED, [textPart(text)])
  }

  async cancelled(): Promise<void> {
    await this.#last(TaskState.TASK_STATE_CANCELED, [])
  }

  async #last(state: TaskState, parts: readonly Part[], metadata?: Metadata): Promise<void> {
    this.#isOver = true
    await this.#state(state, parts, metadata)
  }

  async #state(state: TaskState, parts: readonly Part[], metadata?: Metadata): Promise<void> {
    const { taskId, contextId } = this.#place
    const message = parts.length === 0 ? undefined : this.#message(parts)
    await this.#events.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state, message, timestamp: timestamp() },
        metadata,
      }),
    )
  }

  #submitted(userMessage: Message): Task {
    const { taskId: id, contextId } = this.#place
    const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: timestamp() }
    return { id, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }
  }

  #message(parts: readonly Part[]): Message {
    const { taskId, contextId } = this.#place
    return {
      messageId: crypto.randomUUID(),
      taskId,
      contextId,
      role: Role.ROLE_AGENT,
      parts: [...parts],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    }
  }
}

function timestamp(): string {
  return new Date().toISOString()
}
