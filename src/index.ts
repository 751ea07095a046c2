/** The public API. */
export { openai } from './actors/openai/openai.ts'
export { withCircuit, type CircuitOptions } from './actors/models/with-circuit.ts'
export type { FallbackRule } from './actors/models/fallbacks.ts'
export { throttled, type ThrottleOptions } from './actors/models/throttled.ts'
export type { OpenAIOptions, OpenAISettings } from './actors/openai/shared/options.ts'
export type {
  ChatModel,
  FinishReason,
  ModelCallOptions,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelResponse,
  ModelServer,
  ProviderCall,
  ToolChoice,
  ToolDescription,
} from './actors/chat-model.ts'
export { chartOf } from './actors/charts/chart.ts'
/** What `chart()` gives: declarations of an app can name it by this package. */
export type { AnyStateMachine } from 'xstate'
export type { Chart, ChartInvoke, ChartState, ChartTransition } from './actors/charts/chart.ts'
export { textOf } from './actors/content/content.ts'
export type {
  Content,
  FileData,
  FilePart,
  FileRef,
  FileUrl,
  Part,
  TextPart,
} from './actors/content/content.ts'
export type { DocumentSource, Source, WebSource } from './actors/content/source.ts'
export { file, type FileOptions } from './actors/messages/file.ts'
export type { AsJson, JsonValue } from './actors/values/json.ts'
export type {
  AssistantMessage,
  Message,
  Prompt,
  PromptMessage,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './actors/message.ts'
export type {
  AbortOptions,
  InputProcessor,
  OutputProcessor,
  Passage,
  ProcessInputContext,
  ProcessOutputContext,
  ProcessOutputStreamContext,
} from './actors/processor.ts'
export { jsonSchema } from './actors/schemas/json-schema.ts'
export type { JsonObject } from './actors/schemas/json-schema.ts'
export type { Schema } from './actors/schemas/schema.ts'
export { createScorer } from './actors/scorer.ts'
export type { Score, Scorer, ScorerConfig, ScoringContext } from './actors/scorer.ts'
export type { ClientTool } from './actors/toolset/client-tools.ts'
export { deferTools } from './actors/deferred/defer-tools.ts'
export { sleepUntil, type SleepResult } from './actors/deferred/sleep-until.ts'
export type { DeferOptions, DeferredTools, FoundTools, ToolSearch } from './actors/deferred/defer-tools.ts'
export { createTool } from './actors/create-tool.ts'
export type {
  AbortReason,
  NestedRunOptions,
  OnInterrupted,
  StartRun,
  SuspendOptions,
  SuspensionAnswer,
  SuspensionAnswers,
  Tool,
  ToolBackground,
  ToolConfig,
  ToolExecution,
  ToolSignal,
} from './actors/tool.ts'
export { createWorkflow } from './actors/workflow.ts'
export type { Workflow, WorkflowConfig } from './actors/workflow.ts'
export type { ModelPrice, PriceTable } from './actors/pricing.ts'
export type { Usage, UsageByAgent } from './actors/usage.ts'
export {
  BudgetExceededError,
  CancelledError,
  ConfigurationError,
  JournalMismatchError,
  LeaseLostError,
  NestedRunError,
  RetryableError,
  RunExistsError,
  RunNotEndedError,
  RunNotFoundError,
  RunLeftError,
  RunOwnedError,
  SignalError,
  StoreError,
  TerminalError,
  TroupeClosedError,
  TroupeDrainingError,
  TroupeError,
} from './errors.ts'
export type { ErrorCode, ErrorData, JournalMismatch, StoreErrorCode } from './errors.ts'
export type {
  HandoffRecord,
  DelegationOutcome,
  DecisionRecord,
  DelegationRecord,
  ExhaustedReason,
  BackgroundCall,
  FailedCall,
  Outcome,
  ResultOfAgent,
  ResultOfTool,
  ScorerResult,
  ScoringRecord,
  StepRecord,
  StoppedReason,
  SubagentOutcome,
  SucceededCall,
  ToolCallRecord,
  ToolResultOf,
  ToolResultRecord,
  ToolResults,
} from './machines/contract/records.ts'
export type { RoutingDecision } from './machines/selection/routing-decision.ts'
export type {
  AnswerPayload,
  AwaitedSignal,
  EventPayloads,
  EventType,
  MessageStatus,
  Primitive,
  ToolCallPayload,
} from './machines/contract/events.ts'
export type { Saying } from './machines/contract/sayings.ts'
export type { PlanRecord, PlanStep, PlanStepStatus, ProposedPlanStep } from './machines/contract/plan.ts'
export {
  createAgent,
  createSupervisor,
  createDispatcher,
  createFanOut,
  createPlanner,
  createRouter,
  createDebate,
  createReflexion,
  createMetaRouter,
} from './runtime/create/create-agents.ts'
export type {
  AgentConfig,
  SupervisorConfig,
  DispatcherConfig,
  FanOutConfig,
  FanOutOptions,
  PlannerConfig,
  RouterConfig,
  DebateConfig,
  DebateOptions,
  ReflexionConfig,
  ReflexionOptions,
  MetaRouterConfig,
  DispatcherOptions,
  MetaRouterOptions,
  RouterOptions,
  PlannerOptions,
} from './runtime/create/create-agents.ts'
export type { ToolMap, WorkflowMap } from './runtime/create/define-agent.ts'
export type { BudgetOptions } from './runtime/options/budget-options.ts'
export type { TroupeConfiguration } from './runtime/troupe/troupe-config.ts'
export type { PatternItem, PatternSettings, RequestSignals, TaskType } from './actors/task-types.ts'
export type { Clock } from './runtime/clock.ts'
export type { AgentStatus, VersionOverrides, VersionSelector } from './runtime/options/version-selectors.ts'
export type { AgentDefinition, AnyAgent, EventResults, RunContext } from './runtime/definition/definition.ts'
export { orThrow } from './runtime/handle/or-throw.ts'
export { toolResultOf } from './runtime/definition/tool-result-of.ts'
export type { Dynamic, DynamicRecord } from './runtime/definition/dynamic-parts.ts'
export type { ResultPayload, RunEvent, TypedToolResult } from './runtime/handle/run-event.ts'
export type {
  AgentReference,
  HandoffAgents,
  HandoffOptions,
  HandoffTarget,
} from './runtime/definition/handoff-options.ts'
export type { EraseOptions, Erasure, ErasureLeft } from './runtime/ending/erasure-report.ts'
export type { BlobExpiry, BlobHolder, BlobStorage, RunHolder } from './runtime/files/blob-storage.ts'
export type { TroupeBlobs } from './runtime/files/blobs.ts'
export type { ConfigChange, ConfigItem, ConfigStorage } from './runtime/journal/config-storage.ts'
export type { JournalEntry } from './runtime/journal/journal.ts'
export type {
  MemoryStorage,
  Thread,
  ThreadFilter,
  ThreadMessage,
  ThreadReading,
  ThreadRemoval,
  MemoryResource,
  ResourcePage,
  TroupeMemory,
} from './runtime/journal/memory-storage.ts'
export { memoryStore } from './runtime/journal/memory/memory-store.ts'
export type { MemoryStoreOptions } from './runtime/journal/memory/memory-store.ts'
export type {
  LedgerAccount,
  LedgerAmount,
  LedgerGrant,
  LedgerReservation,
  LedgerSpending,
  LedgerStorage,
  LedgerSum,
} from './runtime/tenants/ledger-storage.ts'
export type { TenantAccount, TenantCharge } from './runtime/tenants/tenant-charge.ts'
export type { TenantLimit, TenantOptions, TenantPeriod } from './runtime/tenants/tenant-options.ts'
export type { Census, CensusOptions, Overdue, QuestionsByAge } from './runtime/journal/census.ts'
export type {
  Expiry,
  OpenQuestion,
  Page,
  PageOptions,
  QuestionChange,
  QuestionFilter,
  RunFilter,
  RunOrder,
  RunSummary,
} from './runtime/journal/run-index.ts'
export type {
  AgentOptions,
  BackgroundTask,
  CallOptions,
  CompactionOptions,
  ContextEditingOptions,
  CompletionOptions,
  CompletionResult,
  DelegationCompleteContext,
  DelegationCompleteResult,
  DelegationOptions,
  DelegationStartContext,
  DelegationStartResult,
  FinishContext,
  HandoffFilter,
  HandoffFilterContext,
  HookError,
  IterationContext,
  IterationResult,
  MemoryOptions,
  MessageFilterContext,
  StepFinishContext,
  StopCondition,
  StopContext,
  SubagentResult,
  SummarizeContext,
  SupervisorOptions,
} from './runtime/options/options.ts'
export type { TraceContext } from './actors/strict/trace-context.ts'
export type { Around } from './runtime/engine/around/around.ts'
export type {
  AgentEnd,
  AgentObserver,
  AroundOption,
  BeginningRun,
  ObservedAgent,
  Observer,
} from './runtime/engine/around/observer.ts'
export type { ObservedCall, ObservedEffect } from './runtime/engine/around/observed-effect.ts'
export type { ActorView } from './runtime/replay/actor-view.ts'
export type { RecoverOptions, Recovery } from './runtime/troupe/recovery.ts'
export type { ForkRunOptions, ResumeOptions } from './runtime/options/resume-options.ts'
export type { ForkOptions, ForkPatch } from './runtime/replay/fork.ts'
export type { HistoryEntry } from './runtime/replay/history.ts'
export type { Decision, DecisionFilter } from './runtime/troupe/decisions.ts'
export type {
  HostedInput,
  HostedLogic,
  HostedSnapshot,
  LogicOptions,
  SignalRefused,
  UnfailedResult,
} from './runtime/troupe/hosted.ts'
export type { ProblemCode } from './runtime/problem-codes.ts'
export type { OnError, Problem, ProblemEffect } from './runtime/report.ts'
export type { Replay, ReplayOptions } from './runtime/replay/replay-contract.ts'
export type {
  RunError,
  DelegationResult,
  FinalResult,
  RunResult,
  SuspendedResult,
} from './runtime/handle/result.ts'
export type {
  Answer,
  ApprovalAnswer,
  ApproveAnswer,
  CancelOptions,
  CancelRunOptions,
  DeleteRunOptions,
  Run,
  RunSignal,
  SayOptions,
} from './runtime/handle/run.ts'
export type {
  AppendReport,
  JournalAppend,
  Claimed,
  Lease,
  LeaseChange,
  EnqueueOutcome,
  QueuedSignal,
  SignalClaim,
  SignalFilter,
  DeleteOutcome,
  RunStore,
  Store,
  StoreListener,
  StoreListName,
  StoreLists,
  WholeStore,
} from './runtime/journal/store.ts'
export type { Schedule } from './runtime/schedules/kept-schedule.ts'
export type {
  MissedPolicy,
  ScheduleStatus,
  SkippedOccurrences,
} from './runtime/schedules/schedule-machine.ts'
export type { ScheduleRules, ScheduleTimes } from './runtime/schedules/schedule-options.ts'
export type {
  NextSchedules,
  ScheduleFilter,
  ScheduleRow,
  ScheduleStorage,
} from './runtime/journal/schedule-storage.ts'
export type { TroupeSchedules } from './runtime/schedules/schedules.ts'
export type { CronCalendar, TimePlan } from './runtime/schedules/time-plan.ts'
export type { RunWatch, WatchOptions } from './runtime/watch/run-watch.ts'
export type { AppendTimes } from './runtime/journal/append-times.ts'
export type { HealthCode, HealthOptions, HealthProblem, TroupeHealth } from './runtime/health/health.ts'
export type {
  Lag,
  ProcessStats,
  QuestionCounts,
  RunCounts,
  RunStats,
  StatsOptions,
  TroupeStats,
} from './runtime/health/stats.ts'
export type { JournalOptions, JournalParts, ListedRun, RunService } from './runtime/troupe/run-service.ts'
export type {
  EndedActor,
  Trail,
  TrailActor,
  TrailEntry,
  TrailTransition,
  TrailOptions,
  ViewOptions,
} from './runtime/trail/trail.ts'
export { createTroupe } from './runtime/troupe/troupe.ts'
export type { CloseOptions, CutOffRun, DrainOptions, DrainReport } from './runtime/troupe/phases/drain.ts'
export type { TroupePhase } from './runtime/troupe-phase.ts'
export type { EffectUnderWay } from './runtime/engine/effects/under-way.ts'
export type { Troupe } from './runtime/troupe/troupe.ts'
export type { Retention, RetentionLimits } from './runtime/troupe/retention.ts'
export type { TroupeConfig } from './runtime/troupe/troupe-options.ts'
export type * from './runtime/create/named-parts.ts'
