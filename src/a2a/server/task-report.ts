/** Tells a client of one task: its states, its progress, its answer. */
import { Role, TaskState, type Message, type Part } from '@a2a-js/sdk'
import { AgentEvent, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server'
import type { JsonValue } from '../../actors/values/json.ts'
import { textPart } from '../messages/parts.ts'

/** The field of a task's metadata with the number of the last event that was told. */
const afterField = 'troupe/after'

/** The id of the one artifact. */
const artifactId = 'answer'

export class TaskReport {
  readonly #call: RequestContext
  readonly #bus: ExecutionEventBus

  constructor(call: RequestContext, bus: ExecutionEventBus) {
    this.#call = call
    this.#bus = bus
  }

  /** The number of the last event that was told before this message. */
  get after(): number {
    const after: unknown = this.#call.task?.metadata?.[afterField]
    return typeof after === 'number' ? after : 0
  }

  /** Must come first, for each message. */
  open(): void {
    const { taskId, contextId, task, userMessage } = this.#call
    const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined }
    this.#bus.publish(
      AgentEvent.task(
        task ?? { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined },
      ),
    )
  }

  working(text?: string): void {
    this.#state(TaskState.TASK_STATE_WORKING, text === undefined ? [] : [textPart(text)])
  }

  /** `after`: the number of the last event that was told. */
  asks(parts: Part[], after: number): void {
    this.#state(TaskState.TASK_STATE_INPUT_REQUIRED, parts, { [afterField]: after })
  }

  answer(parts: Part[], metadata: Readonly<Record<string, JsonValue>>): void {
    const { taskId, contextId } = this.#call
    this.#bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: { artifactId, name: 'Answer', description: '', parts, metadata: undefined, extensions: [] },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    )
    this.#state(TaskState.TASK_STATE_COMPLETED, [], metadata)
  }

  failed(text: string, metadata?: Readonly<Record<string, JsonValue>>): void {
    this.#state(TaskState.TASK_STATE_FAILED, [textPart(text)], metadata)
  }

  /** The message is none that a run could begin with. */
  rejected(text: string): void {
    this.#state(TaskState.TASK_STATE_REJECTED, [textPart(text)])
  }

  cancelled(): void {
    this.#state(TaskState.TASK_STATE_CANCELED, [])
  }

  #state(state: TaskState, parts: Part[], metadata?: Readonly<Record<string, JsonValue>>): void {
    const { taskId, contextId } = this.#call
    const message = parts.length === 0 ? undefined : this.#message(parts)
    this.#bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state, message, timestamp: new Date().toISOString() },
        metadata,
      }),
    )
  }

  #message(parts: Part[]): Message {
    const { taskId, contextId } = this.#call
    return {
      messageId: crypto.randomUUID(),
      taskId,
      contextId,
      role: Role.ROLE_AGENT,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    }
  }
}
