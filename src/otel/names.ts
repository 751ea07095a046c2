/**
 * The names that are written of OpenTelemetry's semantic conventions for generative AI, as of their version 0.1.0: all of them
 * are in development. Those that begin with `troupe` are of this library.
 */

export const operation = {
  chat: 'chat',
  executeTool: 'execute_tool',
  invokeAgent: 'invoke_agent',
  plan: 'plan',
} as const

export type Operation = (typeof operation)[keyof typeof operation]

export const attribute = {
  operationName: 'gen_ai.operation.name',
  providerName: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentDescription: 'gen_ai.agent.description',
  agentVersion: 'gen_ai.agent.version',
  conversationId: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  outputType: 'gen_ai.output.type',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenModality: 'gen_ai.token.modality',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  /** Content, where it is asked for. */
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  /** Of this library. */
  runId: 'troupe.run.id',
  path: 'troupe.path',
  attempt: 'troupe.attempt',
  outcome: 'troupe.outcome',
  subagentOutcome: 'troupe.subagent_outcome',
} as const

export const metric = {
  inferenceDuration: 'gen_ai.client.inference.duration',
  inputTokens: 'gen_ai.client.inference.usage.input_tokens',
  outputTokens: 'gen_ai.client.inference.usage.output_tokens',
  cacheReadTokens: 'gen_ai.client.inference.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.client.inference.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.client.inference.usage.reasoning.output_tokens',
  inputTokensOfCall: 'gen_ai.client.inference.operation.input_tokens',
  outputTokensOfCall: 'gen_ai.client.inference.operation.output_tokens',
  agentDuration: 'gen_ai.invoke_agent.duration',
  inferenceCalls: 'gen_ai.invoke_agent.inference_calls',
  toolCalls: 'gen_ai.invoke_agent.tool_calls',
  toolDuration: 'gen_ai.execute_tool.duration',
} as const

/** The span in which a run begins that no other span started. */
export const startOfRun = 'start_run'
