/**
 * The embedded engine of one run. It implements the run's door: it starts the effects that machines request, appends
 * every outcome, signal and timer to the journal, and delivers them in the order of the journal, never before they are
 * durable. A replay makes the same deliveries and performs nothing.
 */
import { isInChain } from '../../actors/actor-path.ts'
import { createActor, type AnyActorRef } from 'xstate'
import { openDoor, type EffectRequest, type LetGoReason, type Origin } from '../../actors/effect.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { toErrorData } from '../../errors.ts'
import type { AgentOutput, AgentRequest, AgentParts } from '../../machines/contract/agent.ts'
import type { AwaitedSignal, MachineEvent } from '../../machines/contract/events.ts'
import { agentLogic } from './agent-logic.ts'
import { budgetOf } from '../options/budget-options.ts'
import { Budget } from './effects/budget.ts'
import { ClaimedThreads } from './claimed-threads.ts'
import { answersFirst } from './signals/answers-first.ts'
import { notBefore, systemClock, type Clock } from '../clock.ts'
import type { AppendOptions, Appender, Draft } from '../journal/committer.ts'
import { crashed } from './crashed.ts'
import { EffectRunner } from './effects/effect-runner.ts'
import { systemEnvironment } from '../environment.ts'
import { RemoteAgents } from './remote-agents.ts'
import type { EngineOptions, RunChild } from './engine-options.ts'
import { appends, type EnginePhase } from './engine-phase.ts'
import type { JournalEntry, RunSettled, Signal } from '../journal/journal.ts'
import { lostRun, storeFailure } from '../journal/lost-run.ts'
import { EffectContext } from './effects/effect-context.ts'
import { perform } from './perform/index.ts'
import { prepareAgent, rootRequest } from './prepare.ts'
import { lookUp, type Registry } from '../definition/registry.ts'
import { HoldRelay } from './hold-relay.ts'
import { reporterOf } from '../report.ts'
import { RunErrors } from './run-errors.ts'
import { RootAgents } from './root-agents.ts'
import { runLogic, type RootDoor } from './run-logic.ts'
import { settledEntry } from '../journal/settled-entry.ts'
import { safeObservers, safely, type Place } from './safe-observers.ts'
import { SignalDelivery } from './signal-delivery.ts'
import { OpenSignals } from './signals/open-signals.ts'
import { firstLease, type Lease, type QueuedSignal } from '../journal/store.ts'
import { sourceOf } from '../actor-source.ts'
import { EventRecorder } from '../handle/event-recorder.ts'
import { Suspension } from './suspension.ts'
import { versionsOf } from '../agents/run-registry.ts'
import { WallClock, wallClockKey } from './effects/wall-clock.ts'

export class Engine implements RootDoor, Appender {
  readonly runId: string
  /** The id of the agent that the run began with. */
  readonly rootId: string
  readonly lease: Lease
  /** The agents as the run sees them. */
  readonly registry: Registry
  readonly recorder: EventRecorder
  readonly signals = new OpenSignals()
  readonly effects: EffectRunner
  readonly suspension: Suspension
  readonly remoteAgents: RemoteAgents
  readonly root: AnyActorRef
  readonly errors = new RunErrors()
  /** The output of the root agent; its `run.settled` may not have been delivered yet. */
  output: AgentOutput | undefined
  /** Logical time: the `at` of the entry that is being delivered. */
  now: number
  readonly #options: EngineOptions
  readonly #child: RunChild
  readonly #budget: Budget | undefined
  readonly wallClock: WallClock | undefined
  #agents: RootAgents | undefined
  #clock: Clock
  #phase: EnginePhase
  readonly #holdRelay = new HoldRelay()
  readonly #guardObservers: (actor: AnyActorRef) => void
  #lastAppend: number
  readonly #delivery: SignalDelivery
  readonly #claimed: ClaimedThreads
  /** Resolves when the threads that the run has claimed are free. It never rejects. */
  released: Promise<void> = Promise.resolve()
  #delivered = 0

