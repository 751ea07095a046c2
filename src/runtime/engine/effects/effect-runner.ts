/**
 * The effects of one run: asked for, started when a delivery has ended, let go of, settled. What it learns goes to
 * the journal; what comes back from there it hands to the actor that asked.
 */
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { Door, EffectRequest, LetGoReason, Settlement } from '../../../actors/effect.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { isTimeoutOf, timeoutOf } from '../../../actors/timeouts.ts'
import { parentOf } from '../../../actors/xstate-internals.ts'
import { toErrorData } from '../../../errors.ts'
import type { Budget } from './budget.ts'
import { EffectAlarms, entryOf, type EffectAlarmsOptions } from './effect-alarms.ts'
import { digestOf } from './effect-digest.ts'
import type { PerformContext } from '../perform/context.ts'
import { errorCodes, type PerformedKind } from '../perform/index.ts'
import type { OpenSignals } from '../signals/open-signals.ts'
import { sourceOf } from '../../actor-source.ts'
import { delayOf, isKind, Ticket } from './pending-effect.ts'
import { ToolStarts } from './tool-starts.ts'

/** Does what an effect asks for. */
export type Perform = (
  request: EffectRequest<PerformedKind>,
  context: PerformContext,
  ticket: Ticket,
) => PromiseLike<EffectOutcome<PerformedKind>>

export interface EffectDeskOptions extends EffectAlarmsOptions {
  readonly runId: string
  readonly signals: OpenSignals
  /** Logical time. */
  readonly now: () => number
  readonly contextOf: (ticket: Ticket) => PerformContext
  readonly perform: Perform
  /** Whether it is on record that a tool was started, before it is. */
  readonly recordsStart: (ticket: Ticket) => boolean
  readonly budget: Budget | undefined
}

export class EffectDesk implements Door {
  /** Wanted and unsettled, by key. */
  readonly pending = new Map<string, Ticket>()
  /** Let go of and unsettled, by key. */
  readonly letGone = new Map<string, Ticket>()
  readonly #options: EffectDeskOptions
  readonly #tickets = new Map<EffectRequest, Ticket>()
  readonly #keyCounters = new Map<string, number>()
  readonly #alarms: EffectAlarms
  #requested: Ticket[] = []
  readonly #starts = new ToolStarts()
  #isClosed = false

  constructor(options: EffectDeskOptions) {
    this.#options = options
    this.#alarms = new EffectAlarms(options)
  }

  /** Whether an effect will settle without a person. A paused timer waits for one, a dormant one beside one. */
  get isBusy(): boolean {
    for (const ticket of this.pending.values()) if (!isResting(ticket)) return true
    return false
  }

  /** Whether a tool that the run has let go of is still at work: its outcome will be recorded. */
  get isDraining(): boolean {
    for (const ticket of this.letGone.values()) if (ticket.state === 'detached') return true
    return false
  }

