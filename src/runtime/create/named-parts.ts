/**
 * Types that the types of `troupe` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { CallDelta, ResponseFormat, SamplingSettings, SpokenPart } from '../../actors/chat-model.ts'
export type { FileFacts } from '../../actors/content/content.ts'
export type { Successor as SuccessorAgent } from '../../actors/handoff-tools.ts'
export type { CallVerdict, JudgedCall } from '../../actors/message.ts'
export type { RemoteCall, RemoteMessage, RemoteServer } from '../../actors/remote/remote-server.ts'
export type { SchemaIssue } from '../../actors/schemas/schema.ts'
export type { RouteProfile } from '../../actors/task-types.ts'
export type { Applicability as ToolApplicability, ToolScope } from '../../actors/tool-groups.ts'
export type { Startable as StartableAgent } from '../../actors/tool.ts'
export type {
  InBackground as BackgroundFacts,
  Subagent,
  ToolFacts,
  ToolsetDescription,
} from '../../actors/toolset/tool-facts.ts'
export type { Toolset } from '../../actors/toolset/toolset.ts'
export type { Spending as SpendingOfEffect } from '../../actors/usage.ts'
export type {
  ConfigurationErrorOptions,
  MismatchNames as JournalMismatchNames,
  RetryableErrorOptions,
  StoreErrorOptions,
  TroupeErrorOptions,
} from '../../errors.ts'
export type { CancelEvent } from '../../machines/contract/cancel.ts'
export type {
  BackgroundPayload,
  ConversationSize,
  DelegationPayload,
  FanOutPayload,
  LeftWork,
  Nothing as NoPayload,
  Offer as OfferedPattern,
  RoutingPayload,
} from '../../machines/contract/events.ts'
export type {
  BackgroundProfile,
  CompactionProfile,
  CompletionProfile,
  DelegationProfile,
  HandoffProfile,
  MemoryProfile,
  ProcessorsProfile,
} from '../../machines/contract/profile.ts'
export type { Describing as DescribedAgent, Identity as AgentIdentity } from './define-agent.ts'
export type {
  AgentParts,
  ContentSize,
  HandoffTargets,
  Handoffs as HandoffParts,
  Shaped as ShapedAgent,
} from '../definition/definition.ts'
export type { Common as ResultBase } from '../handle/result.ts'
export type { Envelope as EventEnvelope } from '../handle/run-event.ts'
export type {
  Ancestor as AncestorRun,
  EffectSettled,
  EffectStarted,
  Entry as JournalEntryBase,
  NestedIn as NestedInRun,
  ProgramDrifted,
  RunRestored,
  RunSettled,
  RunStarted,
  SignalReceived,
  TimerFired,
  Uncounted as UncountedUsage,
} from '../journal/journal.ts'
export type { DelegationContext, StructuredOutput } from '../options/options.ts'
export type {
  PatternCaps,
  PlanApprovalContext,
  PlanOptions,
  RouteOptions,
} from '../options/pattern-options.ts'
export type { RunSettings } from '../options/settings.ts'
export type {
  AgentStructure,
  Drift as DriftOfAgents,
  Edit as EditOfAgent,
  RecordedAgent,
  RecordedSubagent,
} from '../program/recorded.ts'
export type { EffectOutcome, Schemas as EffectSchemas } from '../../actors/effects/effect-kinds.ts'
export type { EffectKind, HookName } from '../../actors/effects/effect-names.ts'
export type { Settlement as EffectSettlementOf } from '../../actors/effects/effect.ts'
export type { JsonSchema as JsonSchemaObject, Successors } from '../../actors/handoff-tools.ts'
export type { ApprovalPolicy, InternalPurpose, StricterPolicy } from '../../actors/message.ts'
export type { ApiName } from '../../actors/openai/shared/options.ts'
export type {
  Input as RemoteEffectInput,
  Kind as RemoteEffectKind,
  Outcome as RemoteEffectOutcome,
  PersonsAnswer,
  RemoteFollowed,
  RemoteQuestion,
  RemoteSent,
  RemoteTask,
} from '../../actors/remote/remote-effects.ts'
export type { AnyContext, InferInput, InferOutput, SchemaResult } from '../../actors/schemas/schema.ts'
export type { CheckedPattern, CheckedTaskType } from '../../actors/task-types.ts'
export type { AbortCode, WithNested } from '../../actors/tool.ts'
export type { CallCheck } from '../../actors/toolset/toolset.ts'
export type { DelegationArgs } from '../../actors/toolset/delegation-args.ts'
export type { Offered as OfferedTool, ToolStructure } from '../../actors/toolset/tool-facts.ts'
export type {
  JsonFields,
  Kept as KeptField,
  Optional as OptionalFields,
  Plain as PlainValue,
} from '../../actors/values/json.ts'
export type { BackgroundOutcome, CompactionReason } from '../../machines/contract/events.ts'
export type { DynamicPart, FunctionName } from '../../machines/contract/profile.ts'
export type { SayRefusal } from '../../machines/contract/sayings.ts'
export type {
  AnyConfig as AnyAgentConfig,
  DefinitionFor as DefinitionForConfig,
  NamesOf as NamesOfTools,
  NoShape as WithoutShape,
  OutputOf as OutputOfTool,
  ResultsOf,
  ShapedOptions,
  Told as ToldDefinition,
} from './define-agent.ts'
export type { GivenAgents } from '../definition/agents-given.ts'
export type { DynamicAgents, RecordOfRun, Some as SomeRecord } from '../definition/dynamic-parts.ts'
export type {
  FilteringHandoffs,
  InputOf as InputOfAgent,
  InputsOf as InputsOfAgents,
  TargetOf as TargetOfHandoff,
} from '../definition/handoff-options.ts'
export type { PayloadOf } from '../handle/run-event.ts'
export type { RunActor } from '../handle/run.ts'
export type { InterpreterName } from '../interpreter/interpreter.ts'
export type { RunFinish, Signal as RecordedSignal } from '../journal/journal.ts'
export type { Awaitable as StoreAnswer } from '../journal/store.ts'
export type {
  AnyOptions as OptionsOfAnyAgent,
  Kept as KeptOption,
  KeptAs,
  OptionTable as TableOfOptions,
  OptionsFor as OptionsForPattern,
  OptionsOf as OptionsOfPattern,
} from '../options/option-table.ts'
export type { Awaitable as MaybePromise } from '../options/options.ts'
export type { Pattern as PatternName } from '../options/pattern.ts'
export type { Selectors as VersionSelectors } from '../options/version-selectors.ts'
export type { ContentDigests, OnDrift, RecordedAgents, RecordedSettings } from '../program/recorded.ts'
export type { RunSnapshot } from '../state/run-logic.ts'
export type { AnySystem as AnyHostSystem, SupervisorOnly } from '../troupe/hosted.ts'
