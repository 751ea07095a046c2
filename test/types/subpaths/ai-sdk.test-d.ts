/** The models of the AI SDK, of both versions, are models of agents. */
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import type { ChatModel, ProviderCall, StepRecord } from 'troupe'
import { aiSdk, type AiSdkModel, type AiSdkOptions, type ProviderTool } from 'troupe/ai-sdk'
import { expectType } from '../expect-type.ts'

export function models(newest: LanguageModelV4, older: LanguageModelV3, search: ProviderTool): void {
  expectType<ChatModel>()(aiSdk(newest))
  expectType<ChatModel>()(aiSdk(older, { cache: 'history', providerTools: { search } }))
  const options: AiSdkOptions = { stop: ['END'], providerOptions: { anthropic: { effort: 'low' } } }
  aiSdk(newest, options)
  // @ts-expect-error: a model, and not its id
  aiSdk('gpt-5')
  // @ts-expect-error: not a part that can be cached
  aiSdk(newest, { cache: 'all' })
  // @ts-expect-error: temperature is a number
  aiSdk(newest, { temperature: 'hot' })
}

export function calls(step: StepRecord, either: AiSdkModel): void {
  expectType<readonly ProviderCall[] | undefined>()(step.providerCalls)
  expectType<'v3' | 'v4'>()(either.specificationVersion)
}