  /** When the first dormant timer is due: a run that only waits for a person must be there by then. */
  get wakeAt(): number | undefined {
    let earliest: number | undefined
    for (const ticket of this.pending.values()) {
      if (isKind(ticket, 'timer') && ticket.pausedWith === undefined)
        earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, ticket.dueAt)
    }
    return earliest
  }

  /** That of an effect which has not settled, be it wanted or let go of. */
  ticketOf(key: string): Ticket | undefined {
    return this.pending.get(key) ?? this.letGone.get(key)
  }

  // --- what machines do -----------------------------------------------------------------------------------------

  request(request: EffectRequest): void {
    const { now, runId, signals } = this.#options
    const source = sourceOf(parentOf(request.ref) ?? request.ref)
    const base = `${source.path}/${request.ref.id}`
    const count = (this.#keyCounters.get(base) ?? 0) + 1
    this.#keyCounters.set(base, count)
    const ticket = new Ticket(request, `${base}#${count}`, digestOf(request, runId), source)
    this.#tickets.set(request, ticket)
    this.pending.set(ticket.key, ticket)
    if (isKind(ticket, 'signal')) signals.open(ticket.key, ticket.request.input)
    if (isKind(ticket, 'timer')) ticket.dueAt = now() + delayOf(ticket)
    this.#requested.push(ticket)
  }

  letGo(request: EffectRequest, reason: LetGoReason): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.state === 'settled') return
    this.#begun(ticket.key)
    this.#forget(ticket)
    this.letGone.set(ticket.key, ticket)
    this.#options.budget?.letGo(ticket)
    if (isKind(ticket, 'signal')) this.#options.signals.expired(ticket.key, ticket.request.input)
    const isAtWork = ticket.state === 'performing' && ticket.kind !== 'signal' && ticket.kind !== 'timer'
    if (reason === 'detach' && isAtWork) {
      ticket.state = 'detached' // its own deadline holds
      return
    }
    ticket.callOff?.()
    ticket.abort(reason === 'expire' && isAtWork ? 'expired' : 'aborted')
  }

  pause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.pausedWith !== undefined) return
    ticket.pausedWith = Math.max(0, ticket.dueAt - this.#options.now())
    ticket.callOff?.()
  }

  unpause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket?.pausedWith === undefined) return
    ticket.dueAt = this.#options.now() + ticket.pausedWith
    ticket.pausedWith = undefined
    if (ticket.state === 'performing') this.#alarms.schedule(ticket)
  }

  // --- what the journal brings ----------------------------------------------------------------------------------

  deliverStarted(key: string): void {
    const ticket = this.pending.get(key)
    if (ticket === undefined) return
    this.#starts.recorded(ticket)
    ticket.isRecorded = true
    ticket.startedAt = this.#options.now()
    if (ticket.state !== 'starting') return // a journal is read
    ticket.state = 'requested'
    this.#requested.push(ticket)
  }

  deliver(key: string, settlement: Settlement): void {
    this.#alarms.delivered(key)
    this.#starts.passed()
    const ticket = this.pending.get(key)
    const known = this.ticketOf(key)
    this.letGone.delete(key)
    const hasTimedOut = known !== undefined && isTimeout(known, settlement)
    if (hasTimedOut) this.letGone.set(key, known) // what comes of it late is recorded
    if (ticket === undefined) return // let go of while its outcome was on the way
    ticket.callOff?.()
    this.#forget(ticket)
    if (!hasTimedOut) ticket.state = 'settled'
    else if (ticket.state !== 'settled') ticket.abort('expired')
    ticket.request.ref.send({ type: 'effect.settled', settlement })
  }

  /** What came of an effect that the run had let go of is on record. */
  deliverLate(key: string): void {
    if (this.letGone.get(key)?.state === 'settled') this.letGone.delete(key)
  }

  // --- what the engine does -------------------------------------------------------------------------------------

  /** Starts what was asked for during the deliveries of this turn, if it is still wanted. */
  startRequested(): void {
    if (this.#isClosed) return
    for (const { ticket, settlement } of this.#alarms.takeOvertaken()) this.#settle(ticket, settlement)
    const requested = this.#requested
    this.#requested = []
    for (const ticket of requested) if (ticket.state === 'requested') this.#start(ticket)
  }

  /** After a restart: of a tool that had started nobody knows how far it came. Its machine decides. */
  interrupt(): void {
    const { uncertain } = this.#starts
    for (const ticket of this.pending.values()) {
      if (!ticket.isRecorded || ticket.state !== 'requested') continue
      ticket.state = 'performing'
      const doubt = uncertain.has(ticket) ? { isUncertain: true as const } : {}
      this.#settle(ticket, { value: { type: 'interrupted', ...doubt } })
    }
  }

  /** Gives everything up: nothing can be recorded any more. */
  close(): void {
    this.#isClosed = true
    this.#alarms.close()
    for (const ticket of this.pending.values()) {
      ticket.callOff?.()
      ticket.abort()
    }
    for (const ticket of this.letGone.values()) ticket.callOff?.()
  }

  #start(ticket: Ticket): void {
    const { clock, contextOf, perform, recordsStart } = this.#options
    const { key, kind } = ticket
    if (kind === 'tool' && !ticket.isRecorded && recordsStart(ticket)) {
      if (this.#starts.admits(ticket)) this.#record(ticket)
      return
    }
    ticket.state = 'performing'
    ticket.startedAt = clock.now()
    if (kind === 'tool') ticket.begun = () => this.#begun(key)
    if (isKind(ticket, 'model') && !this.#isAffordable(ticket)) return
    if (kind === 'signal') return
    if (kind === 'timer') {
      if (ticket.pausedWith === undefined) this.#alarms.schedule(ticket)
      return
    }
    perform(ticket.request as EffectRequest<PerformedKind>, contextOf(ticket), ticket).then(
      (value) => this.#settle(ticket, { value: deepFreeze(value) }),
      (thrown: unknown) =>
        this.#settle(ticket, { error: toErrorData(thrown, errorCodes[kind as PerformedKind]) }),
    )
    this.#alarms.limit(ticket)
  }

  #record(ticket: Ticket): void {
    const { key, kind, digest } = ticket
    ticket.state = 'starting'
    this.#options.append({ type: 'effect.started', at: 0, key, kind, digest })
  }

  /** The user's code is called now, or never will be. */
  #begun(key: string): void {
    const next = this.#isClosed ? undefined : this.#starts.released(key)
    if (next !== undefined) this.#record(next)
  }

  #settle(ticket: Ticket, settlement: Settlement): void {
    if (this.#isClosed) return
    this.#begun(ticket.key)
    if (this.#alarms.overtakes(ticket, settlement)) return
    const { key, state } = ticket
    const entry = entryOf(ticket, settlement)
    if (state === 'performing') {
      ticket.state = 'settling'
      ticket.callOff?.()
      this.#options.append(entry)
    } else {
      ticket.callOff?.()
      // An error after a deadline is that of the signal that fired.
      const isRecorded = state === 'detached' || (state === 'expired' && settlement.error === undefined)
      ticket.state = 'settled'
      if (isRecorded) this.#options.append({ ...entry, late: true })
      else this.letGone.delete(key)
    }
  }

  /** A final turn is made beyond the limits, but not where they cannot be checked. */
  #isAffordable(ticket: Ticket<'model'>): boolean {
    const { budget } = this.#options
    if (budget === undefined) return true
    try {
      if (ticket.request.input.finalTurn === true) {
        budget.assertKnown()
        return true
      }
      budget.take(ticket.request.input.model, ticket.startedAt)
      ticket.giveBack = () => budget.giveBack()
      return true
    } catch (error) {
      this.#settle(ticket, { error: toErrorData(error) })
      return false
    }
  }

  #forget(ticket: Ticket): void {
    ticket.giveBack?.()
    this.pending.delete(ticket.key)
    this.#tickets.delete(ticket.request)
    ticket.pausedWith = undefined
  }
}

/** Whether it settled because its own deadline passed. */
function isTimeout(ticket: Ticket, { error }: Settlement): boolean {
  return timeoutOf(ticket.request) !== undefined && isTimeoutOf(ticket, error)
}

function isResting(ticket: Ticket): boolean {
  if (isKind(ticket, 'timer')) {
    return ticket.pausedWith !== undefined || ticket.request.input.dormant === true
  }
  return ticket.kind === 'signal' || ticket.awaiting !== undefined
}
