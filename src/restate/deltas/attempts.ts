/**
 * Tracks the executions that stream a message, as a reader sees them. Each execution that begins the message is a new
 * attempt, and makes the earlier deltas void. They need no common clock: an execution begins after the one before it
 * was given up.
 */
import type { StreamedEvent } from '../../runtime/handle/run-event.ts'
import { deltaKey, type WorkerDelta } from './deltas.ts'

export interface AdmittedDelta {
  readonly delta: StreamedEvent
  /** Whether it is the first of its message and type, or of its call, in its attempt. */
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
  /** By message, then by the key of the deltas. */
  readonly #attempted = new Map<string, Map<string, Attempted>>()
  /** Messages of which no more deltas count. */
  readonly #concluded = new Set<string>()

  /** Returns `undefined` for a delta that is void, late, or without those before it. */
  admit({ execution, index, ...delta }: WorkerDelta): AdmittedDelta | undefined {
    const { messageId = '' } = delta
    if (this.#concluded.has(messageId)) return undefined
    const attempted = this.#of(messageId, deltaKey(delta))
    const { executions } = attempted
    const isReport = delta.type === 'tool-progress'
    // Each report stands for itself: one that was lost makes none void, and a reader may join in their midst.
    if ((index === 0 || isReport) && !executions.includes(execution)) {
      executions.push(execution)
      attempted.next = index
    }
    if (executions.at(-1) !== execution || (isReport ? index < attempted.next : index !== attempted.next)) {
      return undefined
    }
    attempted.next = index + 1
    const attempt = executions.length
    return { delta: attempt === 1 || isReport ? delta : { ...delta, attempt }, isFirst: index === 0 }
  }

  /** The call of the message's model has an outcome. */
  conclude(messageId: string): void {
    this.#concluded.add(messageId)
    this.#attempted.delete(messageId)
  }

  #of(messageId: string, key: string): Attempted {
    const known = this.#attempted.get(messageId) ?? new Map<string, Attempted>()
    this.#attempted.set(messageId, known)
    const attempted = known.get(key) ?? { executions: [], next: 0 }
    known.set(key, attempted)
    return attempted
  }
}
