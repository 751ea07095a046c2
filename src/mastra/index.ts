/**
 * The names of Mastra over the agents of this library: a program of supervisor agents runs with its imports changed.
 * @experimental
 */
export { Agent } from './agent.ts'
export type { AgentConfig, BackgroundTasksConfig, SubAgentContextConfig } from './agent-config.ts'
export type { AnswerOptions } from './answer.ts'
export type { AgentStream } from './agent-stream.ts'
export type { AgentChunk, ChunkPayloads, NestedChunk } from './chunk.ts'
export type { DynamicArgument, DynamicArguments } from './dynamic-argument.ts'
export type { GenerateResult } from './generate-result.ts'
export type {
  CompletionConfig,
  CompletionRunResult,
  DelegationCompleteContext,
  DelegationCompleteResult,
  DelegationConfig,
  DelegationStartContext,
  DelegationStartResult,
  IterationCompleteContext,
  IterationCompleteResult,
  NetworkIterationContext,
  StepResult,
  StopCondition,
} from './hooks.ts'
export { LibSQLStore } from './libsql-store.ts'
export type { LibSQLConfig } from './libsql-store.ts'
export { Mastra } from './mastra.ts'
export type { MastraConfig } from './mastra.ts'
export { Memory } from './memory.ts'
export type { MemoryConfig } from './memory.ts'
export type { AiSdkLanguageModel, MastraModelConfig } from './model.ts'
export type { MemoryOfRun, NetworkOptions, RequestContext, StreamOptions } from './run-options.ts'
export type { AgentsOfRecord, AnAgent } from './registration.ts'
export { createScorer } from './scorer.ts'
export type { ScorerBuilder, ScorerIdentity } from './scorer.ts'
export { createTool } from './tool.ts'
export type { Execution, LooseToolConfig, TypedToolConfig } from './tool.ts'
