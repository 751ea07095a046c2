/** `recordModel`: asks a real model once, and answers from the recording from then on. */
import { plural } from '../../errors/texts.ts'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../../actors/chat-model.ts'
import { aFunction, aText, having, oneOf } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { atOnce } from '../../runtime/user-function.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { RetryableError, TerminalError, toErrorData, TroupeError, type ErrorData } from '../../errors.ts'
import { readCassette, writeCassette, type CallOutcome, type CassetteCall } from './cassette.ts'
import { readSecrets, redactor } from './redaction.ts'
import { stream, untilAborted } from './streamed.ts'
import type { Message } from '../../actors/message.ts'

/** The options of `recordModel`. */
export interface RecordModelOptions {
  /** The text of a cassette: its calls are replayed. Without one every call asks the model and is recorded. Default: none. */
  readonly cassette?: string | undefined
  /**
   * A request that the cassette does not have: `'fail'` is an error that names the nearest recorded request, `'record'`
   * asks the model. Without a cassette everything is recorded. Default: `'fail'`.
   */
  readonly unrecorded?: 'fail' | 'record'
  /** Texts that the cassette must not hold; keys, tokens and passwords in addresses are taken out as well. Default: none. */
  readonly secrets?: readonly string[]
  /** The part of a request by which it is found, as JSON: equal parts are the same request. Default: the whole request. */
  readonly match?: (request: ModelRequest) => unknown
}

/** Options of `replayModel`. */
export type ReplayModelOptions = Pick<RecordModelOptions, 'secrets' | 'match'>

/** A model that passes requests on and keeps the replies as a cassette. */
export interface RecordedModel extends ChatModel {
  /** Every call so far, those of the given cassette first, as a text: write it to a file beside your tests. */
  cassette(): string
  /** How many calls the cassette has answered. */
  readonly replayed: number
  /** How many calls the model itself has answered. */
  readonly recorded: number
  /** Throws for a recorded call that no request used, and for a request that was not recorded. */
  assertConsumed(): void
}

const fields = {
  cassette: optional(aText),
  unrecorded: withDefault(oneOf('fail', 'record'), 'fail'),
  secrets: withDefault(readSecrets, []),
  match: optional(aFunction),
} satisfies Fields<RecordModelOptions>

const readModel = having('a ChatModel ({ provider, modelId, generate })', 'generate')

/**
 * Wraps a model so that its calls are recorded, or replayed from a cassette. Equal requests get their replies in the
 * order of the recording. Errors and aborted calls are recorded too. Throws a `ConfigurationError` for a wrong option
 * and for a text that is no cassette; a request that is not on the cassette fails with the code `UNRECORDED_CALL`.
 */
export function recordModel(model: ChatModel, options: RecordModelOptions = {}): RecordedModel {
  readModel(model, 'recordModel: the model')
  const read = readOptions<RecordModelOptions>(options, 'recordModel', fields)
  const { cassette, unrecorded } = { ...defaultsOf(fields), ...read }
  const calls = cassette === undefined ? [] : readCassette(cassette, 'recordModel: cassette').calls
  return new Recorder(model, calls, {
    ...defaultsOf(fields),
    ...read,
    mayAsk: cassette === undefined || unrecorded === 'record',
  })
}

/** Answers from a cassette alone: as `recordModel`, with no model behind it. Throws a `ConfigurationError`. */
export function replayModel(cassette: string, options: ReplayModelOptions = {}): RecordedModel {
  const { unrecorded: _unrecorded, cassette: _cassette, ...own } = fields
  const read = readOptions<ReplayModelOptions>(options, 'replayModel', own)
  const { provider, modelId, calls } = readCassette(
    aText(cassette, 'replayModel: the cassette') as string,
    'replayModel',
  )
  const nothing: ChatModel = {
    provider,
    modelId,
    generate: () => Promise.reject(new TerminalError('A cassette has no model behind it.')),
  }
  return new Recorder(nothing, calls, { ...defaultsOf(fields), ...read, mayAsk: false })
}

interface Recording extends Pick<RecordModelOptions, 'match'> {
  readonly secrets: readonly string[]
  readonly mayAsk: boolean
}

interface Kept {
  readonly key: string
  readonly request: ModelRequest
  /** `undefined` while the call is in flight. */
  outcome: CallOutcome | undefined
  isUsed: boolean
}

class Recorder implements RecordedModel {
  readonly provider: string
  readonly modelId: string
  declare readonly accepts?: readonly string[]
  readonly #model: ChatModel
  readonly #calls: Kept[]
  readonly #redact: <Value>(value: Value) => Value
  readonly #match: (request: ModelRequest) => unknown
  readonly #mayAsk: boolean
  #replayed = 0
  #recorded = 0
  #missed: TerminalError | undefined

