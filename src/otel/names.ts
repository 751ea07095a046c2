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
  requestStream: 'gen_ai.request.stream',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  maxTokens: 'gen_ai.request.max_tokens',
  seed: 'gen_ai.request.seed',
  stopSequences: 'gen_ai.request.stop_sequences',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  outputType: 'gen_ai.output.type',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
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
  effectKind: 'troupe.effect.kind',
  effectName: 'troupe.effect.name',
  outcome: 'troupe.outcome',
  subagentOutcome: 'troupe.subagent_outcome',
  runState: 'troupe.run.state',
  questionAge: 'troupe.question.age',
  statistic: 'troupe.statistic',
} as const

export const metric = {
  inferenceDuration: 'gen_ai.client.inference.duration',
  timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
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

/** Of a troupe in numbers; all are of this library. Durations are in seconds. */
export const gauge = {
  runs: 'troupe.runs',
  passivatedRuns: 'troupe.runs.passivated',
  leasedRuns: 'troupe.runs.leased',
  leftRuns: 'troupe.runs.left',
  questions: 'troupe.questions',
  oldestQuestion: 'troupe.questions.oldest',
  recoveryRuns: 'troupe.recovery.runs',
  recoveryLag: 'troupe.recovery.lag',
  alarms: 'troupe.alarms',
  alarmLag: 'troupe.alarms.lag',
  processRuns: 'troupe.process.runs',
  processLeases: 'troupe.process.leases',
  appends: 'troupe.store.appends',
  failedAppends: 'troupe.store.appends.failed',
  appendDuration: 'troupe.store.append.duration',
  failedStats: 'troupe.stats.failed',
} as const

/** The span of an effect that an adapter brings: the conventions have no operation for it. */
export const performingEffect = 'perform_effect'

/** The span in which a run begins that no other span started. */
export const startOfRun = 'start_run'
