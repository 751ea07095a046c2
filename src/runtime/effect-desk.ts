/**
 * The effects of one run: asked for, started when a delivery has ended, let go of, settled. What it learns goes to
 * the journal; what comes back from there it hands to the actor that asked.
 */
import type { Door, EffectRequest, LetGoReason, Settlement } from '../actors/effect.ts'
import { deepFreeze } from '../actors/frozen.ts'
import { parentOf } from '../actors/xstate-internals.ts'
import { toErrorData } from '../errors.ts'
import type { Clock } from './clock.ts'
import { digestOf } from './effect-digest.ts'
import type { JournalEntry } from './journal.ts'
import type { PerformContext } from './perform/context.ts'
import { errorCodes, type perform, type PerformedKind } from './perform/index.ts'
import type { SignalDesk } from './signal-desk.ts'
import { sourceOf } from './source.ts'
import { delayOf, isKind, Ticket } from './ticket.ts'

export interface EffectDeskOptions {
  readonly clock: Clock
  readonly signals: SignalDesk
  /** Logical time. */
  readonly now: () => number
  readonly append: (entry: JournalEntry) => void
  readonly contextOf: (ticket: Ticket) => PerformContext
  readonly perform: typeof perform
}

export class EffectDesk implements Door {
  /** Wanted and unsettled, by key. */
  readonly pending = new Map<string, Ticket>()
  /** Let go of and unsettled, by key. */
  readonly letGone = new Map<string, Ticket>()
  readonly #options: EffectDeskOptions
  readonly #tickets = new Map<EffectRequest, Ticket>()
  readonly #keyCounters = new Map<string, number>()
  #requested: Ticket[] = []
  #paused = 0
  #isClosed = false

  constructor(options: EffectDeskOptions) {
    this.#options = options
  }

  /** How many effects will settle without a person. A paused timer waits for one. */
  get inFlight(): number {
    return this.pending.size - this.#options.signals.size - this.#paused
  }

  // --- what machines do -----------------------------------------------------------------------------------------

  request(request: EffectRequest): void {
    const { now, signals } = this.#options
    const source = sourceOf(parentOf(request.ref) ?? request.ref)
    const base = `${source.path}/${request.ref.id}`
    const count = (this.#keyCounters.get(base) ?? 0) + 1
    this.#keyCounters.set(base, count)
    const ticket = new Ticket(request, `${base}#${count}`, digestOf(request), source)
    this.#tickets.set(request, ticket)
    this.pending.set(ticket.key, ticket)
    if (isKind(ticket, 'signal')) signals.open(ticket)
    if (isKind(ticket, 'timer')) ticket.dueAt = now() + delayOf(ticket)
    this.#requested.push(ticket)
  }

  letGo(request: EffectRequest, reason: LetGoReason): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.state === 'settled') return
    this.#forget(ticket)
    this.letGone.set(ticket.key, ticket)
    if (isKind(ticket, 'signal')) this.#options.signals.expired(ticket)
    ticket.callOff?.()
    const isAtWork = ticket.state === 'performing' && ticket.callOff === undefined
    if (reason === 'detach' && isAtWork) ticket.state = 'detached'
    else ticket.abort()
  }

  pause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.pausedWith !== undefined) return
    ticket.pausedWith = Math.max(0, ticket.dueAt - this.#options.now())
    this.#paused++
    ticket.callOff?.()
  }

  unpause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket?.pausedWith === undefined) return
    ticket.dueAt = this.#options.now() + ticket.pausedWith
    ticket.pausedWith = undefined
    this.#paused--
    if (ticket.state === 'performing') this.#schedule(ticket)
  }

  // --- what the journal brings ----------------------------------------------------------------------------------

  deliverStarted(key: string): void {
    const ticket = this.pending.get(key)
    if (ticket?.state !== 'starting') return
    ticket.state = 'requested'
    ticket.isRecorded = true
    this.#requested.push(ticket)
  }

  deliver(key: string, settlement: Settlement): void {
    const ticket = this.pending.get(key)
    this.letGone.delete(key)
    if (ticket === undefined) return // let go of while its outcome was on the way
    ticket.state = 'settled'
    this.#forget(ticket)
    ticket.request.ref.send({ type: 'effect.settled', settlement })
  }

  // --- what the engine does -------------------------------------------------------------------------------------

  /** Starts what was asked for during the deliveries of this turn, if it is still wanted. */
  startRequested(): void {
    const requested = this.#requested
    this.#requested = []
    for (const ticket of requested) if (ticket.state === 'requested') this.#start(ticket)
  }

  /** Gives everything up: nothing can be recorded any more. */
  close(): void {
    this.#isClosed = true
    for (const ticket of this.pending.values()) {
      ticket.callOff?.()
      ticket.abort()
    }
  }

  #start(ticket: Ticket): void {
    const { append, clock, contextOf, perform } = this.#options
    const { key, kind, digest } = ticket
    if (kind === 'tool' && !ticket.isRecorded) {
      ticket.state = 'starting'
      append({ type: 'effect.started', at: 0, key, kind, digest })
      return
    }
    ticket.state = 'performing'
    ticket.startedAt = clock.now()
    if (kind === 'signal') return
    if (kind === 'timer') {
      if (ticket.pausedWith === undefined) this.#schedule(ticket)
      return
    }
    perform(ticket.request as EffectRequest<PerformedKind>, contextOf(ticket)).then(
      (value) => this.#settle(ticket, { value: deepFreeze(value) }),
      (thrown: unknown) =>
        this.#settle(ticket, { error: toErrorData(thrown, errorCodes[kind as PerformedKind]) }),
    )
  }

  #schedule(ticket: Ticket): void {
    const { append, clock } = this.#options
    ticket.callOff = clock.after(ticket.dueAt - clock.now(), () => {
      if (ticket.state !== 'performing') return
      ticket.state = 'settling'
      const { key, digest, dueAt } = ticket
      append({ type: 'timer.fired', at: 0, key, digest, dueAt })
    })
  }

  #settle(ticket: Ticket, settlement: Settlement): void {
    if (this.#isClosed) return
    const { key, kind, digest, startedAt, state } = ticket
    const entry = { type: 'effect.settled', at: 0, key, kind, digest, startedAt, settlement } as const
    if (state === 'performing') {
      ticket.state = 'settling'
      this.#options.append(entry)
    } else {
      this.letGone.delete(key)
      if (state === 'detached') this.#options.append({ ...entry, late: true })
    }
  }

  #forget(ticket: Ticket): void {
    this.pending.delete(ticket.key)
    this.#tickets.delete(ticket.request)
    if (ticket.pausedWith !== undefined) this.#paused--
    ticket.pausedWith = undefined
  }
}
