/**
 * Runs the effects of one run: it starts requested effects when a delivery has ended, settles them, and lets them go.
 * Outcomes go to the journal; from there they are delivered to the actor that requested the effect.
 */
import { SparseMap } from '../../../actors/values/sparse.ts'
import { below, effectKey, effectOf } from '../../../actors/actor-path.ts'
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { Door, EffectRequest, LetGoReason, Settlement } from '../../../actors/effect.ts'
import { sendsMessage } from '../../../actors/remote/remote-effects.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { isTimeoutOf, timeoutError } from '../../state/effects/deadline.ts'
import { parentOf } from '../../../actors/xstate-internals.ts'
import { toErrorData, type ErrorData, type TroupeError } from '../../../errors.ts'
import { Attempts } from '../../state/effects/attempts.ts'
import type { RunLimits } from '../../state/effects/run-limits.ts'
import { EffectAlarms, entryOf, type AlarmedRun, type TimedPerformer } from './effect-alarms.ts'
import { digestOf } from '../../state/effects/effect-digest.ts'
import { errorCodes, type PerformedKind } from '../perform/kinds.ts'
import type { OpenSignals } from '../../state/signals/open-signals.ts'
import { sourceOf } from '../../actor-source.ts'
import {
  countsAsModelCall,
  delayOf,
  isKind,
  isOfLastTurn,
  modelCalledBy,
  PendingEffect,
} from '../../state/effects/pending-effect.ts'
import { ToolStarts } from '../../state/effects/tool-starts.ts'

/** The run that the effects belong to. */
interface EffectsRun extends AlarmedRun {
  /** The id with which the run makes names. */
  readonly origin: string
  readonly signals: OpenSignals
  readonly limits: Pick<RunLimits, 'budget' | 'lastTurnTimeout'>
  /** Logical time. */
  readonly now: number
  /** The number of journal entries that were delivered. */
  readonly delivered: number
  /** A machine has let go of an effect. */
  wasLetGo(effect: PendingEffect): void
}

/** What performs the effects. */
export interface EffectPerformer extends TimedPerformer {
  perform(effect: PendingEffect): PromiseLike<EffectOutcome<PerformedKind>>
  /** Whether the start of a tool is recorded before the tool runs. */
  recordsStart(effect: PendingEffect): boolean
}

export class EffectRunner implements Door {
  /** Wanted and unsettled, by key. */
  readonly pending = new SparseMap<string, PendingEffect>()
  /** Let go of and unsettled, by key. */
  readonly letGone = new SparseMap<string, PendingEffect>()
  readonly #run: EffectsRun
  readonly #performer: EffectPerformer
  readonly #effects = new SparseMap<EffectRequest, PendingEffect>()
  readonly #keyCounters = new SparseMap<string, number>()
  readonly #alarms: EffectAlarms
  #requested: PendingEffect[] = []
  readonly #starts = new ToolStarts()
  readonly #attempts = new Attempts()
  #isClosed = false

  constructor(run: EffectsRun, performer: EffectPerformer) {
    this.#run = run
    this.#performer = performer
    this.#alarms = new EffectAlarms(run, performer)
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
    const { now, delivered, origin, signals } = this.#run
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
    this.#requested.push(effect)
  }

