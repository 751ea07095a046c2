/** Unstable: what hosts of the library in this package use of it beyond the kit. It may change in any release. */
export { readClientTools } from '../actors/toolset/client-tools.ts'
export type { CallDelta } from '../actors/chat-model.ts'
export { labelOf, saysAnything } from '../actors/content/content.ts'
export { distinct } from '../actors/content/source.ts'
export type { EffectOutcome } from '../actors/effects/effect-kinds.ts'
export type { EffectKind } from '../actors/effects/effect-names.ts'
export { type EffectRequest, effectKindOf, hasDoor } from '../actors/effects/effect.ts'
export { acceptedTypes, notAccepted, sendable } from '../actors/messages/accepted-types.ts'
export { isMadeFile } from '../actors/messages/file.ts'
export { withFilesAfter } from '../actors/messages/files-after.ts'
export { type SamplingSettings, assertHas, samplingFields, stopsOf } from '../actors/models/sampling.ts'
export {
  type Verdict,
  chainOf,
  deepestMessage,
  give,
  isCutBody,
  retry,
  verdictOf,
} from '../actors/openai/failures/errors.ts'
export { type EmitDelta, partedEmitter } from '../actors/openai/shared/deltas.ts'
export { partedReply } from '../actors/text/thoughts.ts'
export { defaultTimeout, longestTimeout } from '../actors/openai/shared/options.ts'
export type { Quirks } from '../actors/openai/shared/quirks.ts'
export { LearnedQuirks } from '../actors/openai/shared/learned-quirks.ts'
export { schemaInForm, type Targets } from '../actors/openai/shared/request-parts.ts'
export { replayableName } from '../actors/openai/shared/replay.ts'
export type {
  PersonsAnswer,
  RemoteAnswer,
  RemoteFollowed,
  RemoteQuestion,
  RemoteSent,
  RemoteTask,
} from '../actors/remote/remote-effects.ts'
export type { RemoteCall, RemoteMessage, RemoteServer } from '../actors/remote/remote-server.ts'
export { foreignSchema, withoutPatterns } from '../actors/schemas/json-schema.ts'
export type { AnyContext } from '../actors/schemas/schema.ts'
export { validate } from '../actors/schemas/validate.ts'
export { aPort } from '../actors/strict/checks.ts'
export { readNames, delegationPrefix, handoffPrefix } from '../actors/strict/ids.ts'
export { wrong } from '../actors/strict/read-options.ts'
export { linesOf } from '../actors/text/lines.ts'
export { outlined } from '../actors/values/outline.ts'
export { longestTimer } from '../actors/values/timer.ts'
export { parentOf } from '../actors/xstate-internals.ts'
export { answeredWith, ownOutcome } from '../machines/contract/subagent-outcome.ts'
export { programMachine } from '../machines/program.ts'
export {
  type CallOutcome,
  type EndedLeg,
  type LegInput,
  type LegOutcome,
  type ProgramCall,
  legLogic,
} from '../machines/program/leg.ts'
export { remoteMachine } from '../machines/remote.ts'
export { nextTask } from '../actors/values/order.ts'
export { assertClientTools } from '../runtime/agents/client-tools.ts'
export { type DefinitionFor, type NoShape, defineAgent } from '../runtime/create/define-agent.ts'
export { type Shaped, asDefinition } from '../runtime/definition/definition.ts'
export { mayCall } from '../runtime/definition/may-call.ts'
export type { ReadBlobs } from '../runtime/files/delivered-files.ts'
export { objectOnRecord } from '../runtime/handle/shaped-result.ts'
export { Speech } from '../runtime/handle/speech.ts'
export { journalFrom, journalText } from '../runtime/journal/journal-text.ts'
export type { EffectSettled, RunStarted, Signal } from '../runtime/journal/journal.ts'
export { startedColumns } from '../runtime/journal/run-summary.ts'
export { firstLease } from '../runtime/journal/store.ts'
export { definitionParts } from '../runtime/definition/validate-options.ts'
export { type ProgramRunOptions, optionsOf } from '../runtime/options/option-table.ts'
export { type Pattern, callingPatterns } from '../runtime/options/pattern.ts'
export { agentStatuses } from '../runtime/options/version-selectors.ts'
export { quietly } from '../runtime/quietly.ts'
export type { DryFunctions, DryKind, DryQuestion, ScriptedOutcome } from '../runtime/dry/contract.ts'
export type { DryFork, DryForkOptions } from '../runtime/dry/dry-fork.ts'
export { dryFork, dryHostOf } from '../runtime/dry/dry-host.ts'
export type { DryHost } from '../runtime/dry/dry-store.ts'
export { forkOf, readFork, readPatch } from '../runtime/replay/fork.ts'
export { historyOf } from '../runtime/replay/history.ts'
export { settled } from '../runtime/report.ts'
export { ReportedPromise } from '../runtime/reported-promise.ts'
export { taskOf } from '../runtime/run/prompt.ts'
export { isLoopback, isOwnHost, isToken, nameIn, randomToken } from '../runtime/server-guard.ts'
export { journalOf } from '../runtime/trail/journal-of.ts'
export type { EndedActor, TrailActor, TrailTransition } from '../runtime/trail/trail-step.ts'
export { isName, someObject } from '../runtime/user-function.ts'
