/** The key of a run's state: states with equal keys go on alike, so an exploration visits one of them. */
import type { AnyActorRef } from 'xstate'
import { effectKindOf } from '../../../actors/effect.ts'
import { charactersOf } from '../../../actors/messages/size.ts'
import { digestText } from '../../../actors/values/digest.ts'
import type { AgentReport } from '../../../machines/contract/agent.ts'
import type { AgentOutput } from '../../../machines/contract/records.ts'
import type { DecisionContext } from '../../../machines/decision/context.ts'
import type { LoopContext } from '../../../machines/loop/changes/context.ts'
import type { ToolCallContext } from '../../../machines/tool-call/context.ts'
import type { PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { lateEffects } from '../world/late-effects.ts'
import { snapshotOf } from '../world/written.ts'
import type { ControlledRun } from '../world/controlled-run.ts'
import { forgetful } from './forgetful.ts'
import { delegationsKey, loopKey } from './loop-key.ts'
import type { StateView } from './view.ts'

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
