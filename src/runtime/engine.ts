/**
 * The embedded engine of one run. It stands behind the run's door: it starts what machines ask for, appends every
 * outcome, signal and timer to the journal, and delivers them in the order of the journal, never before they are
 * durable. A replay makes the same deliveries and performs nothing.
 */
import { createActor, type Actor, type AnyActorRef, type InspectionEvent } from 'xstate'
import { unitInterval } from '../actors/digest.ts'
import type { EffectRequest, LetGoReason, Settlement } from '../actors/effect.ts'
import { totalUsage } from '../actors/usage.ts'
import { parentOf } from '../actors/xstate-internals.ts'
import { toErrorData, type StoreError } from '../errors.ts'
import type { AgentOutput, AgentRequest, ChildHeldEvent } from '../machines/agent.ts'
import type { MachineEvent } from '../machines/events.ts'
import { agentLogic, partialOutput, type RunDoor } from './agent-logic.ts'
import type { Clock } from './clock.ts'
import type { Appender, Committer } from './committer.ts'
import { digestOf } from './effect-digest.ts'
import type { JournalEntry, RunSettled, RunStarted, Signal } from './journal.ts'
import type { SupervisorOptions } from './options.ts'
import { errorCodes, perform, type PerformedKind } from './perform/index.ts'
import { prepareAgent } from './prepare.ts'
import { lookUp, type Registry } from './registry.ts'
import { crashed, runLogic, type RunInput } from './run-logic.ts'
import { shield, shieldObservers } from './shield.ts'
import { SignalDesk } from './signal-desk.ts'
import { sourceOf } from './source.ts'
import { messageId, Stamper } from './stamper.ts'
import { Ticket } from './ticket.ts'

export interface EngineOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly started: RunStarted
  /** The options that were given with the run: the home of its functions. */
  readonly functions: SupervisorOptions
  /** Absent in a replay: nothing is appended, so nothing is performed. */
  readonly committer?: Committer
  readonly inspect?: (event: InspectionEvent) => void
  readonly onSettled: (output: AgentOutput) => void
  readonly onSuspended: () => void
  /** What runs in place of the root agent. The test kit runs any machine so. */
  readonly child?: RunInput['child']
  /** Default: the real performers. The test kit holds every effect until it settles it. */
  readonly perform?: typeof perform
}

export class Engine implements RunDoor, Appender {
  readonly runId: string
  readonly stamper: Stamper
  readonly signals = new SignalDesk()
  readonly root: Actor<typeof runLogic>
  /** Wanted and unsettled, by key. */
  readonly pending = new Map<string, Ticket>()
  /** Let go of and unsettled, by key. */
  readonly letGone = new Map<string, Ticket>()
  /** What the root agent ended with; its `run.settled` may still be on the way. */
  output: AgentOutput | undefined
  /** Logical time: the `at` of the entry that is being delivered. */
  now: number
  readonly #options: EngineOptions
  readonly #tickets = new Map<EffectRequest, Ticket>()
  readonly #keyCounters = new Map<string, number>()
  #requested: Ticket[] = []
  #relays: { readonly to: AnyActorRef; readonly event: ChildHeldEvent }[] = []
  #paused = 0
  #lastAppend: number
  #isSuspended = false
  #isBroken = false

  constructor(options: EngineOptions) {
    const { started } = options
    this.#options = options
    this.runId = started.runId
    this.now = started.at
    this.#lastAppend = started.at
    this.stamper = new Stamper(started.runId)
    const inspect = options.inspect
    this.root = createActor(runLogic, {
      id: started.runId,
      input: {
        runId: started.runId,
        child: options.child ?? { id: started.agent, logic: agentLogic, input: rootRequest(started) },
        door: this,
      },
      ...(inspect === undefined ? {} : { inspect: (event) => shield('an inspector', () => inspect(event)) }),
    })
    this.root.subscribe({ error: (error) => this.ended(crashed(toErrorData(error, 'MACHINE_FAILED'))) })
    shieldObservers(this.root)
  }

