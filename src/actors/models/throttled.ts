/** A model that is called at the pace that its provider allows, by all agents that share it. */
import { RetryableError, CancelledError } from '../../errors.ts'
import type { ChatModel } from '../chat-model.ts'
import { having, milliseconds, positiveInteger } from '../strict/checks.ts'
import { defaultsOf, optional, readOptions, withDefault, type Fields } from '../strict/read-options.ts'
import { longestRetryAfter } from '../timeouts.ts'
import { startTimer } from '../values/timer.ts'

/** The options of `throttled`. */
export interface ThrottleOptions {
  /** Most calls at a time. Default: no limit. */
  readonly concurrency?: number
  /** Most calls begun within any 60 seconds. Default: no limit. */
  readonly perMinute?: number
  /**
   * Milliseconds without a new call after a 429 (`RATE_LIMITED`) that does not say how long to wait. Default: 1000. A
   * longer time that the server asks for counts, up to an hour.
   */
  readonly cooldown?: number
}

const throttleFields = {
  concurrency: optional(positiveInteger),
  perMinute: optional(positiveInteger),
  cooldown: withDefault(milliseconds, 1_000),
} satisfies Fields<ThrottleOptions>

const readModel = having('a ChatModel ({ provider, modelId, generate })', 'generate')

/**
 * Wraps a model: calls beyond the limits wait for their turn, in order, and after a 429 all of them wait until the server
 * takes calls again. The call that met the 429 fails as it would without, and its agent retries it. Give the same
 * wrapped model to every agent that is to share the limits, which hold within one process. The wait counts as time of
 * the call (`modelTimeout`); a call that is aborted leaves the queue with a `CancelledError`. Throws a
 * `ConfigurationError` for a wrong option.
 */
export function throttled(model: ChatModel, options: ThrottleOptions = {}): ChatModel {
  readModel(model, 'throttled: the model')
  const read = readOptions<ThrottleOptions>(options, 'throttled', throttleFields)
  const { cooldown, ...limits } = { ...defaultsOf(throttleFields), ...read }
  const pace = new Pace(limits)

  return {
    provider: model.provider,
    modelId: model.modelId,
    ...(model.accepts === undefined ? {} : { accepts: model.accepts }),
    get settings() {
      return model.settings
    },
    get server() {
      return model.server
    },
    async generate(request, callOptions) {
      const { signal } = callOptions
      const leave = await pace.turn(signal)
      // A call that is let go may settle later, or never: its place is free at once.
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await model.generate(request, callOptions)
      } catch (error) {
        if (error instanceof RetryableError && error.code === 'RATE_LIMITED') {
          pace.coolDown(Math.max(cooldown, waitFor(error)))
        }
        throw error
      } finally {
        signal.removeEventListener('abort', leave)
        leave()
      }
    },
  }
}

interface Limits {
  readonly concurrency?: number
  readonly perMinute?: number
}

const minute = 60_000

/** Ends a turn; further calls do nothing. */
type Leave = () => void

/** The queue of calls that keep a pace: at most so many at a time, and so many a minute. */
class Pace {
  readonly #limits: Required<Limits>
  /** The turns that have not come yet, oldest first. */
  readonly #waiting = new Set<() => void>()
  /** When the turns of the last minute began, oldest first. */
  #begun: number[] = []
  #running = 0
  #coolUntil = 0
  #stopTimer: () => void = () => undefined

  constructor({ concurrency = Infinity, perMinute = Infinity }: Limits) {
    this.#limits = { concurrency, perMinute }
  }

  /** Resolves when the turn of a call has come. Rejects with a `CancelledError` when the call is aborted before. */
  async turn(signal: AbortSignal): Promise<Leave> {
    if (signal.aborted) throw aborted()
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        this.#waiting.delete(begin)
        reject(aborted())
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(begin)
      this.#next()
    })
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      this.#running--
      this.#next()
    }
  }

  /** No turn begins for so many milliseconds from now. */
  coolDown(milliseconds: number): void {
    this.#coolUntil = Math.max(this.#coolUntil, performance.now() + milliseconds)
  }

  /** Begins the turns that may begin now, and comes back when the next one may. */
  #next(): void {
    this.#stopTimer()
    for (const begin of this.#waiting) {
      if (this.#running >= this.#limits.concurrency) return
      const delay = this.#delay()
      if (delay > 0) {
        this.#stopTimer = startTimer(delay, () => this.#next())
        return
      }
      this.#waiting.delete(begin)
      this.#running++
      if (this.#limits.perMinute < Infinity) this.#begun.push(performance.now())
      begin()
    }
  }

  /** Milliseconds until a turn may begin. */
  #delay(): number {
    const now = performance.now()
    const cooling = this.#coolUntil - now
    this.#begun = this.#begun.filter((at) => at > now - minute)
    const [oldest] = this.#begun
    const full = oldest !== undefined && this.#begun.length >= this.#limits.perMinute
    return Math.ceil(Math.max(cooling, full ? oldest + minute - now : 0))
  }
}

function aborted(): CancelledError {
  return new CancelledError('The call was aborted before its turn came.')
}

/** Milliseconds that all calls wait: what the server asked for, unless that is more than a call may wait. */
function waitFor({ retryAfterMs = 0 }: RetryableError): number {
  return retryAfterMs <= longestRetryAfter ? retryAfterMs : 0
}
