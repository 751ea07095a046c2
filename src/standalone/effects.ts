/** The effects of a machine under plain XState: which wait, and how one is settled. */
import type { AnyActorRef, DoneActorEvent, ErrorActorEvent } from 'xstate'
import { effectKindOf, type EffectSnapshot, type Settlement } from '../actors/effects/effect.ts'
import type { EffectInput, EffectOutcome } from '../actors/effects/effect-kinds.ts'
import type { EffectKind } from '../actors/effects/effect-names.ts'
import { outcomeProblem, outcomeSchemaOf } from '../actors/effects/effect-outcome.ts'
import { isRecord } from '../actors/values/json.ts'
import { noUsage } from '../actors/usage.ts'
import { ConfigurationError, type ErrorData } from '../errors.ts'
import type { AgentRequest } from '../machines/contract/agent.ts'

/** The effects of the machines by their kinds. A subagent is one too: its input is the request to run it. */
export type Inputs = { readonly [Kind in Exclude<EffectKind, 'agent' | 'remote'>]: EffectInput<Kind> } & {
  readonly agent: AgentRequest
}

/** An effect that waits for its outcome. */
export type PendingEffect = {
  readonly [Kind in keyof Inputs]: {
    /** The ids of the actors from the machine to the effect, joined with `/`: `model`, `delegation:1.1/hook:messageFilter`. */
    readonly key: string
    readonly kind: Kind
    readonly input: Inputs[Kind]
  }
}[keyof Inputs]

/** The outcome of an effect, or its error. */
export type EffectSettlement = { readonly value: unknown } | { readonly error: ErrorData }

interface Waiting {
  readonly effect: PendingEffect
  readonly ref: AnyActorRef
}

/** Returns the effects that the actor of a machine, and all actors below it, wait for: those of the machine first. */
export function pendingEffects(actor: AnyActorRef): readonly PendingEffect[] {
  return waitingIn(actor, []).map(({ effect }) => effect)
}

/**
 * Settles the effect of this key: the machine that asked for it goes on at once. A reply of a model needs its `text` or its
 * `toolCalls`, and the report of a subagent its `outcome`; other fields are empty where they are left out.
 * Throws a `ConfigurationError` where no effect of this key waits, and for a value that the effect cannot have.
 */
export function settleEffect(actor: AnyActorRef, key: string, settlement: EffectSettlement): void {
  assertSettlement(settlement)
  const all = waitingIn(actor, [])
  const waiting = all.find(({ effect }) => effect.key === key)
  if (waiting === undefined) {
    const keys = all.map(({ effect }) => effect.key).join(', ') || 'none'
    throw new ConfigurationError(`settleEffect: no effect "${key}" waits. These wait: ${keys}.`)
  }
  const { effect, ref } = waiting
  const settled: Settlement =
    'error' in settlement ? { error: settlement.error } : { value: valueOf(effect, settlement.value) }
  ref.send({ type: 'effect.settled', settlement: settled })
}

/**
 * Returns the event by which this child of a machine reports, for `@xstate/graph`: there children are created, never started,
 * and report as events do. The value of an effect is read as by `settleEffect`; that of a machine is its output.
 * Throws a `ConfigurationError` for a value that the effect cannot have.
 */
export function reportEvent(
  child: AnyActorRef,
  settlement: EffectSettlement,
): DoneActorEvent<never> | ErrorActorEvent {
  assertSettlement(settlement)
  const { id } = child
  if ('error' in settlement) {
    return { type: `xstate.error.actor.${id}`, actorId: id, error: settlement.error }
  }
  const isEffect = kindOf(child) !== undefined
  const output = isEffect ? valueOf(waitingAt(child, []).effect, settlement.value) : settlement.value
  return { type: `xstate.done.actor.${id}`, actorId: id, output: output as never }
}

/** Types do not see every caller. */
function assertSettlement(given: unknown): void {
  if (isRecord(given) && ('value' in given || isRecord(given['error']))) return
  throw new ConfigurationError('The outcome of an effect is { value } or { error: { name, code, message } }.')
}

function waitingIn(actor: AnyActorRef, path: readonly string[]): readonly Waiting[] {
  const { children = {} } = actor.getSnapshot() as { children?: Record<string, AnyActorRef | undefined> }
  const live = Object.values(children).filter(
    (child) => child !== undefined && isActive(child),
  ) as AnyActorRef[]
  const own = live.filter((child) => kindOf(child) !== undefined).map((child) => waitingAt(child, path))
  const machines = live.filter((child) => kindOf(child) === undefined)
  return [...own, ...machines.flatMap((child) => waitingIn(child, [...path, child.id]))]
}

function waitingAt(ref: AnyActorRef, path: readonly string[]): Waiting {
  const { request } = ref.getSnapshot() as EffectSnapshot<EffectKind>
  const { kind, input } = request
  return { effect: { key: [...path, ref.id].join('/'), kind, input } as PendingEffect, ref }
}

function isActive(actor: AnyActorRef): boolean {
  return (actor.getSnapshot() as { readonly status: string }).status === 'active'
}

function kindOf(actor: AnyActorRef): EffectKind | undefined {
  return effectKindOf(Reflect.get(actor, 'logic'))
}

const emptyReply = { text: '', toolCalls: [], usage: noUsage } as const
const emptyReport = { text: '', delegations: [], scores: [], steps: [], usage: {} } as const

function valueOf({ key, kind, input }: PendingEffect, given: unknown): EffectOutcome<EffectKind> {
  const value = completed(kind, given)
  const read = outcomeSchemaOf(kind, input)?.safeParse(value)
  if (read?.success === false) {
    throw new ConfigurationError(
      `The value for "${key}" is no outcome of a ${kind}: ${outcomeProblem(read.error)}`,
    )
  }
  return (read === undefined ? value : read.data) as EffectOutcome<EffectKind>
}

function completed(kind: EffectKind, given: unknown): unknown {
  if (!isRecord(given)) return given
  if (kind === 'model') {
    const { toolCalls } = given
    const isCalling = Array.isArray(toolCalls) && toolCalls.length > 0
    return { ...emptyReply, finishReason: isCalling ? 'tool-calls' : 'stop', ...given }
  }
  return kind === 'agent' ? { ...emptyReport, ...given } : given
}
