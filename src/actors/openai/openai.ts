/**
 * The driver over the official `openai` client, for OpenAI and for every server that speaks one of its two APIs
 * (Ollama, vLLM, LM Studio, llama.cpp, gateways). It calls once and never retries: the statechart does.
 */
import type { ChatModel } from '../chat-model.ts'
import { serverOf } from './shared/server.ts'
import {
  defaultMaxReplyBytes,
  defaultTimeout,
  longestTimeout,
  type OpenAIOptions,
  type ApiName,
} from './shared/options.ts'
import { ConfigurationError } from '../../errors.ts'
import { acceptedTypes } from '../messages/accepted-types.ts'
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  is,
  oneOf,
  positiveInteger,
  recordOf,
} from '../strict/checks.ts'
import { anyHint, firstOf, sayings } from '../strict/hints.ts'
import { isObject, optional, readOptions, show, withDefault, type Fields } from '../strict/read-options.ts'
import { assertHas, samplingFields, type SamplingSettings } from '../models/sampling.ts'

/**
 * A chat model over Chat Completions, or with `api: 'responses'` over the Responses API, where nothing is stored at
 * the server. It streams where the caller listens to deltas.
 *
 * The key comes from `apiKey` or `OPENAI_API_KEY`, the server from `baseURL` or `OPENAI_BASE_URL`; a call takes at
 * most `timeout` milliseconds (120000), its stream included. Throws a `ConfigurationError` for an empty model id or
 * an option out of range or not of the API. Calls reject with a `RetryableError` (`RATE_LIMITED`, `MODEL_UNAVAILABLE`,
 * `MODEL_UNREACHABLE`, `MODEL_TIMEOUT`, `MODEL_STREAM_CUT`, `MODEL_STREAM_INCOMPLETE`, `MODEL_REPLY_INCOMPLETE`,
 * `MODEL_REPLY_INVALID`), a `TerminalError` (`FILE_NOT_ACCEPTED`, `MODEL_REPLY_TOO_LARGE`, `MISSING_API_KEY`, `UNAUTHORISED`,
 * `ENDPOINT_NOT_FOUND`, `MODEL_NOT_FOUND`, `QUOTA_EXCEEDED`, `CONTEXT_LENGTH_EXCEEDED`, `CONTENT_FILTERED`, `INVALID_REQUEST`) or a
 * `CancelledError`.
 */
export function openai(modelId: string, options: OpenAIOptions = {}): ChatModel {
  const read = readModelOptions(modelId, options)
  let generate: Promise<ChatModel['generate']> | undefined

  async function load(): Promise<ChatModel['generate']> {
    const { createGenerate } = await import('./generate.ts')
    return createGenerate(modelId, read)
  }

  return {
    provider: 'openai',
    modelId,
    ...(read.accepts === undefined ? {} : { accepts: read.accepts }),
    settings: settingsOf(read),
    get server() {
      return serverOf(read)
    },
    async generate(request, callOptions) {
      generate ??= load()
      return (await generate)(request, callOptions)
    },
  }
}

/** The settings that are sent with each request. */
function settingsOf(options: OpenAIOptions): SamplingSettings {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(sampling, name))
  return Object.freeze(Object.fromEntries(own))
}

// Checks options when a model is created: those that a server would refuse at the first call are refused at once.

const secret = is('a text', (given) => typeof given === 'string', { isSecret: true })

/** Neither API has `topK`; other servers of Chat Completions take it in `extraBody`, each by its own name. */
const { topK: _absent, ...sampling } = samplingFields

const openAIFields = {
  api: withDefault(oneOf('chat', 'responses'), 'chat'),
  apiKey: optional(secret),
  baseURL: optional(is('an http or https URL', isHttpUrl, { isSecret: true })),
  accepts: optional(acceptedTypes),
  timeout: withDefault(
    is(
      `a whole number of milliseconds from 1 to ${longestTimeout}`,
      (given) => isPositiveInteger(given) && given <= longestTimeout,
    ),
    defaultTimeout,
  ),
  maxReplyBytes: withDefault(positiveInteger, defaultMaxReplyBytes),
  client: optional(is('a client of the package "openai"', isObject, { isSecret: true })),
  fetch: optional(aFunction),
  ...sampling,
  reasoningSummary: optional(oneOf('auto', 'concise', 'detailed')),
  parallelToolCalls: optional(aBoolean),
  user: optional(aText),
  extraBody: optional(recordOf(anything, 'an object of fields by name')),
} satisfies Fields<OpenAIOptions>

const ofClient = 'a client has it: openai(modelId, { client: new OpenAI({ … }) })'
const ofCalls = '"extraBody" has further fields of a request'

const openAIHint = firstOf(
  sayings({
    organization: ofClient,
    project: ofClient,
    headers: ofClient,
    defaultheaders: ofClient,
    model: 'the model id is the first argument: openai(modelId, options)',
    modelid: 'the model id is the first argument: openai(modelId, options)',
    logprobs: ofCalls,
    servicetier: ofCalls,
    responseformat: '"structuredOutput" of an agent has the shape of its answer',
    retries: 'it is an option of agents, such as createAgent',
    maxretries: '"retries" is an option of agents, such as createAgent',
  }),
  anyHint,
)

/** Throws a `ConfigurationError`, which contains no key and no address. */
function readModelOptions(modelId: string, given: OpenAIOptions): OpenAIOptions {
  if (typeof modelId !== 'string' || modelId.trim() === '') {
    throw new ConfigurationError(
      `openai(): the model id must be a text that is not empty, as in openai('gpt-5-mini', options), not ${isObject(modelId) ? 'an object' : show(modelId)}.`,
    )
  }
  const where = `openai(${show(modelId)})`
  const options = readOptions<OpenAIOptions>(given, where, openAIFields, openAIHint)
  checkApi(where, options)
  const { client, apiKey, baseURL, fetch } = options
  if (client !== undefined && [apiKey, baseURL, fetch].some((own) => own !== undefined)) {
    throw new ConfigurationError(
      `${where}: give either a client, or apiKey, baseURL and fetch; the client has its own.`,
    )
  }
  return options
}

/** The settings that one of the APIs does not have. */
const missing: Readonly<Record<ApiName, readonly (keyof OpenAIOptions)[]>> = {
  chat: ['reasoningSummary'],
  responses: ['presencePenalty', 'frequencyPenalty', 'seed', 'stop'],
}

/** With these a server of the Responses API would keep the conversation; the run owns its history. */
const historyFields = ['store', 'previous_response_id', 'conversation']

function checkApi(where: string, options: OpenAIOptions): void {
  const { api = openAIFields.api.default, extraBody = {} } = options
  assertHas(options, missing[api], {
    where,
    wire: `api '${api}'`,
    instead: 'Leave it out, or use the other api.',
  })
  const field = historyFields.find((name) => api === 'responses' && Object.hasOwn(extraBody, name))
  if (field !== undefined) {
    throw new ConfigurationError(
      `${where}: extraBody must not have ${field}: the run owns its history, the server stores nothing.`,
    )
  }
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}

function isHttpUrl(given: unknown): boolean {
  return typeof given === 'string' && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
}
