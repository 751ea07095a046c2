/** The checks made when a model is created: what a server would refuse at the first call is said at once. */
import { ConfigurationError } from '../../errors.ts'
import { defaultTimeout, longestTimeout, type ApiName, type OpenAIOptions } from './options.ts'

export function checkOptions(modelId: string, options: OpenAIOptions): void {
  if (typeof modelId !== 'string' || modelId.trim() === '') {
    throw new ConfigurationError(
      `openai(): the model id must be a text that is not empty, got ${show(modelId)}.`,
    )
  }
  const where = `openai(${show(modelId)})`
  checkApi(where, options)
  const { baseURL, client, apiKey, maxOutputTokens, timeout = defaultTimeout } = options
  if (!isPositiveInteger(timeout) || timeout > longestTimeout) {
    throw new ConfigurationError(
      `${where}: timeout must be a whole number of milliseconds from 1 to ${longestTimeout}, got ${show(timeout)}.`,
    )
  }
  if (maxOutputTokens !== undefined && !isPositiveInteger(maxOutputTokens)) {
    throw new ConfigurationError(
      `${where}: maxOutputTokens must be a positive integer, got ${show(maxOutputTokens)}.`,
    )
  }
  if (client !== undefined && (apiKey !== undefined || baseURL !== undefined)) {
    throw new ConfigurationError(
      `${where}: give either a client, or apiKey and baseURL; the client has its own.`,
    )
  }
  if (baseURL !== undefined && !isHttpUrl(baseURL)) {
    throw new ConfigurationError(`${where}: baseURL must be an http or https URL, got ${show(baseURL)}.`)
  }
}

/** The settings that one of the APIs does not have. */
const missing: Readonly<Record<ApiName, readonly (keyof OpenAIOptions)[]>> = {
  chat: ['reasoningSummary'],
  responses: ['seed', 'stop'],
}

/** By these a server of the Responses API would keep the conversation; the run owns its history. */
const historyFields = ['store', 'previous_response_id', 'conversation']

function checkApi(where: string, options: OpenAIOptions): void {
  const { api = 'chat', extraBody = {} } = options
  if (!Object.hasOwn(missing, api)) {
    throw new ConfigurationError(`${where}: api must be 'chat' or 'responses', got ${show(api)}.`)
  }
  const setting = missing[api].find((name) => options[name] !== undefined)
  if (setting !== undefined) {
    throw new ConfigurationError(
      `${where}: api '${api}' has no ${setting}. Leave it out, or use the other api.`,
    )
  }
  const field = historyFields.find((name) => api === 'responses' && Object.hasOwn(extraBody, name))
  if (field !== undefined) {
    throw new ConfigurationError(
      `${where}: extraBody must not have ${field}: the run owns its history, the server stores nothing.`,
    )
  }
}

function isPositiveInteger(value: number): boolean {
  return Number.isInteger(value) && value > 0
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
