/**
 * The alarms of a run's effects: timers that fire, and the deadlines of single effects. What settles when an alarm was due
 * that had not rung yet, because the process was blocked, comes after it: it is held until what the alarm leads to has been
 * delivered, and may then be late.
 */
import type { Settlement } from '../../../actors/effect.ts'
import { timeoutError, timeoutException, timeoutOf } from '../../../actors/timeouts.ts'
import { Alarms } from './alarms.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../environment.ts'
import type { JournalEntry } from '../../journal/journal.ts'
import type { PerformContext } from '../perform/context.ts'
import type { Ticket } from './pending-effect.ts'

export interface EffectAlarmsOptions {
  readonly clock: Clock
  readonly append: (entry: JournalEntry) => void
  /** `perform` keeps the deadlines of effects itself, and the clock is that of the journal. */
  readonly performKeepsDeadlines: boolean
  readonly environment: Environment
  readonly contextOf: (ticket: Ticket) => Pick<PerformContext, 'failed'>
}

interface Overtaken {
  readonly ticket: Ticket
  readonly settlement: Settlement
}

export class EffectAlarms {
  readonly #options: EffectAlarmsOptions
  readonly #alarms: Alarms
  /** Keys of what alarms have ended; the entries are on the way to the journal. */
  readonly #rung = new Set<string>()
  #overtaken: Overtaken[] = []
  /** Effects whose deadline has no alarm yet: most settle within the turn in which they start, and never need one. */
  #unlimited: Ticket[] = []
  /** No deadline without an alarm passes before this. */
  #earliest = Number.POSITIVE_INFINITY
  #callOff: (() => void) | undefined

  constructor(options: EffectAlarmsOptions) {
    this.#options = options
    this.#alarms = new Alarms(options.clock)
  }

  /** A timer fires when it is due. What was due while no process had the run comes before whatever follows. */
  schedule(ticket: Ticket): void {
    const fire = (): void => {
      if (ticket.state !== 'performing') return
      ticket.state = 'settling'
      const { key, digest, dueAt } = ticket
      this.#rung.add(key)
      this.#options.append({ type: 'timer.fired', at: 0, key, digest, dueAt })
    }
    ticket.ring = fire
    if (ticket.dueAt <= this.#options.clock.now()) fire()
    else ticket.callOff = this.#alarms.set(ticket.dueAt, fire)
  }

  /** An effect that is being performed has until its deadline. Time in which it blocked this process counts. */
  limit(ticket: Ticket): void {
    const timeout = timeoutOf(ticket.request)
    if (timeout === undefined || this.#options.performKeepsDeadlines || ticket.state !== 'performing') return
    ticket.expiresAt = ticket.startedAt + timeout
    this.#unlimited.push(ticket)
    this.#earliest = Math.min(this.#earliest, ticket.expiresAt)
    this.#callOff ??= this.#options.environment.clock.after(0, () => this.#setAlarms())
  }

  /** Nothing can be recorded any more. */
  close(): void {
    this.#callOff?.()
  }

  /** Deadlines of what is still at work get their alarms. */
  #setAlarms(now?: number): void {
    this.#callOff?.()
    this.#callOff = undefined
    this.#earliest = Number.POSITIVE_INFINITY
    const limited = this.#unlimited.filter(isAtWork)
    this.#unlimited = []
    if (limited.length === 0) return
    const at = now ?? this.#options.clock.now()
    for (const ticket of limited) {
      ticket.callOff = this.#alarms.set(ticket.expiresAt, () => this.#expire(ticket), at)
    }
    if (now === undefined) this.#alarms.ringDue(at)
  }

  #ringDue(): boolean {
    const now = this.#options.clock.now()
    if (now >= this.#earliest) this.#setAlarms(now)
    return this.#alarms.ringDue(now)
  }

  /** Its deadline has passed: it is settled by that, and its signal fires. One that was detached is no longer waited for. */
  #expire(ticket: Ticket): void {
    const isDetached = ticket.state === 'detached'
    if (!isAtWork(ticket)) return
    const entry = entryOf(ticket, { error: timeoutError(ticket.request) })
    if (!isDetached) this.#rung.add(ticket.key)
    this.#options.contextOf(ticket).failed(timeoutException(ticket.request))
    this.#options.append(isDetached ? { ...entry, late: true } : entry)
    ticket.abort('expired')
  }

  /** Rings what is due. Where anything was, the settlement is held. */
  overtakes(ticket: Ticket, settlement: Settlement): boolean {
    if (this.#options.performKeepsDeadlines || !this.#ringDue()) return false
    this.#overtaken.push({ ticket, settlement })
    return true
  }

  /** What has settled or fired is delivered. */
  delivered(key: string): void {
    this.#rung.delete(key)
  }

  /** The settlements that may be taken now. */
  takeOvertaken(): readonly Overtaken[] {
    if (this.#overtaken.length === 0 || this.#rung.size > 0) return []
    const overtaken = this.#overtaken
    this.#overtaken = []
    return overtaken
  }
}

function isAtWork({ state }: Ticket): boolean {
  return state === 'performing' || state === 'detached'
}

export function entryOf({ key, kind, digest, startedAt }: Ticket, settlement: Settlement) {
  return { type: 'effect.settled', at: 0, key, kind, digest, startedAt, settlement } as const
}
