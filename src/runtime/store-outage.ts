/** Failures of a store: whether they may pass, and how long they may last. */
import { StoreError, TroupeError, type StoreErrorCode } from '../errors.ts'
import type { Clock } from './clock.ts'
import { soon } from '../actors/values/order.ts'

const lasting: ReadonlySet<StoreErrorCode> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_CORRUPT',
  'STORE_FOREIGN',
  'STORE_NEWER',
  'STORE_OLDER',
  'STORE_GONE',
  'STORE_ENCODING',
  'STORE_CLOSED',
  'SEAL_KEY_MISSING',
  'SEAL_BROKEN',
])

/** Whether the error is the failure of a store that may answer again. A store may throw errors of any class. */
export function isOutage(error: unknown): boolean {
  return error instanceof StoreError ? !lasting.has(error.code) : !(error instanceof TroupeError)
}

/** Milliseconds that a poll waits at least: a store that tries again by itself is not silent. */
const leastPatience = 3_000

/** Milliseconds for which a poll waits for a store. */
export function pollPatience(leaseTtl: number): number {
  return Math.max(leaseTtl, leastPatience)
}

const silences = new WeakSet<StoreError>()

/** Whether the error says that a store has not answered a call in its time. */
export function isSilence(error: unknown): boolean {
  return error instanceof StoreError && silences.has(error)
}

function silence(span: number): StoreError {
  const error = new StoreError(`The store has not answered within ${span} ms.`)
  silences.add(error)
  return error
}

/**
 * Asks a store. Rejects as `ask` does, and with a `StoreError` where it has not settled within `span` milliseconds. A process that
 * stood still for part of them waits once more: its timers run before it reads the answers that have come meanwhile.
 * `atOnce`: the number of microtasks for which it sets no timer.
 */
export function answered<Answer>(
  clock: Clock,
  span: number,
  ask: () => Promise<Answer>,
  atOnce = 0,
): Promise<Answer> {
  const since = clock.now()
  const asked = promised(ask)
  return new Promise<Answer>((resolve, reject) => {
    let isSettled = false
    let callOff: () => void = () => undefined
    const settle = (): void => {
      isSettled = true
      callOff()
    }
    const wait = (due: number): void => {
      const end = (): void => {
        if (clock.now() - due > span / 10) return wait(clock.now() + span)
        settle()
        reject(silence(span))
      }
      callOff = clock.after(due - clock.now(), end, { background: true })
    }
    const settling =
      <Given>(act: (given: Given) => void) =>
      (given: Given): void => {
        settle()
        act(given)
      }
    asked.then(settling(resolve), settling(reject))
    const arm = (turns: number): void => {
      if (isSettled) return
      if (turns === 0) wait(since + span)
      else soon(() => arm(turns - 1))
    }
    arm(atOnce)
  })
}

/** What a call gives, as a promise: one that throws at once rejects. */
function promised<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return Promise.resolve(call())
  } catch (error) {
    return rejected(error)
  }
}

async function rejected(error: unknown): Promise<never> {
  throw error
}

const fewestFailures = 3

/** Limits how long a store may fail before handles are rejected: for the span of a lease, and at least three times. */
export class StoreOutage {
  readonly #clock: Pick<Clock, 'now'>
  /** Milliseconds. */
  readonly #span: number
  #failures = 0
  #since = 0

  constructor(clock: Pick<Clock, 'now'>, span: number) {
    this.#clock = clock
    this.#span = span
  }

  succeeded(): void {
    this.#failures = 0
  }

  /** Gives whether the store has failed for too long; if so, the count starts again. */
  failed(): boolean {
    const now = this.#clock.now()
    if (this.#failures++ === 0) this.#since = now
    const isOver = this.#failures >= fewestFailures && now - this.#since >= this.#span
    if (isOver) this.#failures = 0
    return isOver
  }
}