  constructor(options: EngineOptions) {
    const { started } = options
    this.#options = options
    this.runId = started.runId
    this.rootId = started.agent
    this.registry = options.registry
    this.lease = options.lease ?? firstLease(started.runId)
    this.now = started.at
    this.#lastAppend = started.at
    this.#clock = options.clock
    this.#phase = options.committer === undefined ? 'replaying' : 'live'
    const request = options.asSubrun?.request ?? rootRequest(started)
    this.#child = options.rootLogic ?? { id: started.agent, logic: agentLogic, input: request }
    this.remoteAgents = new RemoteAgents(options.asSubrun)
    this.recorder = new EventRecorder(started.runId, options.log)
    const own = options.registry.get(started.agent)?.settings.budget
    const budget = budgetOf(options.asSubrun === undefined ? own : undefined, started.settings.budget)
    this.#budget = budget && new Budget(budget)
    const now = (): number => this.now
    const report = options.report ?? reporterOf()
    this.#claimed = new ClaimedThreads(started.runId, options.memory, report)
    this.#guardObservers = safeObservers(report, (actor) => this.#placeOf(actor))
    const inspect =
      options.inspect && safely('an inspector', options.inspect, report, () => ({ runId: this.runId }))
    const runClock: Clock = {
      now: () => this.#clock.now(),
      after: (delay, callback) => this.#clock.after(delay, callback),
    }
    const parts = {
      ...options,
      report,
      ...(inspect === undefined ? {} : { inspect }),
      prices: budget?.prices,
      clock: options.performKeepsDeadlines === true ? systemClock : runClock,
    }
    this.effects = new EffectRunner({
      runId: started.runId,
      clock: runClock,
      signals: this.signals,
      now,
      append: (entry) => this.#append(entry),
      contextOf: (effect) => new EffectContext(effect, parts, this.recorder, now),
      perform: options.perform ?? perform,
      recordsStart: options.recordsStart ?? (() => true),
      budget: this.#budget,
      performKeepsDeadlines: options.performKeepsDeadlines ?? false,
      environment: options.environment ?? systemEnvironment,
    })
    this.wallClock = budget?.wallClock === undefined ? undefined : this.#wallClockOf(budget.wallClock)
    this.suspension = new Suspension({
      signals: this.signals,
      effects: this.effects,
      budget: this.#budget,
      wallClock: this.wallClock,
      now,
      onSuspended: (payload) => this.#stampRun('suspended', payload),
      onResumed: (payload) => this.#stampRun('resumed', payload),
    })
    this.#delivery = new SignalDelivery(this)
    if (options.root === undefined) {
      this.root = createActor(runLogic, {
        id: this.runId,
        input: { door: this },
        ...(inspect === undefined ? {} : { inspect }),
        ...(options.timers === undefined ? {} : { clock: options.timers }),
      })
    } else {
      this.root = options.root
      this.attach(options.root)
    }
  }

  #wallClockOf(limit: number): WallClock {
    return new WallClock({
      limit,
      clock: {
        now: () => this.#clock.now(),
        after: (delay, callback) => this.#clock.after(delay, callback),
      },
      append: (entry) => this.#append(entry),
      isLive: () => appends(this.#phase),
    })
  }

  /** Opens the door on the root, and creates the root agent as its child. */
  attach(root: AnyActorRef): AnyActorRef {
    openDoor(root, this)
    this.#guardObservers(root)
    this.#agents = new RootAgents(root, this.#child, (output) => this.#end(output))
    return this.agent
  }

