/**
 * The alarms of a run's effects: timers that fire, and the deadlines of single effects. A settlement that arrives while
 * a due alarm has not rung, because the process was blocked, comes after that alarm: it is kept back until the entry of
 * the alarm has been delivered, and may then be late.
 */
import { withModel } from './settled-model.ts'
import { SparseSet } from '../../../actors/values/sparse.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { timeoutError, timeoutException } from '../../state/effects/deadline.ts'
import type { Clock } from '../../clock.ts'
import { whenTurnEnds, type Environment } from '../../environment.ts'
import type { EffectSettled, JournalEntry } from '../../journal/journal.ts'
import { chargeOf } from '../../tenants/tenant-charge.ts'
import { modelCalledBy, type PendingEffect } from '../../state/effects/pending-effect.ts'

/** The run that the alarms belong to. */
export interface AlarmedRun {
  readonly clock: Clock
  append(entry: JournalEntry): void
}

/** What performs the effects that have deadlines. */
export interface TimedPerformer {
  /** It keeps the deadlines of effects itself, and the clock is that of the journal. */
  readonly keepsDeadlines: boolean
  readonly environment: Environment
  /** Reports an exception of the user's code. */
  failed(effect: PendingEffect, thrown: unknown): void
}

interface Overtaken {
  readonly effect: PendingEffect
  readonly settlement: Settlement
}

export class EffectAlarms {
  readonly #run: AlarmedRun
  readonly #performer: TimedPerformer
  readonly #alarms: Alarms
  /** Keys of effects that alarms have ended; their entries are not delivered yet. */
  readonly #rung = new SparseSet<string>()
  #overtaken: Overtaken[] = []
  /** Effects whose deadline has no alarm yet: most settle within the turn in which they start, and never need one. */
  #unlimited: PendingEffect[] = []
  /** No deadline without an alarm passes before this. */
  #earliest = Number.POSITIVE_INFINITY
  #callOff: (() => void) | undefined

  constructor(run: AlarmedRun, performer: TimedPerformer) {
    this.#run = run
    this.#performer = performer
    this.#alarms = new Alarms(run.clock)
  }

