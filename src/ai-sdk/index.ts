/** Models of the AI SDK for agents, and agents as such models: `troupe/ai-sdk`. It imports only types of the AI SDK. */
export { aiSdk } from './model/ai-sdk.ts'
export type { AiSdkModel } from './model/specification.ts'
export type { AiSdkOptions, AiSdkSettings, ProviderTool } from './model/options.ts'
export { toLanguageModel } from './agent/to-language-model.ts'
export type { LanguageModelOptions } from './agent/to-language-model.ts'
