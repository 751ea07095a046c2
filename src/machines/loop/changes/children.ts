/** The children of an agent: the calls of a step that may start, those that are held, and the inputs of all. */
import { searchScope } from './found-tools.ts'
import { below, isChild } from '../../../actors/actor-path.ts'
import { inWords } from '../../../actors/content/content.ts'
import { Derived } from '../../../actors/values/derived.ts'
import type { AgentProfile } from '../../contract/agent.ts'
import type { CompactionProfile, CompletionProfile } from '../../contract/profile.ts'
import type { DelegationInput } from '../../delegation.ts'
import type { ToolCallInput } from '../../tool-call.ts'
import type { CompactionInput } from '../../compaction/context.ts'
import { limitsOf } from '../../compaction/window.ts'
import type { CompletionInput } from '../../completion.ts'
import { isBroken } from '../../completion/context.ts'
import { beforeTask } from '../../contract/conversation.ts'
import { backgroundOf, isBackground, keyOf } from './background.ts'
import { isBeyondCap } from './call-cap.ts'
import { isHandoff, type LoopChange, type LoopContext, type PendingCall } from './context.ts'
import { liveChild, runningIn, withState } from './live.ts'
import { summarizerOf } from './decision-input.ts'
import { sizedRequest } from './window.ts'
import { handedOn } from './task.ts'

/**
 * The calls that fit into the window now. A held call has given up its place. A call in the background needs none,
 * nor does a call that is settled without being started. Calls that must wait are not visited.
 */
export function startable(context: LoopContext): readonly PendingCall[] {
  const { calls, started, live } = context
  if (started === calls.length) return []
  let places = context.input.profile.toolCallConcurrency - runningIn(live)
  const starting: PendingCall[] = []
  for (let place = started; place < calls.length; place++) {
    const call = calls[place] as PendingCall
    if (needsPlace(context, call, place) && --places < 0) break
    starting.push(call)
  }
  return starting
}

function needsPlace(context: LoopContext, call: PendingCall, place: number): boolean {
  return !isSettledUnstarted(context, call, place) && backgroundOf(context, call) === undefined
}

/** A handoff and a call beyond the cap are settled without a child. */
export function isSettledUnstarted({ input }: LoopContext, call: PendingCall, place: number): boolean {
  return isHandoff(call) || isBeyondCap(input.profile, place)
}

export function isDelegation(pending: PendingCall): boolean {
  return isChild(pending.child, 'delegation')
}

export function toolCallInput(context: LoopContext, { child, call }: PendingCall): ToolCallInput {
  const { profile } = context.input
  const { toolset } = profile
  return {
    agent: profile.id,
    callId: below(context.input.path, child),
    call,
    // A call in the background was on offer when the model made it.
    toolset: isBackground(context, child) ? toolset.whole : toolset,
    retries: profile.retries,
    hookErrors: profile.hookErrors,
    hookTimeout: profile.hookTimeout,
    ...searchScope(profile, call.name),
  }
}

export function delegationInput(context: LoopContext, pending: PendingCall): DelegationInput {
  const { child, call, isTask, isOfModel, toolGroups } = pending
  const { profile } = context.input
  const background = backgroundOf(context, { child, call })
  return {
    profile: background?.timeout === undefined ? profile : within(profile, background.timeout),
    runId: context.input.runId,
    ...(context.input.origin === undefined ? {} : { origin: context.input.origin }),
    path: below(context.input.path, child),
    key: keyOf(call.name),
    subagent: profile.toolset.subagent(call.name)?.id ?? call.name,
    ...(isOfModel === true ? { modelCallId: call.id } : {}),
    ...handedOn(context, pending),
    conversation: isTask === true ? beforeTask(context.messages) : context.messages,
    task: context.input.task,
    framing: context.input.opening.framing,
    iteration: context.step,
    depth: context.input.depth + 1,
    threadId: context.input.threadId,
    resourceId: context.input.resourceId,
    ...(toolGroups === undefined ? {} : { toolGroups }),
    ...(call.verdict?.requireApproval === undefined ? {} : { requireApproval: call.verdict.requireApproval }),
    ...(awaitsTools(context, pending) ? { awaitsTools: true as const } : {}),
    loop: new Derived(context),
  }
}

/** Set for subagents with such tools alone, so that all other requests stay the same as before. */
function awaitsTools(context: LoopContext, pending: PendingCall): boolean {
  const { toolset } = context.input.profile
  return (
    backgroundOf(context, pending) !== undefined &&
    toolset.subagent(pending.call.name)?.background !== undefined
  )
}

function within(profile: AgentProfile, timeout: number): AgentProfile {
  return { ...profile, delegation: { ...profile.delegation, timeout } }
}

export function completionInput(context: LoopContext): CompletionInput {
  const { profile } = context.input
  return {
    agent: profile.id,
    completion: profile.completion as CompletionProfile, // `mustScore` has checked it
    hasCompleteHook: profile.hooks.onComplete !== undefined,
    hookTimeout: profile.hookTimeout,
    task: context.input.task,
    answer: context.reply === undefined ? '' : inWords(context.reply),
    messages: context.messages,
    iteration: context.step,
    broken: context.ledger.scores.flatMap(({ results }) => results.filter(isBroken)),
    loop: new Derived(context),
  }
}

/** A held child waits for a signal: it gives up its place in the window. */
export function recordHeld({ live, background }: LoopContext, child: string, isHeld: boolean): LoopChange {
  const state = isHeld ? 'held' : 'running'
  if (liveChild(live, child) !== undefined) return { live: withState(live, child, state) }
  if (liveChild(background.live, child) === undefined) return {}
  return { background: { ...background, live: withState(background.live, child, state) } }
}

export function compactionInput(context: LoopContext): CompactionInput {
  const { input, messages, attempts } = context
  const compaction = input.profile.compaction as CompactionProfile // `mustCompact` and `mayCompact` have checked it
  return {
    ...summarizerOf(input, compaction),
    reason: attempts.overflows > 0 ? 'refused' : 'window',
    messages,
    limits: limitsOf(sizedRequest(context), compaction),
  }
}
