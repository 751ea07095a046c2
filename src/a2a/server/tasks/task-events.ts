/** The events of one task: each is stored, and then told to all that wait for it, in one order. */
import type { Message, Task } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutionEvent,
  type ServerCallContext,
  type TaskStore,
} from '@a2a-js/sdk/server'
import { isAsked } from './task-state.ts'
import { afterEvent, withMessage } from './changed-task.ts'
import type { TaskWrites } from './task-writes.ts'

export interface StoredTasks {
  readonly tasks: TaskStore
  readonly writes: TaskWrites
}

/** Who is told of a task: the bus of a request, or the reader of a stream. */
export interface TaskListener {
  publish(event: AgentExecutionEvent): void
  finished(): void
}

export class TaskEvents {
  readonly #stored: StoredTasks
  readonly #taskId: string
  readonly #context: ServerCallContext
  /** Of requests, which end when the task waits or has ended, by what is called then. */
  readonly #requests = new Map<TaskListener, () => void>()
  /** Of streams, which end with the task. */
  readonly #readers = new Set<TaskListener>()
  #isFinished = false

  /** `context`: of the owner of the task. */
  constructor(
    stored: StoredTasks,
    { taskId, context }: { readonly taskId: string; readonly context: ServerCallContext },
  ) {
    this.#stored = stored
    this.#taskId = taskId
    this.#context = context
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  /** From the next event on. Resolves when the request has all that it waits for. */
  async join(request: TaskListener): Promise<void> {
    if (this.#isFinished) return request.finished()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#requests.set(request, resolve)
    await promise
  }

  /** Tells the task as it is stored, and then as `join`. `known`: the task before the message of the request. */
  async enter(request: TaskListener, known: Task): Promise<void> {
    let rest: Promise<void> | undefined
    await this.#inTurn(async () => {
      const task = await this.#tell(request)
      if (task !== undefined && asksAnew(task, known)) request.finished()
      else rest = this.join(request)
    })
    await rest
  }

  /** Tells the task as it is stored, and no more. */
  async show(request: TaskListener): Promise<void> {
    await this.#inTurn(async () => {
      await this.#tell(request)
    })
    request.finished()
  }

  /** Tells the task as it is stored, and all events to its end. */
  async read(reader: TaskListener): Promise<void> {
    await this.#inTurn(async () => {
      await this.#tell(reader)
      if (this.#isFinished) reader.finished()
      else this.#readers.add(reader)
    })
  }

  leave(reader: TaskListener): void {
    this.#readers.delete(reader)
  }

  async keep(task: Task): Promise<void> {
    await this.#inTurn(() => this.#stored.tasks.save(task, this.#context))
  }

  async publish(event: AgentExecutionEvent): Promise<void> {
    const { tasks } = this.#stored
    await this.#inTurn(async () => {
      const changed = afterEvent(await tasks.load(this.#taskId, this.#context), event)
      if (changed === undefined) return
      await tasks.save(changed, this.#context)
      for (const listener of [...this.#requests.keys(), ...this.#readers]) listener.publish(event)
    })
  }

  /** A message of the client has been taken note of. */
  async hear(message: Message): Promise<void> {
    const { tasks } = this.#stored
    await this.#inTurn(async () => {
      const task = await tasks.load(this.#taskId, this.#context)
      if (task !== undefined) await tasks.save(withMessage(task, message), this.#context)
    })
  }

  /** The task waits or has ended: its requests have what they wait for. */
  rest(): void {
    for (const [request, resolve] of this.#requests) {
      request.finished()
      resolve()
    }
    this.#requests.clear()
  }

  /** No further event comes. */
  finish(): void {
    this.#isFinished = true
    this.rest()
    for (const reader of this.#readers) reader.finished()
    this.#readers.clear()
  }

  async #tell(listener: TaskListener): Promise<Task | undefined> {
    const task = await this.#stored.tasks.load(this.#taskId, this.#context)
    if (task !== undefined) listener.publish(AgentEvent.task(task))
    return task
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    await this.#stored.writes.inTurn(this.#taskId, work)
  }
}

/** The task waits for another answer than before. */
function asksAnew(task: Task, before: Task): boolean {
  return isAsked(task) && task.status?.message?.messageId !== before.status?.message?.messageId
}