  /** Fires a timer when it is due. A timer that was due while no process owned the run fires before any later entry. */
  schedule(effect: PendingEffect): void {
    const fire = (): void => {
      if (effect.state !== 'performing') return
      effect.state = 'settling'
      const { key, digest, dueAt } = effect
      this.#rung.add(key)
      this.#run.append({ type: 'timer.fired', at: 0, key, digest, dueAt })
    }
    effect.ring = fire
    if (effect.dueAt <= this.#run.clock.now()) fire()
    else effect.callOff = this.#alarms.set(effect.dueAt, fire)
  }

  /** Limits an effect that is being performed to its deadline. Time in which it blocked this process counts. */
  limit(effect: PendingEffect): void {
    const { timeout } = effect
    if (timeout === undefined || this.#performer.keepsDeadlines || effect.state !== 'performing') return
    if (effect.kind === 'tool') {
      effect.deadline = new PausableDeadline(effect, this.#run.clock, () => this.#limit(effect))
    }
    effect.expiresAt = effect.startedAt + timeout
    this.#limit(effect)
  }

  #limit(effect: PendingEffect): void {
    effect.callOff?.()
    if (!this.#unlimited.includes(effect)) this.#unlimited.push(effect)
    this.#earliest = Math.min(this.#earliest, effect.expiresAt)
    this.#callOff ??= whenTurnEnds(this.#performer.environment, () => this.#setAlarms())
  }

  /** Nothing can be recorded any more. */
  close(): void {
    this.#callOff?.()
  }

  /** Sets the alarms of the effects that are still in progress. */
  #setAlarms(now?: number): void {
    this.#callOff?.()
    this.#callOff = undefined
    this.#earliest = Number.POSITIVE_INFINITY
    const limited = this.#unlimited.filter(
      (effect) => isAtWork(effect) && effect.expiresAt < Number.POSITIVE_INFINITY,
    )
    this.#unlimited = []
    if (limited.length === 0) return
    const at = now ?? this.#run.clock.now()
    for (const effect of limited) {
      effect.callOff = this.#alarms.set(effect.expiresAt, () => this.expire(effect), at)
    }
    if (now === undefined) this.#alarms.ringDue(at)
  }

  #ringDue(): boolean {
    const now = this.#run.clock.now()
    if (now >= this.#earliest) this.#setAlarms(now)
    return this.#alarms.ringDue(now)
  }

  /**
   * Settles an effect whose deadline has passed, and fires its abort signal. The run stops waiting for a detached one.
   */
  expire(effect: PendingEffect): void {
    const isDetached = effect.state === 'detached'
    if (!isAtWork(effect)) return
    const error = timeoutError(effect)
    const entry = entryOf(effect, { error })
    if (!isDetached) this.#rung.add(effect.key)
    this.#performer.failed(effect, timeoutException(effect))
    this.#run.append(isDetached ? { ...entry, late: true } : entry)
    effect.abort('expired', error)
  }

  /** Rings the alarms that are due. If there were any, keeps the settlement back and returns `true`. */
  overtakes(effect: PendingEffect, settlement: Settlement): boolean {
    if (this.#performer.keepsDeadlines || !this.#ringDue()) return false
    this.#overtaken.push({ effect, settlement })
    return true
  }

  /** Notes that the entry of an effect was delivered. */
  delivered(key: string): void {
    this.#rung.delete(key)
  }

  /** Takes the settlements that may be recorded now. */
  takeOvertaken(): readonly Overtaken[] {
    if (this.#overtaken.length === 0 || this.#rung.size > 0) return []
    const overtaken = this.#overtaken
    this.#overtaken = []
    return overtaken
  }
}

interface Alarm {
  readonly at: number
  readonly ring: () => void
  callOff: () => void
}

/**
 * The alarms of one run: its timers, and the deadlines of its effects. An alarm that is due rings before any later
 * entry is recorded, even where the process was blocked and its timers could not fire.
 */
class Alarms {
  readonly #clock: Clock
  readonly #set = new SparseSet<Alarm>()
  /** No alarm is due before this. */
  #earliest = Number.POSITIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Sets an alarm that rings once, at `at` or as soon after as the process can. Returns the function that cancels it.
   */
  set(at: number, ring: () => void, now = this.#clock.now()): () => void {
    const alarm: Alarm = { at, ring, callOff: () => undefined }
    this.#set.add(alarm)
    this.#earliest = Math.min(this.#earliest, at)
    alarm.callOff = this.#clock.after(at - now, () => {
      if (this.#set.delete(alarm)) ring()
    })
    return () => {
      if (this.#set.delete(alarm)) alarm.callOff()
    }
  }

  /** Rings the alarms that are due at `now`, the earliest first. Returns whether there were any. */
  ringDue(now: number): boolean {
    if (now < this.#earliest) return false
    const due = [...this.#set].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    for (const alarm of due) {
      if (!this.#set.delete(alarm)) continue // an alarm that rang before it has cancelled it
      alarm.callOff()
      alarm.ring()
    }
    this.#earliest = Number.POSITIVE_INFINITY
    for (const { at } of this.#set) this.#earliest = Math.min(this.#earliest, at)
    return due.length > 0
  }
}

/** The deadline of an effect that may be held: the time for which it is held does not count. */
class PausableDeadline {
  readonly #effect: PendingEffect
  readonly #clock: Clock
  readonly #limit: () => void
  /** The rest of its time while it is held. */
  #left: number | undefined

  constructor(effect: PendingEffect, clock: Clock, limit: () => void) {
    this.#effect = effect
    this.#clock = clock
    this.#limit = limit
  }

  pause(): void {
    const effect = this.#effect
    if (this.#left !== undefined || !isAtWork(effect)) return
    this.#left = effect.expiresAt - this.#clock.now()
    effect.expiresAt = Number.POSITIVE_INFINITY
    effect.callOff?.()
    effect.callOff = undefined
  }

  resume(): void {
    const effect = this.#effect
    const left = this.#left
    if (left === undefined) return
    this.#left = undefined
    effect.expiresAt = this.#clock.now() + left
    if (isAtWork(effect)) this.#limit()
  }
}

function isAtWork({ state }: PendingEffect): boolean {
  return state === 'performing' || state === 'detached'
}

export function entryOf(effect: PendingEffect, outcome: Settlement): EffectSettled {
  const settlement = withModel(effect, outcome)
  const { key, kind, digest, startedAt, nested, grant } = effect
  const spent = nested && [...nested].map(([runId, spending]) => ({ runId, ...spending }))
  const entry = { type: 'effect.settled', at: 0, key, kind, digest, startedAt, settlement } as const
  if (grant !== undefined)
    return { ...entry, charge: chargeOf(grant, settlement, modelCalledBy(effect) ?? '') }
  return spent === undefined ? entry : { ...entry, nested: spent }
}