  letGo(request: EffectRequest, reason: LetGoReason, cause?: ErrorData): void {
    const effect = this.#effects.get(request)
    if (effect === undefined || effect.state === 'settled') return
    this.#begun(effect.key)
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

  /** The time of the run is up: last turns that are under way, or that are requested from now on, have a share of the rest. */
  limitLastTurns(): void {
    for (const effect of this.pending.values()) {
      if (!this.#limitLastTurn(effect)) continue
      effect.limited?.()
      this.#alarms.limit(effect)
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
    if (effect.state === 'performing') this.#alarms.schedule(effect)
  }

  /** Time passes that counts for no timer: only in a replay, which sets none. */
  postpone(span: number): void {
    for (const effect of this.pending.values()) {
      if (isKind(effect, 'timer') && effect.pausedWith === undefined) effect.dueAt += span
    }
  }

  // --- entries of the journal -----------------------------------------------------------------------------------

  deliverStarted(key: string): void {
    const effect = this.pending.get(key)
    if (effect === undefined) return
    this.#starts.recorded(effect)
    effect.isRecorded = true
    effect.startedAt = this.#run.now
    if (effect.state !== 'starting') return // in a replay
    effect.state = 'requested'
    this.#requested.push(effect)
  }

  deliver(key: string, settlement: Settlement): void {
    this.#alarms.delivered(key)
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

  // --- calls of the engine --------------------------------------------------------------------------------------

  /** Starts the effects that were requested during the deliveries of this turn, if they are still wanted. */
  startRequested(): void {
    if (this.#isClosed) return
    for (const { effect, settlement } of this.#alarms.takeOvertaken()) this.#settle(effect, settlement)
    const requested = this.#requested
    this.#requested = []
    for (const effect of requested) if (effect.state === 'requested') this.#start(effect)
  }

  /** After a restart, settles started tools as interrupted: their progress is unknown. Their machines decide. */
  interrupt(): void {
    const { uncertain } = this.#starts
    for (const effect of this.pending.values()) {
      if (!effect.isRecorded || effect.state !== 'requested') continue
      effect.state = 'performing'
      const doubt = uncertain.has(effect) ? { isUncertain: true as const } : {}
      this.#settle(effect, { value: { type: 'interrupted', ...doubt } })
    }
  }

  /** The deadline of an effect that is in progress passes now. */
  expire(key: string): void {
    const effect = this.effectOf(key)
    if (effect !== undefined) this.#alarms.expire(effect)
  }

  /** Aborts all effects: nothing can be recorded any more. `reason`: of their signals. */
  close(reason?: TroupeError): void {
    this.#isClosed = true
    this.#alarms.close()
    for (const effect of this.pending.values()) {
      effect.callOff?.()
      effect.abort('aborted', reason)
    }
    for (const effect of this.letGone.values()) effect.callOff?.()
  }

  #start(effect: PendingEffect): void {
    const performer = this.#performer
    const { key, kind } = effect
    if (hasStart(effect) && !effect.isRecorded && performer.recordsStart(effect)) {
      if (this.#starts.admits(effect)) this.#record(effect)
      return
    }
    effect.state = 'performing'
    effect.startedAt = this.#run.clock.now()
    if (kind === 'tool') effect.begun = this.#beginnerOf(key)
    if (effect.timeout === 0) {
      this.#settle(effect, { error: timeoutError(effect) }) // other last turns have used up the time
      return
    }
    if (!this.#isAffordable(effect)) return
    if (kind === 'signal') return
    if (kind === 'timer') {
      if (effect.pausedWith === undefined) this.#alarms.schedule(effect)
      return
    }
    performer.perform(effect).then(
      (value) => this.#settle(effect, { value: deepFreeze(value) }),
      (thrown: unknown) =>
        this.#settle(effect, { error: toErrorData(thrown, errorCodes[kind as PerformedKind]) }),
    )
    this.#alarms.limit(effect)
  }

  #record(effect: PendingEffect): void {
    const { key, kind, digest } = effect
    effect.state = 'starting'
    this.#run.append({ type: 'effect.started', at: 0, key, kind, digest })
  }

  /** Made apart from its assignment: see docs/design/decisions/performance.md#functions-of-a-run-are-young. */
  #beginnerOf(key: string): () => void {
    return () => this.#begun(key)
  }

  /** The user's code is called now, or never will be. */
  #begun(key: string): void {
    const next = this.#isClosed ? undefined : this.#starts.released(key)
    if (next !== undefined) this.#record(next)
  }

  #settle(effect: PendingEffect, settlement: Settlement): void {
    if (this.#isClosed) return
    this.#begun(effect.key)
    if (this.#alarms.overtakes(effect, settlement)) return
    const { key, state } = effect
    const entry = entryOf(effect, settlement)
    if (state === 'performing') {
      effect.state = 'settling'
      effect.callOff?.()
      this.#run.append(entry)
    } else {
      effect.callOff?.()
      // An error after a deadline comes from the abort signal that fired.
      const isRecorded = state === 'detached' || (state === 'expired' && settlement.error === undefined)
      effect.state = 'settled'
      if (isRecorded) this.#run.append({ ...entry, late: true })
      else this.letGone.delete(key)
    }
  }

  /** A final turn is made beyond the limits, but not where they cannot be checked. */
  #isAffordable(effect: PendingEffect): boolean {
    const { budget } = this.#run.limits
    const model = modelCalledBy(effect)
    if (budget === undefined || model === undefined) return true
    try {
      if (!countsAsModelCall(effect)) {
        budget.assertKnown()
        return true
      }
      budget.take(model, effect.startedAt)
      effect.hasReservation = true
      return true
    } catch (error) {
      this.#settle(effect, { error: toErrorData(error) })
      return false
    }
  }

  #forget(effect: PendingEffect): void {
    if (effect.hasReservation) this.#run.limits.budget?.giveBack()
    effect.hasReservation = false
    this.pending.delete(effect.key)
    this.#effects.delete(effect.request)
    effect.pausedWith = undefined
  }
}

/** Whether it matters that the effect has begun: a tool, or a message to the server of another system. */
function hasStart(effect: PendingEffect): boolean {
  return effect.kind === 'tool' || (isKind(effect, 'remote') && sendsMessage(effect.request.input))
}

/** Whether an effect settled because its own deadline passed. */
function isTimeout(effect: PendingEffect, { error }: Settlement): boolean {
  return effect.timeout !== undefined && isTimeoutOf(effect, error)
}

function waitsForSignal(effect: PendingEffect): boolean {
  if (isKind(effect, 'timer')) {
    return effect.pausedWith !== undefined || effect.request.input.dormant === true
  }
  return effect.kind === 'signal' || effect.awaiting !== undefined
}
