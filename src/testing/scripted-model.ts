/**
 * A model that answers from a script: for tests without a provider. It records every call; a call beyond the script is
 * an error, and so is a step that no call used (`assertConsumed`). Each error names the call or the step.
 */
import { plural } from '../errors/texts.ts'
import type { ChatModel, FinishReason, ModelReply, ModelRequest } from '../actors/chat-model.ts'
import type { FilePart } from '../actors/content/content.ts'
import type { Source } from '../actors/content/source.ts'
import { aContent, aSource } from '../actors/strict/content.ts'
import { aName, anything, aText, either, having, is, listOf, oneOf } from '../actors/strict/checks.ts'
import type { JsonValue } from '../actors/values/json.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
  type Reader,
} from '../actors/strict/read-options.ts'
import type { Usage } from '../actors/usage.ts'
import { ConfigurationError, TerminalError, toErrorData, TroupeError } from '../errors.ts'
import { settled } from '../runtime/report.ts'
import { stream, untilAborted } from './models/streamed.ts'

/** A call in a scripted reply. */
export interface ScriptedToolCall {
  readonly name: string
  readonly args?: JsonValue
  /** Default: made from the position of step and call. */
  readonly id?: string
  /** Arguments that are not JSON. */
  readonly malformed?: string
  /** Data that comes back on the call. */
  readonly providerData?: JsonValue
}

