/** A model that is not called for a while after its server has failed again and again, by any agent that shares it. */
import { plural } from '../../errors/texts.ts'
import { CancelledError, RetryableError, TerminalError, TroupeError } from '../../errors.ts'
import type { ChatModel } from '../chat-model.ts'
import { having, milliseconds, positiveInteger } from '../strict/checks.ts'
import { defaultsOf, readOptions, withDefault, type Fields } from '../strict/read-options.ts'
import { longestRetryAfter, timeoutCodes } from '../timeouts.ts'

/** The options of `withCircuit`. */
export interface CircuitOptions {
  /** Failed calls in a row after which the circuit opens. Default: 5. */
  readonly failures?: number
  /**
   * Milliseconds that it stays open. A longer time that the server asks for with the last failure counts, up to an hour.
   * Default: 30000.
   */
  readonly cooldown?: number
}

const circuitFields = {
  failures: withDefault(positiveInteger, 5),
  cooldown: withDefault(milliseconds, 30_000),
} satisfies Fields<CircuitOptions>

const readModel = having('a ChatModel ({ provider, modelId, generate })', 'generate')

/**
 * Wraps a model in a circuit. After `failures` failed calls in a row it is open: each call fails at once with
 * `CIRCUIT_OPEN`, which no agent tries again, so that an agent with models in a row goes on with the next one. After
 * `cooldown` one call is let through: with an answer the circuit closes, with a failure it stays open as long again.
 * Errors about the request itself, such as `CONTEXT_LENGTH_EXCEEDED`, are answers; a call that is let go of counts for
 * nothing. Give the same wrapped model to all agents that are to share the circuit, which holds within one process.
 * Throws a `ConfigurationError` for a wrong option.
 */
export function withCircuit(model: ChatModel, options: CircuitOptions = {}): ChatModel {
  readModel(model, 'withCircuit: the model')
  const read = readOptions<CircuitOptions>(options, 'withCircuit', circuitFields)
  const { provider, modelId } = model
  const circuit = new Circuit(`${provider}/${modelId}`, { ...defaultsOf(circuitFields), ...read })

  return {
    provider,
    modelId,
    ...(model.accepts === undefined ? {} : { accepts: model.accepts }),
    get settings() {
      return model.settings
    },
    get server() {
      return model.server
    },
    async generate(request, callOptions) {
      const { signal } = callOptions
      const settle = circuit.begin()
      // A call that is let go of may settle later, or never.
      const letGo = (): void => settle(isTimeout(signal.reason) ? 'failed' : 'unknown')
      signal.addEventListener('abort', letGo, { once: true })
      try {
        const reply = await model.generate(request, callOptions)
        settle('answered')
        return reply
      } catch (error) {
        if (signal.aborted) letGo()
        settle(outcomeOf(error), error)
        throw error
      } finally {
        signal.removeEventListener('abort', letGo)
      }
    },
  }
}

type CallOutcome = 'answered' | 'failed' | 'unknown'

/** Ends a call; further calls do nothing. */
type Settle = (outcome: CallOutcome, error?: unknown) => void

class Circuit {
  readonly #model: string
  readonly #options: Required<CircuitOptions>
  #failures = 0
  #openUntil: number | undefined
  /** A call is under way that decides whether the circuit closes. */
  #isTrying = false
  /** Counts openings and closings: a call that began before the last of them tells nothing. */
  #turn = 0

  constructor(model: string, options: Required<CircuitOptions>) {
    this.#model = model
    this.#options = options
  }

  /** Throws a `TerminalError` while the circuit is open. */
  begin(): Settle {
    if (this.#openUntil !== undefined) {
      const rest = this.#openUntil - performance.now()
      if (this.#isTrying || rest > 0) throw this.#refusal(rest)
      this.#isTrying = true
    }
    const turn = this.#turn
    let isSettled = false
    return (outcome, error) => {
      if (isSettled) return
      isSettled = true
      if (turn === this.#turn) this.#settle(outcome, error)
    }
  }

  #settle(outcome: CallOutcome, error: unknown): void {
    const wasTrying = this.#isTrying
    this.#isTrying = false
    if (outcome === 'unknown') return
    if (outcome === 'answered') {
      this.#failures = 0
      if (wasTrying) this.#close()
      return
    }
    this.#failures++
    if (wasTrying || this.#failures >= this.#options.failures) this.#open(error)
  }

  #open(error: unknown): void {
    this.#turn++
    this.#openUntil = performance.now() + Math.max(this.#options.cooldown, waitFor(error))
  }

  #close(): void {
    this.#turn++
    this.#openUntil = undefined
  }

  #refusal(rest: number): TerminalError {
    const when = rest > 0 ? `for ${Math.ceil(rest)} ms more` : 'until the call under way has an answer'
    const message = `The model "${this.#model}" has failed ${plural(this.#failures, 'time')} in a row, and is not called ${when}.`
    return new TerminalError(message, { code: 'CIRCUIT_OPEN' })
  }
}

/** Errors that tell of the request, and of a server that answers. */
const ofRequest: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'CONTEXT_LENGTH_EXCEEDED',
  'CONTENT_FILTERED',
  'MODEL_REFUSED',
  'FILE_NOT_ACCEPTED',
  'FILE_NOT_FOUND',
  'MODEL_REPLY_TOO_LARGE',
  'MODEL_REPLY_UNSUPPORTED',
])

function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof CancelledError) return 'unknown'
  return error instanceof TroupeError && ofRequest.has(error.code) ? 'answered' : 'failed'
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof TroupeError && reason.code === timeoutCodes.model
}

function waitFor(error: unknown): number {
  if (!(error instanceof RetryableError)) return 0
  const { retryAfterMs = 0 } = error
  return retryAfterMs <= longestRetryAfter ? retryAfterMs : 0
}
