/**
 * The effects that the machines of one run want: keys, digests and attempts are theirs, and outcomes are delivered to the actors
 * that requested them. A driver, where there is one, performs them.
 */
import { SparseMap } from '../../../actors/values/sparse.ts'
import { below, effectKey, effectOf } from '../../../actors/actor-path.ts'
import type { EffectRequest, LetGoReason, Settlement } from '../../../actors/effects/effect.ts'
import { parentOf } from '../../../actors/xstate-internals.ts'
import type { ErrorData } from '../../../errors.ts'
import { sourceOf } from '../../actor-source.ts'
import type { Driver } from './driver.ts'
import type { OpenSignals } from '../signals/open-signals.ts'
import { isTimeoutOf } from './deadline.ts'
import { delayOf, isKind, isOfLastTurn, PendingEffect } from './pending-effect.ts'
import { RecordedStarts } from './recorded-starts.ts'
import type { RunLimits } from './run-limits.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { digestText } from '../../../actors/values/digest.ts'
import type { EffectKind } from '../../../actors/effects/effect-names.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset/toolset.ts'

/** The run that the effects belong to. */
interface EffectsRun {
  /** The id with which the run makes names. */
  readonly origin: string
  readonly signals: OpenSignals
  readonly limits: RunLimits
  readonly driver: Driver | undefined
  /** Logical time. */
  readonly now: number
  /** The number of journal entries that were delivered. */
  readonly delivered: number
  /** A machine has let go of an effect. */
  wasLetGo(effect: PendingEffect): void
}

export class WantedEffects {
  /** Wanted and unsettled, by key. */
  readonly pending = new SparseMap<string, PendingEffect>()
  /** Let go of and unsettled, by key. */
  readonly letGone = new SparseMap<string, PendingEffect>()
  readonly #run: EffectsRun
  readonly #effects = new SparseMap<EffectRequest, PendingEffect>()
  readonly #keyCounters = new SparseMap<string, number>()
  readonly #starts = new RecordedStarts()
  readonly #attempts = new Attempts()

  constructor(run: EffectsRun) {
    this.#run = run
  }

  /**
   * Whether an effect will settle without a signal. A paused timer waits for a signal, a dormant one runs beside one.
   */
  get isBusy(): boolean {
    for (const effect of this.pending.values()) if (!waitsForSignal(effect)) return true
    return false
  }

  /** Whether a tool that the run has let go of is still at work: its outcome will be recorded. */
  get isDraining(): boolean {
    for (const effect of this.letGone.values()) if (effect.state === 'detached') return true
    return false
  }

  /** The due time of the first timer that is not paused: a suspended run must be in memory by then. */
  get wakeAt(): number | undefined {
    let earliest: number | undefined
    for (const effect of this.pending.values()) {
      if (isKind(effect, 'timer') && effect.pausedWith === undefined)
        earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, effect.dueAt)
    }
    return earliest
  }

  /** Recorded calls that may not have begun. */
  get uncertain(): ReadonlySet<PendingEffect> {
    return this.#starts.uncertain
  }

  /** Returns an effect that has not settled, wanted or let go of. */
  effectOf(key: string): PendingEffect | undefined {
    return this.pending.get(key) ?? this.letGone.get(key)
  }

  // --- calls of machines ----------------------------------------------------------------------------------------

  request(request: EffectRequest): void {
    const { now, delivered, origin, signals, driver } = this.#run
    const source = sourceOf(parentOf(request.ref) ?? request.ref)
    const base = below(source.path, request.ref.id)
    const count = (this.#keyCounters.get(base) ?? 0) + 1
    this.#keyCounters.set(base, count)
    const effect = new PendingEffect(request, effectKey(base, count), digestOf(request, origin), source)
    effect.attempt = this.#attempts.next(base)
    this.#limitLastTurn(effect)
    this.#effects.set(request, effect)
    this.pending.set(effect.key, effect)
    if (isKind(effect, 'signal')) signals.open(effect.key, effect.request.input, now, delivered)
    if (isKind(effect, 'timer')) effect.dueAt = now + delayOf(effect)
    driver?.wanted(effect)
  }

  letGo(request: EffectRequest, reason: LetGoReason, cause?: ErrorData): void {
    const effect = this.#effects.get(request)
    if (effect === undefined || effect.state === 'settled') return
    this.#run.driver?.lettingGo(effect)
    this.#forget(effect)
    this.letGone.set(effect.key, effect)
    this.#run.wasLetGo(effect)
    this.#run.limits.budget?.letGo(effect)
    if (isKind(effect, 'signal')) this.#run.signals.expired(effect.key, effect.request.input)
    const isAtWork = effect.state === 'performing' && effect.kind !== 'signal' && effect.kind !== 'timer'
    if (reason === 'detach' && isAtWork) {
      effect.state = 'detached' // its own deadline holds
      return
    }
    effect.callOff?.()
    effect.abort(reason === 'expire' && isAtWork ? 'expired' : 'aborted', cause)
    effect.over()
  }

  pause(request: EffectRequest): void {
    const effect = this.#effects.get(request)
    if (effect === undefined || effect.pausedWith !== undefined) return
    effect.pausedWith = Math.max(0, effect.dueAt - this.#run.now)
    effect.callOff?.()
  }

  unpause(request: EffectRequest): void {
    const effect = this.#effects.get(request)
    if (effect?.pausedWith === undefined) return
    effect.dueAt = this.#run.now + effect.pausedWith
    effect.pausedWith = undefined
    this.#run.driver?.unpaused(effect)
  }

  // --- the time of the run --------------------------------------------------------------------------------------

  /** The time of the run is up: last turns that are under way, or that are requested from now on, have a share of the rest. */
  limitLastTurns(): void {
    for (const effect of this.pending.values()) {
      if (this.#limitLastTurn(effect)) this.#run.driver?.limited(effect)
    }
  }

  /** Returns whether the effect has a share. */
  #limitLastTurn(effect: PendingEffect): boolean {
    if (!isOfLastTurn(effect)) return false
    const { limits, now } = this.#run
    const left = limits.lastTurnTimeout(now, effect.source.delegationId !== undefined)
    if (left === undefined) return false
    const elapsed = effect.state === 'performing' ? Math.max(0, now - effect.startedAt) : 0
    effect.timeout = Math.min(effect.timeout ?? Number.POSITIVE_INFINITY, elapsed + left)
    return true
  }

  /** Time passes that counts for no timer, while the run is read. A moment of the calendar stays where it is. */
  postpone(span: number): void {
    for (const effect of this.pending.values()) {
      if (isKind(effect, 'timer') && effect.pausedWith === undefined && !isMoment(effect))
        effect.dueAt += span
    }
  }

  // --- entries of the journal -----------------------------------------------------------------------------------

  deliverStarted(key: string): void {
    const effect = this.pending.get(key)
    if (effect === undefined) return
    this.#starts.recorded(effect)
    effect.isRecorded = true
    effect.startedAt = this.#run.now
    if (effect.state !== 'starting') return // nobody performs it
    effect.state = 'requested'
    this.#run.driver?.wanted(effect)
  }

  deliver(key: string, settlement: Settlement): void {
    this.#run.driver?.delivered(key)
    this.#starts.passed()
    this.#attempts.settled(effectOf(key), settlement)
    const effect = this.pending.get(key)
    const known = this.effectOf(key)
    this.letGone.delete(key)
    const hasTimedOut = known !== undefined && isTimeout(known, settlement)
    if (hasTimedOut) this.letGone.set(key, known) // its late outcome is recorded
    if (effect === undefined) return // let go of while its outcome was on the way
    effect.callOff?.()
    this.#forget(effect)
    if (!hasTimedOut) effect.state = 'settled'
    else if (effect.state !== 'settled') effect.abort('expired', settlement.error)
    effect.over()
    effect.request.ref.send({ type: 'effect.settled', settlement })
  }

  /** The late outcome of an effect that the run had let go of is on record. */
  deliverLate(key: string): void {
    const effect = this.letGone.get(key)
    effect?.over()
    if (effect?.state === 'settled') this.letGone.delete(key)
  }

  #forget(effect: PendingEffect): void {
    if (effect.hasReservation) this.#run.limits.budget?.giveBack()
    effect.hasReservation = false
    this.pending.delete(effect.key)
    this.#effects.delete(effect.request)
    effect.pausedWith = undefined
  }
}