/** A reply of a scripted model. */
export interface ScriptedReply {
  readonly text?: string
  readonly reasoning?: string
  /** Files that the model has made. */
  readonly files?: readonly FilePart[]
  /** What the reply cites. */
  readonly sources?: readonly Source[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Default: `tool-calls` when there are any, else `stop`. */
  readonly finishReason?: FinishReason
  /** The message of the reply keeps the reasoning. */
  readonly keepReasoning?: true
  /** Data that comes back on the message of the reply. */
  readonly providerData?: JsonValue
  /** Default: 10 in, 5 out. */
  readonly usage?: Partial<Usage>
  /** The call fails with this value. */
  readonly error?: unknown
  /** The call never settles by itself; it fails when it is aborted. */
  readonly hang?: true
  /** The call settles when this promise does. */
  readonly until?: Promise<unknown>
}

/** A text is an answer; a function sees the request. */
export type ScriptedStep = string | ScriptedReply | ((request: ModelRequest) => string | ScriptedReply)

/** A call that a scripted model has received. */
export interface RecordedCall {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  readonly idempotencyKey: string
}

/** A model that answers from a script, and keeps the calls that it has received. */
export interface ScriptedModel extends ChatModel {
  /** The calls so far, oldest first. */
  readonly calls: readonly RecordedCall[]
  /** Throws when steps are left, and names the next. */
  assertConsumed(): void
}

/** The options of `scriptedModel`. */
export interface ScriptedModelOptions {
  /** Default: `scripted`. */
  readonly modelId?: string
  /** The media types of the files that it takes. Default: all. */
  readonly accepts?: readonly string[]
  /** The step for every call beyond the script. Default: an error. */
  readonly otherwise?: ScriptedStep
}

const isTrue = (given: unknown): boolean => given === true

const toolCallFields: Fields<ScriptedToolCall> = {
  name: required(aText),
  args: optional(anything),
  id: optional(aText),
  malformed: optional(aText),
  providerData: optional(anything),
}

const usageFields: Fields<Usage> = {
  inputTokens: optional(anything),
  outputTokens: optional(anything),
  totalTokens: optional(anything),
  cachedInputTokens: optional(anything),
  cacheWriteTokens: optional(anything),
  reasoningTokens: optional(anything),
  cost: optional(anything),
  incomplete: optional(anything),
}

const replyFields: Fields<ScriptedReply> = {
  text: optional(aText),
  reasoning: optional(aText),
  files: optional(aContent),
  sources: optional(listOf(aSource)),
  toolCalls: optional(listOf(anObject(toolCallFields, { word: 'field' }))),
  finishReason: optional(oneOf('stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'unknown')),
  keepReasoning: optional(is('true', isTrue)),
  providerData: optional(anything),
  usage: optional(anObject<Partial<Usage>>(usageFields, { word: 'field' })),
  error: optional(anything),
  hang: optional(is('true', isTrue)),
  until: optional(having('a promise', 'then')),
}

const isText = (given: unknown): boolean => typeof given === 'string'

const readReply = either(
  isText,
  aText,
  anObject(replyFields, { expected: 'a text or a reply', word: 'field' }),
)
/** An asynchronous function has no answer yet: `until` says what a reply waits for. */
const readAnswer: Reader = (given, where) => {
  if (given instanceof Promise)
    throw new ConfigurationError(`${where} must be a text or a reply, not a promise.`)
  return readReply(given, where)
}

/** The answer of a function is checked when it is called. */
const readStep = either((given) => typeof given === 'function', anything, readReply)

const optionFields = {
  modelId: withDefault(aName, 'scripted'),
  accepts: optional(listOf(aName)),
  otherwise: optional(readStep),
} satisfies Fields<ScriptedModelOptions>

/** A model that answers with `steps`, one a call, in the order of the calls. */
export function scriptedModel(
  steps: readonly ScriptedStep[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const read = readOptions<ScriptedModelOptions>(options, 'scriptedModel', optionFields)
  const { modelId, accepts, otherwise } = { ...defaultsOf(optionFields), ...read }
  listOf(readStep, 'a list of steps')(steps, 'scriptedModel: steps')
  const calls: RecordedCall[] = []
  return {
    provider: 'scripted',
    modelId,
    ...(accepts === undefined ? {} : { accepts }),
    calls,
    async generate(request, { signal, idempotencyKey, onDelta }) {
      calls.push({ request, signal, idempotencyKey })
      const step = steps[calls.length - 1] ?? otherwise
      if (step === undefined) throw unscripted(modelId, steps.length, request)
      const scripted = typeof step === 'function' ? step(request) : step
      settled(scripted, () => undefined) // a promise is refused below, whatever comes of it
      readAnswer(scripted, `scriptedModel: step ${calls.length}`)
      const reply = typeof scripted === 'string' ? { text: scripted } : scripted
      if (reply.hang === true) await untilAborted(signal, 'The scripted model')
      await reply.until
      if ('error' in reply) throw reply.error
      const made = toReply(reply, calls.length)
      stream(made, onDelta)
      return made
    },
    assertConsumed() {
      const left = steps.length - calls.length
      if (left <= 0) return
      const next = steps[calls.length]
      throw new TroupeError(
        'SCRIPT_NOT_CONSUMED',
        `The scripted model "${modelId}" was asked ${plural(calls.length, 'time')} and still has ${plural(left, 'step')}; the next is ${shownStep(next)}.`,
      )
    },
  }
}

function toReply(reply: ScriptedReply, call: number): ModelReply {
  const {
    text = '',
    reasoning,
    files,
    sources,
    toolCalls = [],
    usage = {},
    keepReasoning,
    providerData,
  } = reply
  const inputTokens = usage.inputTokens ?? 10
  const outputTokens = usage.outputTokens ?? 5
  return {
    text,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(files === undefined ? {} : { files }),
    ...(sources === undefined ? {} : { sources }),
    ...(keepReasoning === undefined ? {} : { keepReasoning }),
    ...dataOf({ providerData }),
    toolCalls: toolCalls.map(({ id, name, args = {}, malformed, providerData: data }, index) => ({
      id: id ?? `scripted-${call}-${index + 1}`,
      name,
      ...(malformed === undefined ? { args } : { args: null, malformed }),
      ...dataOf({ providerData: data }),
    })),
    finishReason: reply.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    usage: { totalTokens: inputTokens + outputTokens, ...usage, inputTokens, outputTokens },
  }
}

function shownStep(step: ScriptedStep | undefined): string {
  if (typeof step === 'function') return 'a function'
  if (typeof step === 'object' && 'error' in step) return `the error "${toErrorData(step.error).message}"`
  return JSON.stringify(step)
}

function dataOf({ providerData }: { readonly providerData?: JsonValue | undefined }) {
  return providerData === undefined ? {} : { providerData }
}

function unscripted(modelId: string, steps: number, request: ModelRequest): TerminalError {
  const last = request.messages.at(-1)
  return new TerminalError(
    `The scripted model "${modelId}" has ${plural(steps, 'step')} and was asked once more. The last message was ${JSON.stringify(last)}.`,
    { code: 'UNSCRIPTED_CALL' },
  )
}
