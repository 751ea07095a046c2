/**
 * An actor of a run whose charts tables interpret: one of XState with the same methods, which makes its parts at their first use.
 * One is made for each run, effect and tool call, and most have no subscriber. The fields are those that XState's methods read;
 * they were verified on xstate 5.33.
 */
import {
  Actor,
  createActor,
  type ActorRefFrom,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type Snapshot,
} from 'xstate'
import type { HostClock } from '../../actors/xstate-internals.ts'
import { LeanSystem, type InspectorGuard } from './lean-system.ts'

export interface RootOptions {
  readonly id: string
  readonly input: unknown
  /** Of delays in machines. Default: the timers of the process. */
  readonly clock?: HostClock | undefined
  /** Makes the inspectors that an app adds to the system safe. Default: they are called as they are. */
  readonly guard?: InspectorGuard
}

interface ChildOptions {
  readonly id: string | undefined
  readonly src: unknown
  readonly input: unknown
  readonly systemId?: string | undefined
  readonly syncSnapshot?: boolean | undefined
}

/** The system of a run: a lean one, or one of XState where the root is an actor of XState. */
type System = Pick<LeanSystem, '_bookId' | '_unregister' | '_sendInspectionEvent' | '_clock' | '_logger'> & {
  readonly scheduler: { cancelAll(actor: unknown): void }
}

interface Listener {
  (event: AnyEventObject): void
}

/** An action that is ready to be executed. */
interface Executable {
  readonly type: string
  readonly info: unknown
  readonly params: unknown
  readonly exec: ((info: unknown, params: unknown) => void) | undefined
}

/** The statuses of XState's actors. */
const notStarted = 0
const running = 1
const stopped = 2

const noObservers: ReadonlySet<unknown> = new Set()
const noListeners: ReadonlyMap<string, ReadonlySet<Listener>> = new Map()

interface ActorOptions {
  readonly id: string | undefined
  readonly input: unknown
  readonly src?: unknown
  readonly clock?: HostClock | undefined
  readonly guard?: InspectorGuard
}

/** As `createActor`, in a system of its own. */
export function createRoot<Logic extends AnyActorLogic>(
  logic: Logic,
  options: RootOptions,
): ActorRefFrom<Logic> {
  return new LeanActor(logic, options) as object as ActorRefFrom<Logic>
}

/** Spawns a child: it is created, not started. A rare option makes it an actor as XState creates it. */
export function spawned(logic: AnyActorLogic, parent: AnyActorRef, options: ChildOptions): AnyActorRef {
  const { systemId, syncSnapshot } = options
  if (systemId !== undefined || syncSnapshot === true)
    return createActor(logic, { ...options, parent } as object)
  return new LeanActor(logic, options, parent) as object as AnyActorRef
}

/** As `createChild`, of a logic that tables interpret. */
export function spawnedBelow(
  logic: AnyActorLogic,
  parent: AnyActorRef,
  { id, input, src }: { readonly id: string; readonly input: unknown; readonly src?: string },
): AnyActorRef {
  return spawned(logic, parent, { id, src, input })
}

/** Calls `listener` with each event that `actor` emits, ahead of the listeners of `on`. */
export function hear(actor: AnyActorRef, listener: (event: never) => void): void {
  const child: object = actor
  const heard = listener as Listener
  if (child instanceof LeanActor) child.heard = heard
  else actor.on('*', heard)
}

/** The events that wait for an actor: one is processed at a time. */
class Mailbox {
  readonly #actor: LeanActor
  #isActive = false
  #isBusy = false
  #waiting: AnyEventObject[] | undefined

  constructor(actor: LeanActor) {
    this.#actor = actor
  }

  start(): void {
    this.#isActive = true
    const first = this.#waiting?.shift()
    if (first !== undefined) this.#process(first)
  }

  /** Drops the events that wait, and takes none until it is started again. */
  close(): void {
    this.clear()
    this.#isActive = false
  }

  clear(): void {
    this.#waiting = undefined
  }

  enqueue(event: AnyEventObject): void {
    if (this.#isActive && !this.#isBusy) this.#process(event)
    else (this.#waiting ??= []).push(event)
  }

  #process(first: AnyEventObject): void {
    this.#isBusy = true
    let event: AnyEventObject | undefined = first
    while (event !== undefined) {
      this.#actor._process(event)
      event = this.#isActive ? this.#waiting?.shift() : undefined
    }
    this.#isBusy = false
  }
}

interface Stoppable {
  readonly _parent?: unknown
  _stop(): void
}

/** What the logic of an actor is given of it. All functions are bound: a logic may take one by itself. */
class Scope {
  readonly self: LeanActor
  #defer: ((act: () => void) => void) | undefined
  #emit: Listener | undefined
  #execute: ((action: Executable) => void) | undefined

  constructor(self: LeanActor) {
    this.self = self
  }

  get id(): string {
    return this.self.id
  }

  get sessionId(): string {
    return this.self.sessionId
  }

  get system(): System {
    return this.self.system
  }

  get logger(): unknown {
    return this.self.logger
  }

