/** Models of the AI SDK for agents: `troupe/ai-sdk`. It imports the AI SDK for its types alone. */
export { aiSdk } from './model/ai-sdk.ts'
export type { AiSdkModel } from './model/specification.ts'
export type { AiSdkOptions, AiSdkSettings, ProviderTool } from './model/options.ts'
