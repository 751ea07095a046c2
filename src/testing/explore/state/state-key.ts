/** The key of a run's state: states with equal keys go on alike, so an exploration visits one of them. */
import type { AnyActorRef } from 'xstate'
import { effectKindOf } from '../../../actors/effects/effect.ts'
import { charactersOf } from '../../../actors/messages/size.ts'
import { digestText } from '../../../actors/values/digest.ts'
import type { AgentReport } from '../../../machines/contract/agent.ts'
import { isBroken } from '../../../machines/completion/context.ts'
import type { AgentOutput, ScoringRecord } from '../../../machines/contract/records.ts'
import type { DecisionContext } from '../../../machines/decision/context.ts'
import type { LoopContext, PendingCall } from '../../../machines/loop/changes/context.ts'
import type { ToolCallContext } from '../../../machines/tool-call/context.ts'
import type { PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { lateEffects } from '../world/late-effects.ts'
import { snapshotOf } from '../world/written.ts'
import type { ControlledRun } from '../world/controlled-run.ts'
import { forgetful, type StateView } from './forgetful.ts'
import type { BackgroundChild } from '../../../machines/loop/changes/live.ts'
import { filesOf } from '../../../actors/content/content.ts'
import { isRecord, type JsonValue } from '../../../actors/values/json.ts'
import { isChild, lastId } from '../../../actors/actor-path.ts'
import { holdsFiles, taskPosition } from '../../../machines/contract/conversation.ts'

/** `offered`: the outcomes that a held effect may have, as a text. */
export interface KeyOptions {
  readonly view: StateView
  readonly offered: (key: string) => string
}

export function stateKey(world: ControlledRun, options: KeyOptions): string {
  const { state, ignored } = world
  const { view, offered } = options
  const late = lateEffects(world)
    .map(({ key }) => offered(key))
    .toSorted()
  if (state.output !== undefined && state.isSettled) return endKey(state.output, late, view)
  const { budget, wallClock } = state.limits
  const used = budget?.used
  const { uncertain } = state.effects
  const effects = new Map<AnyActorRef, string>()
  for (const effect of state.effects.pending.values()) {
    const doubt = uncertain.has(effect) ? '?' : ''
    effects.set(effect.request.ref, effectKey(effect, world, options) + doubt)
  }
  return digestText(
    [
      actorKey(state.agent, effects, options),
      String(state.signals.isClosed),
      String(ignored.size),
      String(world.crashes),
      String(world.said),
      late.join('|'),
      String(state.isSuspended),
      JSON.stringify(used === undefined ? [] : view.counters.map((name) => used[name])),
      String(wallClock?.isRunning),
      view.texts ? JSON.stringify(world.threads) : '',
    ].join('\n'),
  )
}

/** Of a run that has ended nothing goes on but calls that it has let go of. */
function endKey(output: AgentOutput, late: readonly string[], view: StateView): string {
  const { outcome, reason, error, by, delegations, scores } = output
  return JSON.stringify([
    'end',
    late,
    outcome,
    outcome === 'cancelled' ? undefined : reason,
    error?.code,
    by === undefined ? undefined : view.groupOf(by),
    delegationsKey(delegations, view),
    scores.map((score) => score.outcome),
  ])
}

// The key of an agent at work. Calls of a step are a set: those that are alike but for their places are
// interchangeable. Ended calls and delegations count by their outcomes.

/** `children`: the keys of the live children, by id. */
function loopKey(context: LoopContext, children: ReadonlyMap<string, string>, view: StateView): string {
  const { input, messages, calls, started, live, settled, ledger, background, reply, bail, ...others } =
    context
  const outcomes = new Map(
    settled
      .toArray()
      .map(({ child, result, content, feedback }) => [
        child,
        view.texts ? [result.outcome, content, feedback] : [result.outcome, feedback !== undefined],
      ]),
  )
  const isSized = input.profile.compaction !== undefined // the sizes of its messages decide something
  const sizes = isSized ? messages.toArray().map(charactersOf) : []
  const files = filesKey(context)
  const texts = view.texts ? [messages.digest, ledger.steps.digest, reply] : []
  const keyOf = (call: PendingCall): string =>
    JSON.stringify([
      labelOf(call, input.profile.toolset.subagent(call.call.name)?.id, view),
      live.find(({ child }) => child === call.child)?.state,
      outcomes.get(call.child),
      children.get(call.child),
    ])
  const inBackground = background.live.map((one) =>
    JSON.stringify([taskOf(context, one, view), one.state, children.get(one.child)]),
  )
  const own = new Set([...calls, ...background.live].map(({ child }) => child))
  const rest = [...children].filter(([id]) => !own.has(id))
  return [
    JSON.stringify([
      input.maxSteps,
      input.depth,
      input.profile.toolState,
      input.profile.toolset.digest,
      input.task,
    ]),
    calls.slice(0, started).map(keyOf).toSorted().join(),
    calls.slice(started).map(keyOf).join(),
    inBackground.toSorted().join(),
    background.queue.map((call) => labelOf(call, undefined, view)).join(),
    String(background.notices.length > 0),
    background.sayings.length === 0 ? '' : String(background.sayings.length),
    reply === undefined
      ? ''
      : JSON.stringify([reply.finishReason, reply.text.trim() === '', reply.toolCalls.length]),
    bail === undefined ? '' : view.groupOf(bail.by),
    delegationsKey(ledger.delegations.toArray(), view),
    JSON.stringify(ledger.scores.map(scoresKey)),
    forgetful(others, view),
    JSON.stringify(texts),
    JSON.stringify(sizes),
    JSON.stringify(files),
    rest
      .map(([id, key]) => `${id}=${key}`)
      .toSorted()
      .join(),
  ].join('|')
}

/** An ended scoring by its outcome and the scorers that are not asked again. */
function scoresKey({ outcome, results }: ScoringRecord): readonly string[] {
  return [outcome, ...results.flatMap((result) => (isBroken(result) ? [result.id] : []))]
}

/**
 * The names of the files in the task, and in each message that is shared with subagents. The tools that are on offer, and
 * the files that the model may hand on, follow from them.
 */
function filesKey({ messages, input }: LoopContext): readonly (readonly string[])[] {
  if (!holdsFiles(messages)) return []
  const all = messages.toArray()
  const { maxMessages } = input.profile.delegation
  const reached = [...all.slice(taskPosition(all)).slice(0, 1), ...all.slice(-maxMessages)]
  return [['files'], ...reached.map(({ content }) => filesOf(content).map(({ name = '' }) => name))]
}

/** Ended delegations by agent and outcome, in no order. How a subagent ended before a bail, a function alone reads. */
function delegationsKey(delegations: AgentOutput['delegations'], view: StateView): string {
  return delegations
    .map(({ agent, outcome, subagentOutcome }) => {
      const own = view.texts ? subagentOutcome : undefined
      return `${view.groupOf(agent)}:${outcome}${own === undefined ? '' : `:${own}`}`
    })
    .toSorted()
    .join()
}

/** The subagent of a delegation in the background, or the name of a tool. */
function taskOf({ input }: LoopContext, { child, key }: BackgroundChild, view: StateView): string {
  if (!isChild(child, 'delegation')) return `tool ${key}`
  return view.groupOf(input.profile.toolset.subagents.get(key)?.id ?? key)
}

/** Of the arguments of interchangeable agents, the files that are handed on. */
function filesAsked(args: JsonValue): JsonValue {
  return isRecord(args) ? (args['files'] ?? null) : null
}

/** Calls with equal labels differ in their places alone. */
function labelOf(
  { call, child, isTask, toolGroups }: PendingCall,
  subagent: string | undefined,
  view: StateView,
): string {
  const name = subagent === undefined ? call.name : view.groupOf(subagent)
  const isGrouped = subagent !== undefined && name !== subagent
  const args = isGrouped ? filesAsked(call.args) : call.args
  return JSON.stringify([name, args, call.malformed, isTask, toolGroups, lastId(child).split(':')[0]])
}

function effectKey(effect: PendingEffect, world: ControlledRun, { view, offered }: KeyOptions): string {
  const { kind, key, pausedWith, dueAt } = effect
  if (kind === 'timer') return `timer:${pausedWith === undefined}${view.timed ? dueAt : ''}`
  if (kind === 'signal') return `signal:${world.ignored.has(key)}`
  return `${kind}:${offered(key)}`
}

function actorKey(
  actor: AnyActorRef,
  effects: ReadonlyMap<AnyActorRef, string>,
  options: KeyOptions,
): string {
  const { view } = options
  const { status, machine, value, context, children = {} } = snapshotOf(actor)
  if (status !== 'active') return status
  if (effectKindOf(Reflect.get(actor, 'logic')) !== undefined) return effects.get(actor) ?? 'unstarted'
  const keys = new Map<string, string>()
  for (const [id, child] of Object.entries(children)) {
    if (child !== undefined) keys.set(id, actorKey(child, effects, options))
  }
  const state = `${machine?.id}${JSON.stringify(value)}`
  if (isLoop(context))
    return `${view.groupOf(context.input.profile.id)}:${state}{${loopKey(context, keys, view)}}`
  return `${state}${contextKey(machine?.id, context, view)}(${[...keys].map(([id, key]) => `${shortId(id)}=${key}`).join()})`
}

/** The subagent of a delegation is known by its own key. */
function shortId(id: string): string {
  return id.includes(':') ? id : 'agent'
}

/** The inputs of these machines follow from the calls of their parents. */
function contextKey(machine: string | undefined, context: unknown, view: StateView): string {
  const fields = context as Record<string, unknown>
  switch (machine) {
    case 'delegation': {
      const { input: _input, atWork: _atWork, prompt: _prompt, result, ...own } = fields
      return forgetful(own, view) + resultKey(result as AgentReport | undefined, view)
    }
    case 'tool-call': {
      const { agent: _agent, call: _call, callId: _callId, answers, ...own } = fields
      return forgetful({ ...own, last: (answers as ToolCallContext['answers']).at(-1) }, view)
    }
    case 'decision': {
      const { input, conversation, exchange } = context as DecisionContext
      const { input: _input, ...own } = fields
      const isSized = input.compaction !== undefined // the sizes of its messages decide something
      const sizes = isSized ? [...conversation, ...exchange].map(charactersOf) : []
      return forgetful([input.subject, own, sizes], view)
    }
    default:
      return forgetful(context, view)
  }
}

function resultKey(result: AgentReport | undefined, view: StateView): string {
  if (result === undefined) return ''
  const { outcome, text, reason, handoffs } = result
  return forgetful({ outcome, text, reason, handoffs }, view)
}

function isLoop(context: unknown): context is LoopContext {
  return typeof context === 'object' && context !== null && 'ledger' in context && 'background' in context
}
