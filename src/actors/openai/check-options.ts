/** Checks options when a model is created: those that a server would refuse at the first call are refused at once. */
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
import { isObject, optional, readOptions, show, withDefault, type Fields } from '../strict/read-options.ts'
import { assertHas, samplingFields } from '../models/sampling.ts'
import {
  defaultMaxReplyBytes,
  defaultTimeout,
  longestTimeout,
  type ApiName,
  type OpenAIOptions,
} from './shared/options.ts'

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

/** Throws a `ConfigurationError`, which contains no key and no address. */
export function readModelOptions(modelId: string, given: OpenAIOptions): OpenAIOptions {
  if (typeof modelId !== 'string' || modelId.trim() === '') {
    throw new ConfigurationError(
      `openai(): the model id must be a text that is not empty, got ${show(modelId)}.`,
    )
  }
  const where = `openai(${show(modelId)})`
  const options = readOptions<OpenAIOptions>(given, where, openAIFields)
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
