/** Every driver that gives data of its provider back, with a server that holds to the rule of the provider. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { openai, type ChatModel } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { deepSeek, gateway, gemini } from './chat-rules.ts'
import { geminiNative } from './gemini-native.ts'
import type { Provider } from './provider-server.ts'
import { responsesProvider } from './responses-rule.ts'
import { anthropic, anthropicModel } from './signed-blocks.ts'

export interface Wire {
  readonly provider: () => Provider
  /** The model of a driver, at a server of this URL. */
  readonly model: (url: string) => ChatModel
}

const apiKey = 'sk-test'
const chat = (modelId: string) => (url: string) => openai(modelId, { baseURL: url, apiKey })

/** The real providers of the AI SDK. */
const aiSdkWires: Readonly<Record<string, Wire>> = {
  '@ai-sdk/anthropic': {
    provider: anthropic,
    model: (url) =>
      aiSdk(createAnthropic({ baseURL: url, apiKey })('claude-sonnet-4-5'), {
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
      }),
  },
  '@ai-sdk/google': {
    provider: geminiNative,
    model: (url) => aiSdk(createGoogle({ baseURL: url, apiKey })('gemini-3-pro-preview')),
  },
  '@ai-sdk/openai': {
    provider: responsesProvider,
    model: (url) =>
      aiSdk(createOpenAI({ baseURL: url, apiKey })('gpt-5.4'), {
        providerOptions: { openai: { store: false } },
      }),
  },
}

export const wires: Readonly<Record<string, Wire>> = {
  'Gemini 3': { provider: gemini, model: chat('gemini-3-pro') },
  DeepSeek: { provider: deepSeek, model: chat('deepseek-reasoner') },
  'a gateway to Claude': { provider: gateway, model: chat('anthropic/claude') },
  'the Responses API': {
    provider: responsesProvider,
    model: (url) => openai('gpt-5.4', { baseURL: url, apiKey, api: 'responses' }),
  },
  'the Messages API': { provider: anthropic, model: (url) => anthropicModel(url) },
  ...aiSdkWires,
}