  get defer(): (act: () => void) => void {
    return (this.#defer ??= deferOf(this.self))
  }

  get stopChild(): (child: AnyActorRef) => void {
    return (child) => {
      const stoppable = child as object as Stoppable
      if (stoppable._parent !== this.self)
        throw new Error(`Cannot stop child actor ${child.id} of ${this.self.id} because it is not a child`)
      stoppable._stop()
    }
  }

  get emit(): Listener {
    return (this.#emit ??= emitOf(this.self))
  }

  get actionExecutor(): (action: Executable) => void {
    return (this.#execute ??= executorOf(this.self))
  }

  /** An inspector of actions puts one of its own in its place. */
  set actionExecutor(execute: (action: Executable) => void) {
    this.#execute = execute
  }
}

// V8 allocates a function that an assignment to a property creates among old objects, and with it all that it refers to stays
// until a full collection. So functions that are kept in a field are made by functions. See
// docs/design/decisions/performance.md#functions-of-a-run-are-young.
const deferOf =
  (self: LeanActor) =>
  (act: () => void): void =>
    void self._deferred.push(act)

const emitOf =
  (self: LeanActor): Listener =>
  (event) =>
    self.emitted(event)

const sendOf =
  (self: LeanActor): Listener =>
  (event) =>
    xstateSend.call(self, event)

const executorOf =
  (self: LeanActor) =>
  (action: Executable): void => {
    if (self._processingStatus === running) executeNow(self, action)
    else self._deferred.push(() => executeNow(self, action))
  }

function executeNow(self: LeanActor, { type, info, params, exec }: Executable): void {
  self.system._sendInspectionEvent({ type: '@xstate.action', actorRef: self, action: { type, params } })
  exec?.(info, params)
}

class LeanActor {
  // Methods of XState's actor.
  declare readonly _initState: () => void
  declare readonly _process: (event: AnyEventObject) => void
  declare readonly _send: (event: AnyEventObject) => void
  readonly logic: AnyActorLogic
  _snapshot: Snapshot<unknown> | undefined = undefined
  readonly options: ActorOptions
  readonly id: string
  readonly mailbox: Mailbox
  observers = noObservers
  eventListeners = noListeners
  _processingStatus = notStarted
  readonly _parent: AnyActorRef | undefined
  readonly _syncSnapshot = false
  readonly _actorScope: Scope
  readonly systemId = undefined
  readonly sessionId: string
  readonly system: System
  _doneEvent: unknown = undefined
  readonly src: unknown
  readonly _deferred: (() => void)[] = []
  /** The listener of the run. */
  heard: Listener | undefined = undefined
  #send: Listener | undefined

  /** Without a parent it is the root of a system of its own. */
  constructor(logic: AnyActorLogic, options: ActorOptions, parent?: AnyActorRef) {
    this.logic = logic
    this.options = options
    this._parent = parent
    this.system = (parent?.system as System | undefined) ?? new LeanSystem(this, options.clock, options.guard)
    this.src = options.src ?? logic
    this.sessionId = this.system._bookId()
    this.id = options.id ?? this.sessionId
    this.mailbox = new Mailbox(this)
    this._actorScope = new Scope(this)
    this.system._sendInspectionEvent({ type: '@xstate.actor', actorRef: this })
    this._initState()
  }

  get ref(): this {
    return this
  }

  /** Vue makes a proxy of each object that it is given, except of those with a tag of their own: a proxy has no private fields. */
  get [Symbol.toStringTag](): string {
    return 'Actor'
  }

  get clock(): HostClock {
    return this.system._clock
  }

  get logger(): unknown {
    return this.system._logger
  }

  /** Bound: an application may take it by itself. */
  get send(): Listener {
    return (this.#send ??= sendOf(this))
  }

  subscribe(...given: unknown[]): unknown {
    if (this.observers === noObservers) this.observers = new Set()
    return xstateSubscribe.apply(this, given)
  }

  on(type: string, listener: Listener): unknown {
    if (this.eventListeners === noListeners) this.eventListeners = new Map()
    return xstateOn.call(this, type, listener)
  }

  emitted(event: AnyEventObject): void {
    const { heard, eventListeners } = this
    // XState removes the listeners of an actor that has ended.
    if (heard !== undefined && this._processingStatus !== stopped) told(heard, event)
    if (eventListeners.size === 0) return
    const listeners = [...(eventListeners.get(event.type) ?? []), ...(eventListeners.get('*') ?? [])]
    for (const listener of listeners) told(listener, event)
  }

  _stopProcedure(): this {
    if (this._processingStatus !== running) return this
    this.system.scheduler.cancelAll(this)
    this.mailbox.close()
    this._processingStatus = stopped
    this.system._unregister(this)
    return this
  }
}

/** The error of a listener ends the process, as XState has it. */
function told(listener: Listener, event: AnyEventObject): void {
  try {
    listener(event)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/* oxlint-disable typescript/unbound-method -- all are called with their actor */
const xstateSend: (this: object, event: AnyEventObject) => void = Actor.prototype.send
const xstateSubscribe = Actor.prototype.subscribe as (this: object, ...given: unknown[]) => unknown
const xstateOn = Actor.prototype.on as (this: object, type: string, listener: Listener) => unknown
/* oxlint-enable typescript/unbound-method */

Object.setPrototypeOf(LeanActor.prototype, Actor.prototype)
