/**
 * For adapters, stores, models and wires of others: what our own subpaths stand on. `docs/reference/kit.md` lists it.
 */

// Charts and effects of your own
export type { EffectCall } from '../actors/effects/custom-call.ts'
export {
  type EffectOptions,
  type InterruptedEffect,
  type OwnEffectLogic,
  defineEffect,
} from '../actors/effects/custom-effect.ts'
export type { ChartAnswer, ChartInput } from '../machines/custom.ts'
export {
  type ChartAgentConfig,
  type ChartAgentRunOptions,
  defineChartAgent,
} from '../runtime/create/create-chart-agent.ts'

// Errors of your own
export { errorKind } from '../errors/kinds.ts'

// Strict readers of options
export {
  aBoolean,
  aCount,
  aFunction,
  aName,
  aText,
  anything,
  either,
  having,
  is,
  listOf,
  milliseconds,
  oneOf,
  positiveInteger,
  recordOf,
} from '../actors/strict/checks.ts'
export {
  type Field,
  type Fields,
  type Reader,
  anObject,
  defaultsOf,
  isObject,
  optional,
  readOptions,
  required,
  show,
  withDefault,
} from '../actors/strict/read-options.ts'
export { noneOrAgents, type GivenAgents } from '../runtime/definition/agents-given.ts'

// Trace contexts
export {
  isTraceparent,
  isTracestate,
  tracestateMembers,
  readTraceContext,
  withTrace,
} from '../actors/strict/trace-context.ts'

// Functions of a user
export {
  type Expected,
  askUser,
  nameOrNothing,
  runOptionsOf,
  whatever,
  yesOrNo,
} from '../runtime/user-function.ts'

// Problems and errors
export { errorOf, toErrorData } from '../errors.ts'
export { type Reporter, reporterOf } from '../runtime/report.ts'
export { safely } from '../runtime/state/safe-observers.ts'

// Paths of actors
export {
  agentOf,
  agentPath,
  asksAboutPlan,
  below,
  effectOf,
  isChild,
  lastId,
  parentPath,
  placeOf,
  requesterOf,
  sibling,
  successorId,
} from '../actors/actor-path.ts'

// Values
export { columnsIn, cutToColumns, fittingColumns } from '../actors/values/columns.ts'
export { digestText } from '../actors/values/digest.ts'
export { canonicalJson, isRecord } from '../actors/values/json.ts'
export { once } from '../actors/values/once.ts'
export { sha256, uuidOf } from '../actors/values/sha256.ts'
export { afterTurn, soon } from '../actors/values/order.ts'
export { sleep, startTimer, timeoutSignal } from '../actors/values/timer.ts'
export { toJsonValue } from '../actors/values/to-json.ts'
export { wellFormed } from '../actors/values/well-formed.ts'
export { noContext } from '../runtime/async-context.ts'

// Text for people
export { type OutlineLimits, outline } from '../actors/values/outline.ts'
export {
  type VisiblePiece,
  visibleJson,
  visibleLines,
  visiblePieces,
  visibleText,
} from '../actors/values/visible-text.ts'
export { progressText } from '../runtime/watch/progress-text.ts'

// Usage
export { addUsage, noUsage, reportedUsage } from '../actors/usage.ts'

// Content
export { base64Of, bytesOf } from '../actors/content/base64.ts'
export { filesOf } from '../actors/content/content.ts'
export { isAmong, isMediaType } from '../actors/content/media-type.ts'
export { documentSource, webSource } from '../actors/content/source.ts'
export { isWebUrl } from '../actors/content/web-url.ts'
export { deliveredFiles } from '../runtime/files/delivered-files.ts'

// Models
export { retryAfterMs, withinPatience } from '../actors/openai/failures/retry-after.ts'
export { withDeadline } from '../actors/openai/http/deadline.ts'

// Stores
export { blobRefsIn } from '../runtime/files/blob-refs.ts'
export { callerTime, isMarkedSealed, markSealed, unmarked } from '../runtime/files/blob-storage.ts'
export { type Whole, present } from '../runtime/journal/passed-on.ts'
export { ChangeListeners } from '../runtime/journal/change-listeners.ts'
export { entryUsage } from '../runtime/journal/entry-usage.ts'
export { threadOfAnother } from '../runtime/journal/memory-storage.ts'
export { hasWords, wordsOf } from '../runtime/journal/run-summary.ts'
export { type RunBatch, runBatches } from '../runtime/journal/run-batch.ts'
export {
  type ListName,
  type ListPlace,
  cursorAt,
  pageOf,
  placeIn,
  readQuestionFilter,
  readRunFilter,
} from '../runtime/journal/run-index.ts'
export { leftOf, startedColumns } from '../runtime/journal/run-summary.ts'
export { lapsesUntilLeft } from '../runtime/journal/store.ts'

// Wires
export { cannotGoOn, codeOfStop } from '../runtime/cannot-go-on.ts'
export { readSignal } from '../runtime/handle/read-signal.ts'
export { hasEnded } from '../runtime/troupe/run-service.ts'

// Readers of runs
export { type StoredRuns, type StoredRunsConfig, storedRuns } from '../runtime/troupe/stored-runs.ts'
export { storedSchedules } from '../runtime/schedules/stored-schedules.ts'
export { readRun } from '../runtime/replay/read-run.ts'
export { RunState } from '../runtime/state/run-state.ts'
export { agentsOnRecord, recordedCharts, recordedTrail } from '../runtime/trail/recorded-trail.ts'
