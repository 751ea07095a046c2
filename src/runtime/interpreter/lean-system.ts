/**
 * The actor system of a run whose charts tables interpret: it does what XState's does, and makes its parts at their first use.
 * Nothing of a run has a key in its system, a delay or an inspector unless an app adds one. A delay of more than 24 days is
 * waited for, where XState's ends at once. Verified on xstate 5.33.
 */
import {
  toObserver,
  type AnyActorRef,
  type AnyEventObject,
  type InspectionEvent,
  type Observer,
  type Subscription,
} from 'xstate'
import { platformTimers } from '../../actors/values/timer.ts'
import type { HostClock } from '../../actors/xstate-internals.ts'
import { clockOn, systemClock } from '../clock.ts'

/** An actor as its system calls it. */
interface Member {
  readonly sessionId: string
  _send(event: AnyEventObject): void
}

interface ScheduledEvent {
  readonly source: Member
  readonly target: Member
  readonly event: AnyEventObject
  readonly delay: number
  readonly id: string
  readonly startedAt: number
}

type Inspector = Observer<InspectionEvent> | ((event: InspectionEvent) => void)

/** Makes inspectors safe to call. */
export interface InspectorGuard {
  guarded(inspector: Observer<InspectionEvent>): Observer<InspectionEvent>
}

// oxlint-disable-next-line no-console -- the logger of XState's systems
const log = (...all: unknown[]): void => console.log(...all)

let booked = 0

export class LeanSystem {
  readonly scheduler: Scheduler
  readonly _clock: HostClock
  readonly _logger = log
  readonly #root: Member
  readonly #guard: InspectorGuard | undefined
  #keyed: Map<string, AnyActorRef> | undefined
  #inspectors: Set<Observer<InspectionEvent>> | undefined

  constructor(root: Member, clock: HostClock = platformTimers, guard?: InspectorGuard) {
    this.#root = root
    this.#guard = guard
    this._clock = clock
    this.scheduler = new Scheduler(this, clock)
  }

  get _snapshot(): { readonly _scheduledEvents: Readonly<Record<string, ScheduledEvent>> } {
    return { _scheduledEvents: this.scheduler.events }
  }

  /** The ids of XState begin with "x": no two actors of a process have the same. */
  _bookId(): string {
    return `t:${booked++}`
  }

  _register(sessionId: string): string {
    return sessionId
  }

  _unregister(actor: unknown): void {
    for (const [key, keyed] of this.#keyed ?? []) if (keyed === actor) this.#keyed?.delete(key)
  }

  _set(systemId: string, actor: AnyActorRef): void {
    const existing = this.#keyed?.get(systemId)
    if (existing !== undefined && existing !== actor)
      throw new Error(`Actor with system ID '${systemId}' already exists.`)
    this.#keyed ??= new Map()
    this.#keyed.set(systemId, actor)
  }

  // --- for apps: bound, since an app may take one by itself -----------------------------------------------------

  get get(): (systemId: string) => AnyActorRef | undefined {
    return (systemId) => this.#keyed?.get(systemId)
  }

  get getAll(): () => Record<string, AnyActorRef> {
    return () => Object.fromEntries(this.#keyed ?? [])
  }

  get getSnapshot(): () => LeanSystem['_snapshot'] {
    return () => this._snapshot
  }

  get inspect(): (inspector: Inspector) => Subscription {
    return (inspector) => {
      const given = toObserver(inspector)
      const observer = this.#guard?.guarded(given) ?? given
      this.#inspectors ??= new Set()
      this.#inspectors.add(observer)
      return { unsubscribe: () => void this.#inspectors?.delete(observer) }
    }
  }

  // --- for actors -----------------------------------------------------------------------------------------------

  _sendInspectionEvent(event: object): void {
    if (this.#inspectors === undefined || this.#inspectors.size === 0) return
    const seen = { ...event, rootId: this.#root.sessionId } as InspectionEvent
    for (const inspector of this.#inspectors) inspector.next?.(seen)
  }

  _relay(source: Member | undefined, target: Member, event: AnyEventObject): void {
    this._sendInspectionEvent({ type: '@xstate.event', sourceRef: source, actorRef: target, event })
    target._send(event)
  }

  /** Events are scheduled when they are sent: none waits for the start. */
  start(): void {
    // nothing to do
  }
}

class Scheduler {
  readonly #system: LeanSystem
  readonly #timers: HostClock
  #waiting: Map<string, { readonly scheduled: ScheduledEvent; readonly callOff: () => void }> | undefined

  constructor(system: LeanSystem, timers: HostClock) {
    this.#system = system
    this.#timers = timers
  }

  get events(): Readonly<Record<string, ScheduledEvent>> {
    return Object.fromEntries(Array.from(this.#waiting ?? [], ([key, { scheduled }]) => [key, scheduled]))
  }

  schedule(
    source: Member,
    target: Member,
    event: AnyEventObject,
    delay: number,
    id = this.#system._bookId(),
  ): void {
    const key = keyOf(source, id)
    const due = (): void => {
      this.#waiting?.delete(key)
      this.#system._relay(source, target, event)
    }
    const clock = clockOn(this.#timers)
    const scheduled = { source, target, event, delay, id, startedAt: systemClock.now() }
    this.#waiting ??= new Map()
    this.#waiting.set(key, { scheduled, callOff: clock.after(delay, due) })
  }

  cancel(source: Member, id: string): void {
    const key = keyOf(source, id)
    const waiting = this.#waiting?.get(key)
    if (waiting === undefined) return
    this.#waiting?.delete(key)
    waiting.callOff()
  }

  cancelAll(actor: unknown): void {
    for (const { scheduled } of this.#waiting?.values() ?? []) {
      if (scheduled.source === actor) this.cancel(scheduled.source, scheduled.id)
    }
  }
}

function keyOf({ sessionId }: Member, id: string): string {
  return `${sessionId}.${id}`
}