  constructor(model: ChatModel, calls: readonly CassetteCall[], recording: Recording) {
    const { match = wholeRequest } = recording
    this.provider = model.provider
    this.modelId = model.modelId
    if (model.accepts !== undefined) this.accepts = model.accepts
    this.#model = model
    this.#mayAsk = recording.mayAsk
    this.#redact = redactor(recording.secrets)
    this.#match = match
    this.#calls = calls.map(({ request, outcome }) => ({
      key: this.#keyOf(request),
      request,
      outcome,
      isUsed: false,
    }))
  }

  get settings(): ChatModel['settings'] {
    return this.#model.settings
  }

  get server(): ChatModel['server'] {
    return this.#model.server
  }

  get replayed(): number {
    return this.#replayed
  }

  get recorded(): number {
    return this.#recorded
  }

  async generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    const clean = this.#redact(request)
    const key = this.#keyOf(clean)
    const recorded = this.#calls.find(
      (call) => call.key === key && !call.isUsed && call.outcome !== undefined,
    )
    if (recorded?.outcome !== undefined) {
      recorded.isUsed = true
      this.#replayed++
      return this.#replay(recorded.outcome, options)
    }
    if (!this.#mayAsk) {
      this.#missed ??= this.#unrecorded(clean, key)
      throw this.#unrecorded(clean, key)
    }
    return this.#record({ key, request: clean, outcome: undefined, isUsed: true }, request, options)
  }

  async #record(call: Kept, request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    this.#calls.push(call)
    this.#recorded++
    try {
      const reply = await this.#model.generate(request, options)
      call.outcome = { type: 'replied', reply: this.#redact(reply) }
      return reply
    } catch (thrown) {
      call.outcome = options.signal.aborted
        ? { type: 'aborted' }
        : { type: 'failed', error: this.#redact(toErrorData(thrown, 'MODEL_FAILED')) }
      throw thrown
    }
  }

  async #replay(outcome: CallOutcome, { signal, onDelta }: ModelCallOptions): Promise<ModelReply> {
    switch (outcome.type) {
      case 'replied':
        stream(outcome.reply, onDelta)
        return outcome.reply
      case 'failed':
        throw errorOf(outcome.error)
      case 'aborted':
        return untilAborted(signal, 'The recorded model')
    }
  }

  cassette(): string {
    const calls = this.#calls.flatMap(({ request, outcome }) =>
      outcome === undefined ? [] : [{ request, outcome }],
    )
    return writeCassette({ provider: this.provider, modelId: this.modelId, calls })
  }

  assertConsumed(): void {
    if (this.#missed !== undefined) throw this.#missed
    const left = this.#calls.findIndex(({ isUsed }) => !isUsed)
    if (left === -1) return
    throw new TroupeError(
      'CASSETTE_NOT_CONSUMED',
      `The cassette has ${plural(this.#calls.length, 'call')}, and call ${left + 1} was not requested.`,
    )
  }

  #keyOf(request: ModelRequest): string {
    return canonicalJson(asJson(atOnce('match of the options', this.#match(request))))
  }

  #unrecorded(request: ModelRequest, key: string): TerminalError {
    const calls = this.#calls.flatMap(({ request: known, outcome }) =>
      outcome === undefined ? [] : [{ request: known, outcome }],
    )
    const times = this.#calls.filter((call) => call.key === key).length
    const difference =
      times === 0
        ? nearestText(request, calls)
        : `An equal request was recorded ${times === 1 ? 'once' : `${times} times`}, and this is one more.`
    return new TerminalError(
      `The cassette of "${this.provider}/${this.modelId}" does not have this request. ${difference}`,
      { code: 'UNRECORDED_CALL' },
    )
  }
}

/** Names the recorded request with the longest conversation in common, and the first difference. */
function nearestText(request: ModelRequest, calls: readonly CassetteCall[]): string {
  let best = 0
  for (const [index, call] of calls.entries()) {
    const nearest = calls[best]
    if (nearest !== undefined && likeness(request, call.request) > likeness(request, nearest.request))
      best = index
  }
  const nearest = calls[best]
  if (nearest === undefined) return 'The cassette is empty.'
  return `The nearest is call ${best + 1}: ${differenceOf(nearest.request, request)}`
}

function likeness(request: ModelRequest, recorded: ModelRequest): number {
  const same = commonStart(request.messages, recorded.messages)
  const isSameLength = request.messages.length === recorded.messages.length
  return same * 4 + (isSameLength ? 2 : 0) + (toolNames(request) === toolNames(recorded) ? 1 : 0)
}

function commonStart(some: readonly Message[], others: readonly Message[]): number {
  const different = some.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(others[index]),
  )
  return different === -1 ? some.length : different
}

function differenceOf(recorded: ModelRequest, request: ModelRequest): string {
  const place = commonStart(request.messages, recorded.messages)
  const [before, now] = [recorded.messages[place], request.messages[place]]
  if (before !== undefined || now !== undefined) {
    return `message ${place + 1} was ${shown(before)} and is now ${shown(now)}.`
  }
  if (JSON.stringify(recorded.tools) !== JSON.stringify(request.tools)) {
    return `its tools were ${toolNames(recorded)} and are now ${toolNames(request)}, or their descriptions differ.`
  }
  const [choice, choiceNow] = [JSON.stringify(recorded.toolChoice), JSON.stringify(request.toolChoice)]
  if (choice !== choiceNow) return `toolChoice was ${choice} and is now ${choiceNow}.`
  return 'the requested shape of the answer differs.'
}

const longest = 200

/** Around the part that differs, a message says little in full length. */
function shown(message: Message | undefined): string {
  if (message === undefined) return 'absent'
  const text = JSON.stringify(message)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

function toolNames({ tools }: ModelRequest): string {
  return tools.map(({ name }) => name).join(', ') || 'none'
}

const wholeRequest = ({ messages, tools, toolChoice, responseFormat }: ModelRequest): unknown => ({
  messages,
  tools,
  toolChoice,
  responseFormat,
})

/** Without fields that are `undefined`, as the text of a cassette has them. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue
}

/** The recorded error, of the class that makes the run treat it alike. */
function errorOf({ code, message, retryable, retryAfterMs }: ErrorData): TroupeError {
  if (retryable !== true) return new TerminalError(message, { code })
  return new RetryableError(message, { code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}
