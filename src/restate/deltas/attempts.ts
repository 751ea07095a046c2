/**
 * Tracks the executions that stream a message, as a reader sees them. Each execution that begins the message is a new
 * attempt, and makes the earlier deltas void. They need no common clock: an execution begins after the one before it
 * was given up.
 */
import type { StreamedDelta } from '../../runtime/handle/event-log.ts'
import type { WorkerDelta } from './deltas.ts'

export interface AdmittedDelta {
  readonly delta: StreamedDelta
  /** Whether it is the first of its message and type in its attempt. */
  readonly isFirst: boolean
}

/** The attempts at one message, of one type. */
interface Attempted {
  /** In the order in which they began the message. */
  readonly executions: string[]
  /** The index of the next delta of the newest execution. */
  next: number
}

export class Attempts {
  readonly #attempted = new Map<string, Attempted>()
  /** Messages of which no more deltas count. */
  readonly #concluded = new Set<string>()

  /** Returns `undefined` for a delta that is void, late, or without those before it. */
  admit({ execution, index, ...delta }: WorkerDelta): AdmittedDelta | undefined {
    const { messageId = '', type } = delta
    if (this.#concluded.has(messageId)) return undefined
    const key = `${type} ${messageId}`
    const attempted = this.#attempted.get(key) ?? { executions: [], next: 0 }
    this.#attempted.set(key, attempted)
    const { executions } = attempted
    if (index === 0 && !executions.includes(execution)) {
      executions.push(execution)
      attempted.next = 0
    }
    if (executions.at(-1) !== execution || attempted.next !== index) return undefined
    attempted.next++
    const attempt = executions.length
    return { delta: attempt === 1 ? delta : { ...delta, attempt }, isFirst: index === 0 }
  }

  /** The call of the message's model has an outcome. */
  conclude(messageId: string): void {
    this.#concluded.add(messageId)
    for (const type of ['text-delta', 'reasoning-delta']) this.#attempted.delete(`${type} ${messageId}`)
  }
}