// A short digest of the request of an effect; its cost does not grow with the history.

/** Fields that follow from entries before the request: a difference has shown there. */
const undigested: Partial<Readonly<Record<EffectKind, string>>> = { tool: 'answers', model: 'step' }

function digested(kind: EffectKind, input: unknown): unknown {
  const field = undigested[kind]
  if (field === undefined || !isRecord(input) || !(field in input)) return input
  const { [field]: _left, ...rest } = input
  return rest
}

/** Fields whose names are made with the id of the run. */
const named: ReadonlySet<string> = new Set(['runId', 'threadId', 'thread'])

/**
 * `origin`: the id with which the run makes names. It is left out of the fields that hold such names, so that runs of the same
 * course have the same digests; anywhere else it is data, as all other text.
 */
export function digestOf({ kind, input }: EffectRequest, origin: string): string {
  return digestText(kind, JSON.stringify(project(digested(kind, input), 2, origin) ?? null))
}

/** Replaces lists and toolsets by their own digests. Copies only an object that holds one, or a name. */
function project(value: unknown, depth: number, origin: string): unknown {
  if (value instanceof AppendLog || value instanceof Toolset) return value.digest
  if (depth === 0 || !isRecord(value)) return value
  let projected = value
  for (const key in value) {
    const given = value[key]
    const part =
      typeof given === 'string' && named.has(key)
        ? given.replaceAll(origin, '')
        : project(given, depth - 1, origin)
    if (part === given) continue
    if (projected === value) projected = { ...value }
    projected[key] = part
  }
  return projected
}

/** Counts the attempts of effects: how often in a row one failed for now, or was interrupted. */
class Attempts {
  /** Failed attempts in a row, by the path of the effect. */
  readonly #failed = new SparseMap<string, number>()

  /** The number of the next attempt, from 1. `effect`: the path of the effect. */
  next(effect: string): number {
    return 1 + (this.#failed.get(effect) ?? 0)
  }

  settled(effect: string, settlement: Settlement): void {
    if (isRepeated(settlement)) this.#failed.set(effect, this.next(effect))
    else this.#failed.delete(effect)
  }
}

function isRepeated({ value, error }: Settlement): boolean {
  if (error !== undefined) return error.retryable === true
  return (value as { readonly type?: unknown } | null | undefined)?.type === 'interrupted'
}

/** Whether an effect settled because its own deadline passed. */
function isTimeout(effect: PendingEffect, { error }: Settlement): boolean {
  return effect.timeout !== undefined && isTimeoutOf(effect, error)
}

function isMoment(effect: PendingEffect): boolean {
  return isKind(effect, 'timer') && effect.request.input.isMoment === true
}

function waitsForSignal(effect: PendingEffect): boolean {
  if (isKind(effect, 'timer')) {
    return effect.pausedWith !== undefined || effect.request.input.dormant === true
  }
  return effect.kind === 'signal' || effect.awaiting !== undefined
}
