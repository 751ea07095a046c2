/** A model that is called at the pace that its provider allows, by all agents that share it. */
import { RetryableError } from '../../errors.ts'
import type { ChatModel } from '../chat-model.ts'
import { having, milliseconds, positiveInteger } from '../strict/checks.ts'
import { defaultsOf, optional, readOptions, withDefault, type Fields } from '../strict/read-options.ts'
import { longestRetryAfter } from '../timeouts.ts'
import { Pace } from './pace.ts'

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

/** Milliseconds that all calls wait: what the server asked for, unless that is more than a call may wait. */
function waitFor({ retryAfterMs = 0 }: RetryableError): number {
  return retryAfterMs <= longestRetryAfter ? retryAfterMs : 0
}
