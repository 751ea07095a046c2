/** The test kit: `troupe/testing`. */
export { scriptedModel } from './scripted-model.ts'
export type {
  RecordedCall,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
  ScriptedStep,
  ScriptedToolCall,
} from './scripted-model.ts'
export { coverMachine } from './cover/cover-machine.ts'
export type { MachineCover } from './cover/cover-machine.ts'
export type { CoverOptions, RunOptions } from './cover/cover-options.ts'
export type { MachinePath } from './cover/machine-path.ts'
export { testPaths } from './cover/test-paths.ts'
export type { PathOptions } from './cover/test-paths.ts'
export { compareGoldens } from './golden/compare-goldens.ts'
export type { GoldenDifference, LineDifference } from './golden/compare-goldens.ts'
export { goldenOf } from './golden/golden-of.ts'
export type { GoldenOptions } from './golden/golden-of.ts'
export { testModel } from './graph/test-model.ts'
export type { ModelOptions } from './graph/test-model.ts'
export type { TestState } from './graph/test-logic.ts'
export { getShortestPaths, getSimplePaths } from '@xstate/graph'
export { edgeCover } from './graph/edge-cover.ts'
export { graphOf } from './chart/graph-of.ts'
export type { Events, GraphOptions } from './graph/graph-options.ts'
export type { Outcomes } from './graph/machine-types.ts'
export type { ExternalEvent, Failure, Outcome, Stimulus } from './graph/stimulus.ts'
export type { TransitionCoverage } from './cover/transition-coverage.ts'
export { recordRun, replayRecording } from './recording.ts'
export type { RecordingDifference, RecordingReport, ReplayRecordingOptions } from './recording.ts'
export { lint } from './lint/lint.ts'
export { lintMachine } from './lint/lint-machine.ts'
export type { AcceptedMachineFinding, LintMachineOptions, MachineFinding } from './lint/lint-machine.ts'
export type { AcceptedFinding, LintOptions } from './lint/lint.ts'
export type { Confirmation } from './lint/finding.ts'
export type { Finding, FindingCode, Severity } from './lint/finding.ts'
export { modelCallBound } from './lint/model-call-bound.ts'
export type { ModelCallBound, ModelCallPart } from './lint/model-call-bound.ts'
export { formatVisibility, visibilityOf } from './lint/visibility.ts'
export type { AgentView } from './lint/visibility.ts'
export { explore } from './explore/explore.ts'
export type { MachineExploreOptions } from './explore/explore-machine.ts'
export type { AdversaryOptions, ExploreOptions, LimitOptions } from './explore/options.ts'
export type { ExploredPath, ExploreReport, Violation } from './explore/report/report.ts'
export {
  answers,
  calls,
  decides,
  fails,
  gives,
  returns,
  sleeps,
  suspends,
  throws,
} from './explore/alphabet/sayings.ts'
export type { CallsByName, FunctionSaying, ModelSaying, ToolSaying } from './explore/alphabet/sayings.ts'
export type { ConfigItems, Says, ToolSays } from './explore/alphabet/alphabet-options.ts'
export type { PersonSays } from './explore/alphabet/people.ts'
export type { SayRequest } from './explore/alphabet/alphabet-options.ts'
export { always, eventually, never, precedes, sometimes } from './explore/rules/user-rules.ts'
export type { Condition, ConditionRule, EventFilter, Rule, RunView } from './explore/rules/user-rules.ts'
export { createTroupeOn } from './time/create-troupe-on.ts'
export type { Duration } from './time/virtual-clock.ts'
export { virtualClock } from './time/virtual-clock.ts'
export type { VirtualClock, VirtualClockOptions } from './time/virtual-clock.ts'
export { recordModel, replayModel } from './models/record-model.ts'
export type { RecordedModel, RecordModelOptions, ReplayModelOptions } from './models/record-model.ts'
export { evaluate } from './evaluate/evaluate.ts'
export type { EvaluateOptions, EvaluationCase, EvaluationGates } from './evaluate/options.ts'
export type {
  EvaluationConversation,
  EvaluationTurn,
  EvaluationUser,
  UserMessageGiven,
} from './evaluate/conversation.ts'
export { simulatedUser } from './evaluate/simulated-user.ts'
export type { SimulatedUserOptions } from './evaluate/simulated-user.ts'
export { createEvaluation } from './evaluate/create-evaluation.ts'
export type { Evaluation, EvaluationConfig } from './evaluate/create-evaluation.ts'
export { compareEvaluations, formatComparison } from './evaluate/compare.ts'
export type {
  CompareOptions,
  ComparedCase,
  ComparedSide,
  ComparisonGates,
  EvaluationComparison,
} from './evaluate/compare.ts'
export type { GateReport } from './evaluate/gates.ts'
export { formatEvaluation } from './evaluate/report.ts'
export type { CaseReport, EvaluationReport, ScorerSummary } from './evaluate/report.ts'
export type { CaseScore, EvaluationContext, EvaluationScorer } from './evaluate/scoring.ts'
export type { UnrecordedCall } from './evaluate/recorded-tools.ts'
export { modelContract } from './contract/model-contract.ts'
export type {
  ContractCall,
  ContractCase,
  ContractFailure,
  ContractFile,
  ContractReply,
  ContractSource,
  ContractUsage,
  ModelFeature,
  ModelSubject,
  OpenModel,
} from './contract/subject.ts'
export { storeContract } from './store-contract/store-contract.ts'
export type { OpenStore, StoreFeature, StoreSubject } from './store-contract/subject.ts'
export { recordTools } from './evaluate/tool-recording.ts'
export type { ToolRecord } from './evaluate/tool-recording.ts'
export type * from './named-parts.ts'
