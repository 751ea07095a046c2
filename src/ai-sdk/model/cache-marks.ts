/** Marks the part of a prompt that a provider is to cache, in the words of each provider that wants marks. */
import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { AiSdkOptions } from './options.ts'

/** A provider reads the mark under its own name, and no other. */
const mark: SharedV4ProviderOptions = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
  openrouter: { cacheControl: { type: 'ephemeral' } },
}

/**
 * A mark covers everything before it, tools included. The conversation only grows, so the last message of one request
 * is in the middle of the next one.
 */
export function withCacheMarks(
  prompt: LanguageModelV4Prompt,
  cache: AiSdkOptions['cache'],
): LanguageModelV4Prompt {
  if (cache === undefined) return prompt
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  const last = cache === 'history' ? prompt.length - 1 : system
  return prompt.map((message, index) => (index === system || index === last ? marked(message) : message))
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...mark } }
}