  /** A problem of the root actor is reported as one of the root agent. */
  #placeOf(actor: AnyActorRef): Place {
    const { runId, rootId } = this
    if (actor === this.root) return { runId, agent: rootId, path: rootId }
    const { agent, path } = sourceOf(actor)
    return { runId, agent, path }
  }

  get origin(): Origin | undefined {
    return this.#options.asSubrun?.origin
  }

  get #line(): RootAgents {
    return this.#agents as RootAgents // set in the constructor
  }

  /** The root agent, or its successor after a handoff. */
  get agent(): AnyActorRef {
    return this.#line.current
  }

  /** The output of the root agent and its successors so far. */
  get partialOutput(): AgentParts {
    return this.#line.partialOutput
  }

  get hasEnded(): boolean {
    return this.output !== undefined
  }

  /** Whether the run has not ended, and this process appends nothing more of it. */
  get isAbandoned(): boolean {
    return this.#phase === 'abandoned'
  }

  get isSuspended(): boolean {
    return this.suspension.isSuspended
  }

  /** The number of journal entries that were delivered. */
  get delivered(): number {
    return this.#delivered
  }

  /** Appends `run.started`; the agent starts when the entry is durable. */
  start(): void {
    this.#startRoot()
    this.#append(this.#options.started)
  }

  /** Switches to replay: later entries come from the journal and are delivered; nothing is appended or performed. */
  beginReplay(): void {
    this.#phase = 'replaying'
    this.#startRoot()
  }

  /** Ends the replay, and starts the effects that are still wanted. Signals that `first` sends come before. */
  goLive(first?: () => void): void {
    if (this.#phase !== 'replaying' || this.#options.committer === undefined) return
    this.#phase = 'live'
    this.#lastAppend = this.now
    this.#clock = notBefore(this.#options.clock, this.now)
    if (this.output !== undefined) this.#append(settledEntry(this.output, this.#lastAppend))
    const wasCancelled = this.signals.isClosed
    first?.()
    // After a cancel nothing starts: the cancel is delivered before any effect of the ended process goes on.
    // The same holds for a budget whose time ran out while no process owned the run.
    const isSpent = this.wallClock?.schedule() === true
    this.#phase = 'heldBack'
    if (isSpent || (!wasCancelled && this.signals.isClosed)) return
    this.turnEnded()
    if (this.isSuspended) this.#options.onSuspended()
  }

  /** Abandons the run as it is: effects in progress here are aborted, and nothing more is appended. */
  abandon(): void {
    if (this.#phase !== 'settled') this.#phase = 'abandoned'
    this.wallClock?.abandon()
    this.effects.close()
  }

  /** A root in another system is started by that system. */
  #startRoot(): void {
    if (this.#options.root === undefined) this.root.start()
  }

  // --- the door -------------------------------------------------------------------------------------------------

  request(request: EffectRequest): void {
    this.#claimed.requested(request.kind)
    this.effects.request(request)
  }

  letGo(request: EffectRequest, reason: LetGoReason): void {
    this.effects.letGo(request, reason)
  }

  pause(request: EffectRequest): void {
    this.effects.pause(request)
  }

  unpause(request: EffectRequest): void {
    this.effects.unpause(request)
  }

  prepare(request: AgentRequest) {
    const { asSubrun: part, remoteAgent: remote, started } = this.#options
    const isHere = isInChain(request.path, part?.request.path ?? started.agent)
    if (remote !== undefined && !isHere) return { chart: remote, input: request }
    const definition = lookUp(this.registry, request.agent)
    return prepareAgent(definition, request, this.#options.started.settings)
  }

  listenTo(actor: AnyActorRef): void {
    const source = sourceOf(actor)
    actor.on('*', (event: MachineEvent) => {
      if (event.type === 'held' || event.type === 'released') {
        this.#holdRelay.add(actor, event.type)
        if (actor === this.#agents?.current) this.remoteAgents.announced(event.type)
      } else {
        if (event.type === 'delegation-start') this.signals.delegationStarted(source.path)
        if (event.type === 'delegation-end') this.signals.delegationEnded(source.path)
        this.errors.emitted(source.path, event.payload)
        this.recorder.record(source, event, this.now)
      }
    })
    this.#guardObservers(actor)
  }

  #end(output: AgentOutput): void {
    if (this.output !== undefined) return
    if (output.error !== undefined) this.errors.found(sourceOf(this.agent).path, output.error)
    this.output = deepFreeze(output)
    this.wallClock?.stop()
    this.signals.close()
    this.#append(settledEntry(output, this.#lastAppend))
  }

  cancelled(reason = 'cancelled'): void {
    this.signal({ type: 'cancel', reason })
  }

  stopped(): void {
    this.signal({ type: 'cancel', reason: 'The actor of the run was stopped.' })
  }

  // --- the queue ------------------------------------------------------------------------------------------------

  /** Appends a signal. An ended or abandoned run takes none; a run that is being cancelled takes no other cancel. */
  signal(signal: Signal, options?: AppendOptions): void {
    if (this.output !== undefined || this.#phase === 'abandoned') return
    if (signal.type === 'cancel' && signal.delegationId === undefined) {
      if (this.signals.isClosed) return
      this.signals.close()
    }
    this.#append({ type: 'signal.received', at: 0, signal }, options)
  }

  #append(entry: JournalEntry, options?: AppendOptions): void {
    const { committer } = this.#options
    if (committer === undefined || !appends(this.#phase)) return
    committer.append(this, this.#stamped(entry), options)
  }

  /** `at`: the time of the entry that it is inserted before. Default: now. */
  #stamped(entry: JournalEntry, at = Math.max(this.#lastAppend, this.#clock.now())): JournalEntry {
    const { conversationId } = this.#options.started
    this.#lastAppend = Math.max(this.#lastAppend, at)
    return conversationId === undefined ? { ...entry, at } : { ...entry, at, conversationId }
  }

  overtaken(answers: readonly QueuedSignal[], waiting: readonly Draft[]): readonly Draft[] {
    const { onRefused } = this.#options
    return answersFirst(this.signals, answers, waiting, {
      stamp: (entry) => this.#stamped(entry, waiting[0]?.entry.at),
      refuse: (queued, error) => onRefused?.(queued, error),
    })
  }

  committed(entry: JournalEntry): void {
    if (this.#phase !== 'abandoned') this.deliver(entry) // else the next process that reads the journal delivers it
  }

  turnEnded(): void {
    const { ownership } = this.#options
    if (!appends(this.#phase)) return
    if (ownership?.isCurrent() === false) {
      ownership.confirm().then(
        () => this.turnEnded(),
        (error: unknown) => this.broke(storeFailure(this.runId, 'The store did not tell the owner', error)),
      )
      return
    }
    if (this.#phase === 'heldBack') {
      this.#phase = 'live'
      this.effects.interrupt()
    }
    this.effects.startRequested()
  }

  broke(error: unknown): void {
    if (this.#phase === 'abandoned') return
    this.abandon()
    this.signals.close()
    this.#options.onLost?.(lostRun(this.runId, error))
  }

  // --- delivery -------------------------------------------------------------------------------------------------

  deliver(entry: JournalEntry): void {
    this.#delivered++
    this.now = entry.at
    switch (entry.type) {
      case 'run.started':
        this.#budget?.started(entry.at)
        this.wallClock?.resume(entry.at)
        this.#stampRun('run-start', { task: entry.task, ...versionsOf(entry) })
        if (appends(this.#phase)) this.#options.onStarted?.()
        this.agent.start()
        break
      case 'effect.started':
        this.effects.deliverStarted(entry.key)
        break
      case 'effect.settled':
        this.errors.settled(entry)
        this.#budget?.note(entry, this.effects.effectOf(entry.key), this.effects.pending.has(entry.key))
        if (entry.late === true) this.effects.deliverLate(entry.key)
        else this.effects.deliver(entry.key, entry.settlement)
        break
      case 'timer.fired':
        if (entry.key === wallClockKey) this.#spend()
        else this.#delivery.timerFired(entry.key)
        break
      case 'signal.received':
        this.#delivery.deliver(entry.signal)
        break
      case 'run.settled':
        if (appends(this.#phase) && this.#options.asSubrun === undefined)
          this.released = this.#claimed.release()
        this.#finish(entry)
        break
    }
    this.#holdRelay.tell()
    this.remoteAgents.tell(() => this.awaiting())
    this.#warn()
    if (this.output === undefined && this.suspension.notice() && appends(this.#phase))
      this.#options.onSuspended()
  }

  /** Ends the run when its time is up: the event goes down the whole tree, from the root agent. */
  #spend(): void {
    if (this.wallClock?.fired() !== true) return
    this.suspension.overtaken()
    this.agent.send({ type: 'budget.spent', error: toErrorData(this.#budget?.outOfTime(this.now)) })
  }

  #warn(): void {
    if (this.isSettled) return // no event follows the end
    for (const share of this.#budget?.warnings(this.now) ?? []) this.#stampRun('budget-warning', share)
  }

  /** The signals that the run waits for. */
  awaiting(): AwaitedSignal[] {
    return this.suspension.awaiting()
  }

  /** Whether `run.settled` has been delivered. */
  get isSettled(): boolean {
    return this.#phase === 'settled'
  }

  #finish(entry: RunSettled): void {
    this.#phase = 'settled'
    const { type: _type, at: _at, ...payload } = entry
    const message = this.output?.message
    this.#stampRun('run-finish', payload, {
      final: true,
      ...(message === undefined ? {} : { messageId: message }),
    })
    this.recorder.log.end()
    this.#options.onSettled(this.output ?? crashed(toErrorData(undefined)))
  }

  #stampRun<Type extends 'run-start' | 'suspended' | 'resumed' | 'budget-warning' | 'run-finish'>(
    type: Type,
    payload: Parameters<typeof this.recorder.recordRun<Type>>[2],
    more: { readonly messageId?: string; readonly final?: true } = {},
  ): void {
    if (this.#options.asSubrun !== undefined) return
    this.recorder.recordRun(this.#options.started.agent, type, payload, this.now, more)
  }
}
