/**
 * Moments of a run that both engines come to alike, for what would otherwise come at any time: a cancel is said while a
 * call is at work that waits for it, and work in the background goes on when its supervisor has nothing else to do.
 */
import { textOf } from 'troupe'
import type { Message, RunEvent, RunSignal } from 'troupe'

export type Cancel = Extract<RunSignal, { type: 'cancel' }>

export class Moments {
  /** Delegations that whoever watches has heard of. */
  readonly #heardOf = new Gates()
  /** Tasks in the background whose agent has come to its first model call. */
  readonly #begun = new Gates()
  /** Those that may go on from there. */
  readonly #free = new Gates()
  /** At work in the background, by the path of the supervisor, in the order of their beginning. */
  readonly #tasks = new Map<string, readonly string[]>()
  /** How many calls the last step of an agent made, by its path. */
  readonly #calls = new Map<string, number>()
  readonly #cancelled = new Set<string>()
  readonly #person = Promise.withResolvers<(cancel: Cancel) => void>()

  /** Takes what a person is to say. */
  listen(person: (cancel: Cancel) => void): void {
    this.#person.resolve(person)
  }

  /** What the person sees. */
  see(event: RunEvent): void {
    const { path } = event
    const tasks = this.#tasks.get(path) ?? []
    switch (event.type) {
      case 'delegation-start':
        return this.#heardOf.open(event.delegationId ?? '')
      case 'background-start':
        return void this.#tasks.set(path, [...tasks, event.payload.taskId])
      case 'background-end':
        return void this.#tasks.set(
          path,
          tasks.filter((id) => id !== event.payload.taskId),
        )
      case 'step-finish':
        return void this.#calls.set(path, event.payload.toolCalls)
      case 'iteration-end':
        // It has answered, and goes on all the same: it waits for the background.
        if (event.payload.continue && this.#calls.get(path) === 0) void this.#freeNext(tasks)
        return
      default:
    }
  }

  /** One at a time, and none before all are where they wait. */
  async #freeNext(tasks: readonly string[]): Promise<void> {
    const [next] = tasks
    if (next === undefined) return
    await Promise.all(tasks.map((id) => this.#begun.passed(id)))
    this.#free.open(next)
  }

  /** A supervisor that has read this speaks when all that is at work in the background has come to where it waits. */
  async speak(messages: readonly Message[]): Promise<void> {
    const text = messages.map(({ content }) => textOf(content)).join('\n')
    const begun = [...text.matchAll(/"running in the background","task":"([^"]+)"/g)]
    const ended = new Set([...text.matchAll(/The background task "([^"]+)"/g)].map(([, id]) => id))
    const open = begun.flatMap(([, id = '']) => (ended.has(id) ? [] : [id]))
    await Promise.all(open.map((id) => this.#begun.passed(id)))
  }

  /** The first model call of a task in the background. */
  async workInBackground(taskId: string): Promise<void> {
    this.#begun.open(taskId)
    await this.#free.passed(taskId)
  }

  /** A call that has begun lets the person cancel, each thing once, and waits for that. */
  async cancel(cancel: Cancel, signal: AbortSignal): Promise<void> {
    const { delegationId = '' } = cancel
    if (this.#cancelled.has(delegationId)) return
    this.#cancelled.add(delegationId)
    if (delegationId !== '') await this.#heardOf.passed(delegationId)
    const person = await this.#person.promise
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    person(cancel)
    await aborted
  }
}

/** Each is passed from when it is opened. */
class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  open(name: string): void {
    this.#gate(name).resolve()
  }

  passed(name: string): Promise<void> {
    return this.#gate(name).promise
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(name) ?? Promise.withResolvers<void>()
    this.#gates.set(name, gate)
    return gate
  }
}