  /** The root agent. */
  get agent(): AnyActorRef {
    return this.root.getSnapshot().children[this.#options.started.agent] as AnyActorRef
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** Appends `run.started`; the run begins when that is durable. */
  start(): void {
    this.#append(this.#options.started)
  }

  // --- the door -------------------------------------------------------------------------------------------------

  request(request: EffectRequest): void {
    const source = sourceOf(parentOf(request.ref) ?? request.ref)
    const base = `${source.path}/${request.ref.id}`
    const count = (this.#keyCounters.get(base) ?? 0) + 1
    this.#keyCounters.set(base, count)
    const ticket = new Ticket(request, `${base}#${count}`, digestOf(request), source, this.now)
    this.#tickets.set(request, ticket)
    this.pending.set(ticket.key, ticket)
    if (isKind(ticket, 'signal')) this.signals.open(ticket)
    if (isKind(ticket, 'timer')) ticket.dueAt = this.now + delayOf(ticket)
    this.#requested.push(ticket)
  }

  letGo(request: EffectRequest, reason: LetGoReason): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.state === 'settled') return
    this.#forget(ticket)
    this.letGone.set(ticket.key, ticket)
    if (isKind(ticket, 'signal')) this.signals.expired(ticket)
    ticket.callOff?.()
    if (reason === 'detach' && ticket.state === 'performing' && ticket.callOff === undefined)
      ticket.state = 'detached'
    else ticket.abort()
  }

  pause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket === undefined || ticket.pausedWith !== undefined) return
    ticket.pausedWith = Math.max(0, ticket.dueAt - this.now)
    this.#paused++
    ticket.callOff?.()
  }

  unpause(request: EffectRequest): void {
    const ticket = this.#tickets.get(request)
    if (ticket?.pausedWith === undefined) return
    ticket.dueAt = this.now + ticket.pausedWith
    ticket.pausedWith = undefined
    this.#paused--
    if (ticket.state === 'performing') this.#schedule(ticket)
  }

  prepare(request: AgentRequest) {
    const definition = lookUp(this.#options.registry, request.agent)
    return prepareAgent(definition, request, this.#options.started.settings)
  }

  listenTo(actor: AnyActorRef): void {
    const source = sourceOf(actor)
    actor.on('*', (event: MachineEvent) => {
      if (event.type === 'held' || event.type === 'released') {
        const to = parentOf(actor)
        if (to !== undefined)
          this.#relays.push({ to, event: { type: `child.${event.type}`, child: actor.id } })
      } else {
        this.stamper.stamp(source, event, this.now)
      }
    })
    shieldObservers(actor)
  }

  ended(output: AgentOutput): void {
    if (this.output !== undefined) return
    this.output = output
    this.signals.close()
    this.#append(this.#settledEntry(output))
  }

  cancelled(reason = 'cancelled'): void {
    this.signal({ type: 'cancel', reason })
  }

  stopped(): void {
    if (this.output !== undefined) return
    // A stopped root does not hear its child any more.
    const { agent } = this
    agent.subscribe({
      complete: () => this.ended((agent.getSnapshot() as { readonly output: AgentOutput }).output),
      error: (error) => this.ended(crashed(toErrorData(error, 'MACHINE_FAILED'))),
    })
    this.signal({ type: 'cancel', reason: 'The actor of the run was stopped.' })
  }

  // --- the inbox ------------------------------------------------------------------------------------------------

  signal(signal: Signal): void {
    if (this.output !== undefined || this.#isBroken) return
    if (signal.type === 'cancel') this.signals.close()
    this.#append({ type: 'signal.received', at: 0, signal })
  }

  #settle(ticket: Ticket, settlement: Settlement): void {
    if (this.#isBroken) return
    const { key, kind, digest, startedAt } = ticket
    if (ticket.state === 'performing') {
      ticket.state = 'settling'
      this.#append({ type: 'effect.settled', at: 0, key, kind, digest, startedAt, settlement })
    } else if (ticket.state === 'detached') {
      this.letGone.delete(key)
      this.#append({ type: 'effect.settled', at: 0, key, kind, digest, startedAt, settlement, late: true })
    } else if (ticket.state === 'aborted') {
      this.letGone.delete(key)
    }
  }

  #append(entry: JournalEntry): void {
    const { committer, clock } = this.#options
    if (committer === undefined) return
    this.#lastAppend = Math.max(this.#lastAppend, clock.now())
    committer.append(this, { ...entry, at: this.#lastAppend })
  }

  committed(entry: JournalEntry): void {
    this.deliver(entry)
  }

  turnEnded(): void {
    const requested = this.#requested
    this.#requested = []
    for (const ticket of requested) {
      if (ticket.state === 'requested') this.#begin(ticket)
    }
  }

  appendFailed(error: StoreError): void {
    if (this.#isBroken) return
    this.#isBroken = true
    for (const ticket of this.pending.values()) {
      ticket.callOff?.()
      ticket.abort()
    }
    // An end that is not on record is none; what there is so far is kept.
    const { text, delegations, scores, steps, usage } = this.output ?? partialOutput(this.agent)
    this.output = { outcome: 'failed', text, error: toErrorData(error), delegations, scores, steps, usage }
    this.#finish(this.#settledEntry(this.output))
  }

  // --- delivery -------------------------------------------------------------------------------------------------

  deliver(entry: JournalEntry): void {
    this.now = entry.at
    switch (entry.type) {
      case 'run.started':
        this.stamper.stampRun(entry.agent, 'run-start', { task: entry.task }, entry.at)
        this.root.start()
        break
      case 'effect.started':
        this.#deliverStarted(entry.key)
        break
      case 'effect.settled':
        if (entry.late !== true) this.#deliverSettlement(entry.key, entry.settlement)
        break
      case 'timer.fired':
        this.#deliverSettlement(entry.key, { value: null })
        break
      case 'signal.received':
        this.#deliverSignal(entry.signal)
        break
      case 'run.settled':
        this.#finish(entry)
        break
    }
    this.#relay()
    this.#noticeSuspension()
  }

  #deliverStarted(key: string): void {
    const ticket = this.pending.get(key)
    if (ticket?.state !== 'starting') return
    ticket.state = 'requested'
    ticket.isRecorded = true
    this.#requested.push(ticket)
  }

  #deliverSettlement(key: string, settlement: Settlement): void {
    const ticket = this.pending.get(key)
    this.letGone.delete(key)
    if (ticket === undefined) return // let go of while its outcome was on the way
    ticket.state = 'settled'
    this.#forget(ticket)
    ticket.request.ref.send({ type: 'effect.settled', settlement })
  }

  #deliverSignal(signal: Signal): void {
    if (signal.type === 'cancel') {
      const { reason } = signal
      this.signals.close()
      this.#isSuspended = false
      if (this.output === undefined)
        this.agent.send({ type: 'cancel', cause: 'cancel', ...(reason === undefined ? {} : { reason }) })
      return
    }
    const ticket = this.pending.get(signal.key)
    if (ticket === undefined || !isKind(ticket, 'signal')) return
    this.signals.settled(ticket)
    if (this.#isSuspended) {
      this.#isSuspended = false
      this.#stampRun('resumed', { toolCallId: signal.id })
    }
    this.#deliverSettlement(signal.key, { value: signal.answer })
  }

  #relay(): void {
    while (this.#relays.length > 0) {
      const relays = this.#relays
      this.#relays = []
      for (const { to, event } of relays) {
        if ((to.getSnapshot() as { status: string }).status === 'active') to.send(event)
      }
    }
  }

  /** Suspended: nothing is in flight and only signals are awaited. It depends on the journal alone. */
  #noticeSuspension(): void {
    const inFlight = this.pending.size - this.signals.size - this.#paused
    if (this.#isSuspended || this.output !== undefined || this.signals.size === 0 || inFlight > 0) return
    this.#isSuspended = true
    this.#stampRun('suspended', { awaiting: this.signals.awaiting() })
    this.#options.onSuspended()
  }

  #finish(entry: RunSettled): void {
    const { type: _type, at: _at, ...payload } = entry
    const message = this.output?.message
    this.#stampRun('run-finish', payload, {
      final: true,
      ...(message === undefined ? {} : { messageId: message }),
    })
    this.stamper.log.end()
    this.#options.onSettled(this.output ?? crashed(toErrorData(undefined)))
  }

  #stampRun<Type extends 'suspended' | 'resumed' | 'run-finish'>(
    type: Type,
    payload: Parameters<typeof this.stamper.stampRun<Type>>[2],
    more: { readonly messageId?: string; readonly final?: true } = {},
  ): void {
    this.stamper.stampRun(this.#options.started.agent, type, payload, this.now, more)
  }

  #settledEntry(output: AgentOutput): RunSettled {
    const { outcome, text, reason, by, error } = output
    return {
      type: 'run.settled',
      at: this.#lastAppend,
      outcome,
      text,
      ...(reason === undefined ? {} : { reason }),
      ...(by === undefined ? {} : { by }),
      ...(error === undefined ? {} : { error }),
      usage: totalUsage(output.usage),
    }
  }

  #forget(ticket: Ticket): void {
    this.pending.delete(ticket.key)
    this.#tickets.delete(ticket.request)
    if (ticket.pausedWith !== undefined) this.#paused--
    ticket.pausedWith = undefined
  }

  // --- performing -----------------------------------------------------------------------------------------------

  #begin(ticket: Ticket): void {
    const { key, kind, digest } = ticket
    if (kind === 'tool' && !ticket.isRecorded) {
      ticket.state = 'starting'
      this.#append({ type: 'effect.started', at: 0, key, kind, digest })
      return
    }
    ticket.state = 'performing'
    ticket.startedAt = this.#options.clock.now()
    if (kind === 'signal') return
    if (kind === 'timer') {
      if (ticket.pausedWith === undefined) this.#schedule(ticket)
      return
    }
    const performing = this.#options.perform ?? perform
    performing(ticket.request as EffectRequest<PerformedKind>, this.#contextOf(ticket)).then(
      (value) => this.#settle(ticket, { value }),
      (thrown: unknown) =>
        this.#settle(ticket, { error: toErrorData(thrown, errorCodes[kind as PerformedKind]) }),
    )
  }

  #schedule(ticket: Ticket): void {
    const { clock } = this.#options
    ticket.callOff = clock.after(ticket.dueAt - clock.now(), () => {
      if (ticket.state !== 'performing') return
      ticket.state = 'settling'
      const { key, digest, dueAt } = ticket
      this.#append({ type: 'timer.fired', at: 0, key, digest, dueAt })
    })
  }

  #contextOf(ticket: Ticket) {
    const { registry, functions, started } = this.#options
    const { stamper } = this
    const elapsed = (delegationId: string) => stamper.elapsed(delegationId, this.now)
    return {
      runId: this.runId,
      // Retries of a call are effects of their own; what must not happen twice is the call.
      idempotencyKey: `${this.runId}/${ticket.kind === 'tool' ? ticket.source.path : ticket.key}`,
      get signal() {
        return ticket.signal
      },
      onDelta: started.stream && isKind(ticket, 'model') ? this.#deltaSink(ticket) : undefined,
      definition: (agentId: string) => lookUp(registry, agentId),
      options: (scope: 'agent' | 'run', agentId: string) =>
        scope === 'run' ? functions : lookUp(registry, agentId).options,
      elapsed,
    }
  }

  #deltaSink(ticket: Ticket<'model'>) {
    const { source } = ticket
    const seen = new Set<string>()
    const envelope = {
      runId: this.runId,
      agent: source.agent,
      path: source.path,
      ...(source.delegationId === undefined ? {} : { delegationId: source.delegationId }),
      messageId: messageId(source.path, ticket.request.input.message),
    }
    return (delta: { readonly type: 'text' | 'reasoning'; readonly text: string }): void => {
      if (ticket.state !== 'performing' || delta.text === '') return
      const type = delta.type === 'text' ? 'text-delta' : 'reasoning-delta'
      const isFirst = !seen.has(type)
      seen.add(type)
      this.stamper.log.stream({ ...envelope, type, at: this.now, payload: { text: delta.text } }, isFirst)
    }
  }
}

function rootRequest(started: RunStarted): AgentRequest {
  return {
    agent: started.agent,
    task: started.task,
    history: started.history,
    addedInstructions: [],
    depth: 0,
    path: started.agent,
    runId: started.runId,
    ...(started.threadId === undefined ? {} : { threadId: started.threadId }),
    ...(started.resourceId === undefined ? {} : { resourceId: started.resourceId }),
  }
}

function isKind<Kind extends Ticket['kind']>(ticket: Ticket, kind: Kind): ticket is Ticket & Ticket<Kind> {
  return ticket.kind === kind
}

function delayOf(ticket: Ticket<'timer'>): number {
  const { delay, jitter } = ticket.request.input
  return jitter === true ? Math.ceil(delay * (0.5 + unitInterval(ticket.key) / 2)) : delay
}
