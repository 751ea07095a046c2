/**
 * The embedded engine of one run. It implements the run's door: it starts the effects that machines request, appends
 * every outcome, signal and timer to the journal, and delivers them in the order of the journal, never before they are
 * durable. A replay makes the same deliveries and performs nothing.
 */
import { createActor, type AnyActorRef } from 'xstate'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { createChild, guardInspectors } from '../../actors/xstate-internals.ts'
import { workingMemoryToolName } from '../../actors/working-memory.ts'
import { toErrorData, type ErrorData, type TroupeError } from '../../errors.ts'
import type { AgentOutput, AgentParts } from '../../machines/contract/records.ts'
import type { AwaitedSignal, EventPayloads, MachineEvent } from '../../machines/contract/events.ts'
import { agentLogic } from '../state/agent-logic.ts'
import { AgentsAtWork } from './around/agents-at-work.ts'
import { wrappersOf } from './around/observer.ts'
import { budgetOf } from '../options/budget-options.ts'
import { ClaimedThreads } from './claimed-threads.ts'
import { withVerdict } from '../state/signals/changed-arguments.ts'
import { answersFirst } from '../state/signals/answers-first.ts'
import { anyContext, contextHere, noContext, type AsyncContext } from '../async-context.ts'
import { systemClock } from '../clock.ts'
import type { AppendOptions, Appender, Draft } from '../journal/committer.ts'
import { crashed, forcedOutput } from '../state/crashed.ts'
import { EngineDoor } from '../state/state-door.ts'
import { Descent } from '../state/descent/descent.ts'
import { EffectRunner } from './effects/effect-runner.ts'
import { RemoteAgents } from '../state/remote-agents.ts'
import type { EngineOptions } from './engine-options.ts'
import { RootAgents, type CreateChild, type RunChild } from '../state/root-agents.ts'
import { appends, type EnginePhase } from './engine-phase.ts'
import {
  isSay,
  type EffectSettled,
  type JournalEntry,
  type RunSettled,
  type Signal,
} from '../journal/journal.ts'
import { namesOf } from '../journal/lineage.ts'
import { lostRun, storeFailure } from '../journal/lost-run.ts'
import { modelCallEnd } from '../state/effects/model-call-end.ts'
import { createRoot, spawnedBelow } from '../interpreter/lean-actor.ts'
import { perform } from './perform/index.ts'
import { isKind, type PendingEffect } from '../state/effects/pending-effect.ts'
import { beginningOf, rootRequest, threadOfRun } from '../state/prepare.ts'
import type { Registry } from '../definition/registry.ts'
import { MachineEvents } from '../state/machine-events.ts'
import type { QuestionChange } from '../journal/run-index.ts'
import { QuestionIndex } from './question-index.ts'
import { RunClock } from './run-clock.ts'
import { reporterOf } from '../report.ts'
import { RunErrors } from '../state/run-errors.ts'
import { runLogic } from '../state/run-logic.ts'
import { settledEntry } from '../journal/settled-entry.ts'
import { safely } from '../state/safe-observers.ts'
import { SignalDelivery } from '../state/signal-delivery.ts'
import { OpenSignals } from '../state/signals/open-signals.ts'
import { TakenSayings } from '../state/signals/taken-sayings.ts'
import { StandingDecisions } from '../state/signals/standing-decisions.ts'
import { firstLease, type Lease, type QueuedSignal } from '../journal/store.ts'
import { sourceOf } from '../actor-source.ts'
import { EventRecorder } from '../handle/event-recorder.ts'
import type { ModelCallEnd } from '../handle/run-event.ts'
import { Suspension } from '../state/suspension.ts'
import { Performer } from './effects/performer.ts'
import { RunLimits } from '../state/effects/run-limits.ts'
import { assertMayDrift, Program } from '../program/program.ts'
import type { Drift, Edit } from '../program/recorded.ts'
import { wallClockKey } from '../state/effects/wall-clock.ts'

/** Whether it is a call of the tool that replaces the note, and not of a tool of the user's with its name. */
function writesNote({ request, source }: PendingEffect<'tool'>, registry: Registry): boolean {
  const { tool } = request.input
  return tool === workingMemoryToolName && !Object.hasOwn(registry.get(source.agent)?.tools ?? {}, tool)
}

const settledBefore: Promise<void> = Promise.resolve()

const deliverTo = (engine: Engine, entry: JournalEntry): void => engine.deliver(entry)

export class Engine implements Appender {
  readonly runId: string
  /** The id with which it makes names: that of a fork is the id of the run that it descends from in the end. */
  readonly origin: string
  /** The id of the agent that the run began with. */
  readonly rootId: string
  readonly lease: Lease
  readonly clock: RunClock
  /** The agents as the run sees them. */
  readonly registry: Registry
  readonly recorder: EventRecorder
  readonly signals = new OpenSignals()
  readonly standing = new StandingDecisions()
  readonly sayings = new TakenSayings()
  readonly effects: EffectRunner
  readonly suspension: Suspension
  /** The agents of the run, as recorded and as they are. */
  readonly program: Program
  readonly remoteAgents: RemoteAgents
  readonly root: AnyActorRef
  readonly errors = new RunErrors()
  /** The output of the root agent; its `run.settled` may not have been delivered yet. */
  output: AgentOutput | undefined
  /** Logical time: the `at` of the entry that is being delivered. */
  now: number
  readonly #options: EngineOptions
  /** That of whoever has started the run: its functions are called in it, whoever calls the engine. */
  #context: AsyncContext
  readonly #child: RunChild
  readonly #createChild: CreateChild
  readonly limits: RunLimits
  /** What a fork has of the runs before it; `undefined`: the run is none. */
  readonly descent: Descent | undefined
  #agents: RootAgents | undefined
  readonly #threadId: string | undefined
  #phase: EnginePhase
  readonly #machineEvents: MachineEvents
  readonly #door: EngineDoor
  readonly #delivery: SignalDelivery
  readonly #claimed: ClaimedThreads
  readonly #atWork: AgentsAtWork | undefined
  readonly #questions: QuestionIndex
  /** Whether the run was suspended, and that is not told yet: the index does not have its questions, or its suspension. */
  #isSettlingDown = false
  /** Resolves when the threads that the run has claimed are free. It never rejects. */
  released = settledBefore
  /** Settles when the store has told whether this process still owns the run, where that was in doubt. */
  confirmed = settledBefore
  #delivered = 0
  /** The W3C trace context of the run. */
  traceparent: string | undefined

  constructor(options: EngineOptions) {
    const { started, asSubrun } = options
    this.#options = options
    this.#context = options.context ?? anyContext
    this.runId = started.runId
    this.origin = namesOf(started).origin ?? started.runId
    this.rootId = started.agent
    this.registry = options.registry
    this.lease = options.lease ?? firstLease(started.runId)
    this.now = started.at
    this.traceparent = started.traceparent
    this.program = new Program(options.registry, started)
    this.clock = new RunClock(options.clock, started.at)
    this.#phase = options.committer === undefined ? 'replaying' : 'live'
    // An inspector is shown each step as XState takes it. The system of a root that is given may have one of its own.
    const isInspected = options.inspect !== undefined || options.root !== undefined
    const interpreter = isInspected ? 'xstate' : (options.interpreter ?? 'tables')
    const isLean = interpreter === 'tables'
    this.#createChild = isLean ? spawnedBelow : createChild
    const request = asSubrun?.request ?? rootRequest(started)
    this.#child = options.rootLogic ?? { id: started.agent, logic: agentLogic(interpreter), input: request }
    this.remoteAgents = new RemoteAgents(asSubrun)
    const descent = Descent.of(started)
    this.descent = descent
    this.recorder = new EventRecorder(started, {
      log: options.log,
      isSubrun: asSubrun !== undefined,
      ...(descent && { threadNamed: (name: string) => descent.threadNamed(name) }),
    })
    const definition = options.registry.get(started.agent)
    this.#threadId = definition === undefined ? started.threadId : threadOfRun(started, definition)
    const own = asSubrun === undefined ? definition : undefined
    const budget = budgetOf(own?.settings.budget, started.settings.budget)
    const budgetToday = budgetOf(own?.settingsToday?.budget, started.settings.budget)
    this.#questions = new QuestionIndex(this, options.isResumed !== true)
    this.limits = new RunLimits(budget, this, budgetToday)
    const report = options.report ?? reporterOf()
    this.#claimed = new ClaimedThreads(started.runId, options.memory, report)
    const inspect =
      options.inspect && safely('an inspector', options.inspect, report, () => ({ runId: this.runId }))
    const { observers = [] } = options
    this.#atWork = AgentsAtWork.of({
      observers,
      started,
      registry: options.registry,
      report,
      base: () => sourceOf(this.agent).path,
    })
    const around = wrappersOf(observers)
    const performer = new Performer(options, this, {
      perform: options.perform ?? perform,
      report,
      around: this.#atWork === undefined ? around : [this.#atWork.around, ...around],
      inspect,
      prices: this.limits.budget?.prices,
      clock: options.performKeepsDeadlines === true ? systemClock : this.clock,
    })
    this.effects = new EffectRunner(this, performer)
    this.suspension = new Suspension(this)
    this.#delivery = new SignalDelivery(this)
    this.#machineEvents = new MachineEvents(this)
    this.#door = new EngineDoor(options, this, this.#machineEvents, this.#claimed, report)
    if (options.root === undefined) {
      const { timers } = options
      const id = this.runId
      const input = { door: this }
      this.root = isLean
        ? createRoot(runLogic, { id, input, clock: timers, guard: this.#door })
        : createActor(runLogic, {
            id,
            input,
            ...(inspect === undefined ? {} : { inspect }),
            ...(timers === undefined ? {} : { clock: timers }),
          })
      if (!isLean) guardInspectors(this.root.system, this.#door)
    } else {
      this.root = options.root
      this.attach(options.root)
    }
  }

  /** Opens the door on the root, and creates the root agent as its child. */
  attach(root: AnyActorRef): AnyActorRef {
    this.#door.openOn(root)
    this.#agents = new RootAgents(root, this.#child, (output) => this.#end(output), this.#createChild)
    return this.agent
  }

  /** The thread of the run; of an agent whose memory a function of the run makes, once it is made. */
  get threadId(): string | undefined {
    if (this.#threadId !== undefined) return this.#threadId
    const named = this.#agents?.threadId
    return named === undefined ? undefined : (this.descent?.threadNamed(named) ?? named)
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

  /** Whether it is suspended, and the index of the store says so, with its questions. */
  get isAtRest(): boolean {
    return this.isSuspended && !this.#isSettlingDown
  }

  /** The number of entries with which it is suspended now; `undefined`: it is not. */
  get suspendedAt(): number | undefined {
    return this.isSuspended && this.output === undefined ? this.#delivered : undefined
  }

  /** Whether it appends to its journal, and does not read it. */
  get isAppending(): boolean {
    return appends(this.#phase)
  }

  /** The number of journal entries that were delivered. */
  get delivered(): number {
    return this.#delivered
  }

  /** Appends `run.started`; the agent starts when the entry is durable. `context`: that in which the run is to work. */
  start(context: AsyncContext = contextHere()): void {
    this.#context = context
    const { started, promptFiles } = this.#options
    this.#startRoot()
    this.append(started, promptFiles === undefined ? undefined : { files: promptFiles })
  }

  /** Switches to replay: later entries come from the journal and are delivered; nothing is appended or performed. */
  beginReplay(): void {
    this.#phase = 'replaying'
    this.#startRoot()
  }

  /** Ends the replay, and starts the effects that are still wanted. Signals that `first` sends come before. */
  goLive(first?: () => void): void {
    this.#context.run(() => this.#goLive(first))
  }

  #goLive(first: (() => void) | undefined): void {
    if (this.#phase !== 'replaying' || this.#options.committer === undefined) return
    this.#phase = 'live'
    this.clock.continueFrom(this.now)
    this.limits.takenOver(this.clock.now() - this.now)
    if (this.output !== undefined) this.append(settledEntry(this.output))
    else if (this.program.drift !== undefined) this.#tellDrift(this.program.drift)
    const wasCancelled = this.signals.isClosed
    first?.()
    // After a cancel nothing starts: the cancel is delivered before any effect of the ended process goes on.
    // The same holds for a budget whose time ran out while no process owned the run.
    const isSpent = this.limits.wallClock?.schedule() === true
    this.#phase = 'heldBack'
    if (isSpent || (!wasCancelled && this.signals.isClosed)) return
    if (this.isSuspended) this.#suspended()
    this.turnEnded()
  }

  #tellDrift(drift: Drift): void {
    this.append({ type: 'program.drifted', at: 0, ...drift })
  }

  /** Functions of the run have made an agent otherwise than the journal says. It is told once. */
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void {
    if (this.program.hasTold(agent, digest)) return
    assertMayDrift(this, edits, this.#options.onDrift)
    const drift = { edits, agents: {}, made: { [agent]: digest } }
    this.program.drifted(drift)
    this.#tellDrift(drift)
  }

  /**
   * Abandons the run as it is: effects in progress here are aborted, and nothing more is appended. `reason`: of their
   * signals.
   */
  abandon(reason?: TroupeError): void {
    if (this.#phase !== 'settled') this.#phase = 'abandoned'
    this.limits.wallClock?.abandon()
    this.halt(reason)
  }

  /** Aborts the effects in progress; entries that were appended are still delivered. */
  halt(reason?: TroupeError): void {
    this.#context.run(() => {
      this.effects.close(reason)
      this.#atWork?.ended('left')
    })
  }

  /** A root in another system is started by that system. */
  #startRoot(): void {
    if (this.#options.root === undefined) this.root.start()
  }

  #end(output: AgentOutput): void {
    if (this.output !== undefined) return
    if (output.error !== undefined) this.errors.found(sourceOf(this.agent).path, output.error)
    this.output = deepFreeze(output)
    this.limits.wallClock?.stop()
    this.signals.close()
    this.append(settledEntry(output))
  }

  // --- the queue ------------------------------------------------------------------------------------------------

  /** Appends a signal. An ended or abandoned run takes none; a run that is being cancelled takes no other cancel. */
  signal(signal: Signal, options?: AppendOptions): void {
    if (this.output !== undefined || this.#phase === 'abandoned') return
    if (signal.type === 'cancel' && signal.delegationId === undefined) {
      if (this.signals.isClosed) return
      this.signals.close()
    }
    this.append({ type: 'signal.received', at: 0, signal }, options)
  }

  /** The trace context for subagents that run elsewhere, of the agent that an effect works for. */
  traceparentAt(path: string): string | undefined {
    return this.#atWork?.traceparentAt(path)
  }

  /** Takes another trace context at once; it is on record for the processes that go on with the run. */
  trace(traceparent: string): void {
    if (traceparent === this.traceparent) return
    this.traceparent = traceparent
    this.signal({ type: 'trace', traceparent })
  }

  append(entry: JournalEntry, options?: AppendOptions): void {
    const { committer } = this.#options
    if (committer === undefined || !this.isAppending) return
    committer.append(this, this.#stamped(entry), options)
  }

  /** `before`: the time of the entry that it is inserted before. Default: now. */
  #stamped(entry: JournalEntry, before?: number): JournalEntry {
    const { conversationId } = this.#options.started
    const at = this.clock.entryTime(before)
    const judged = withVerdict(entry, this.signals, this.#options.registry)
    return conversationId === undefined ? { ...judged, at } : { ...judged, at, conversationId }
  }

  overtaken(answers: readonly QueuedSignal[], waiting: readonly Draft[]): readonly Draft[] {
    const { listener } = this.#options
    listener?.onOvertaken?.(answers)
    return answersFirst(this.signals, answers, waiting, {
      stamp: (entry) => this.#stamped(entry, waiting[0]?.entry.at),
      refuse: (queued, error) => listener?.onRefused?.(queued, error),
    })
  }

  committed(entry: JournalEntry): void {
    if (this.#phase === 'abandoned') return // the next process that reads the journal delivers it
    if (this.#isInContext) this.deliver(entry)
    else this.#context.run(deliverTo, this, entry)
  }

  /** The committer works in no context. */
  get #isInContext(): boolean {
    return this.#context === noContext || this.#context === anyContext
  }

  get hasQuestions(): boolean {
    return this.#questions.isUsed
  }

  questionChange(entries: readonly JournalEntry[]): QuestionChange | undefined {
    return this.#questions.change(entries)
  }

  questionsKept(): void {
    this.#questions.kept()
  }

  /**
   * Writes the questions into the index where they have changed; a suspension is told once it has them, and again where an
   * entry came that has not ended it.
   */
  indexed(): void {
    if (!this.#indexes) return
    if (this.#questions.isStale) {
      if (this.isSuspended && this.output === undefined) this.#isSettlingDown = true
      this.#options.committer?.index?.(this)
    } else if (this.#isSettlingDown) {
      this.#isSettlingDown = false
      this.recorder.log.release()
      if (this.isSuspended && this.output === undefined) this.#options.listener?.onSuspended?.()
    }
  }

  /** Whether the store has an index of questions, and this engine writes it. */
  get #indexes(): boolean {
    return this.#options.committer?.index !== undefined && this.isAppending
  }

  #suspended(): void {
    if (this.#indexes) this.#isSettlingDown = true
    else this.#options.listener?.onSuspended?.()
  }

  turnEnded(): void {
    if (this.#isInContext) this.#turnEnded()
    else this.#context.run(Engine.#endTurn, this)
  }

  static readonly #endTurn = (engine: Engine): void => engine.#turnEnded()

  #turnEnded(): void {
    this.indexed()
    const { ownership } = this.#options
    if (!this.isAppending) return
    if (ownership?.isCurrent(this.runId) === false) {
      this.confirmed = ownership.confirm(this.runId).then(
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
    const loss = lostRun(this.runId, error)
    this.abandon(loss)
    this.signals.close()
    this.#options.listener?.onLost?.(loss)
  }

  // --- delivery -------------------------------------------------------------------------------------------------

  /** Counts an entry to which the agents of today do not lead: the run was ended by force behind it. */
  passOver(): void {
    this.#delivered++
  }

  deliver(entry: JournalEntry): void {
    this.recorder.entry = this.#delivered++
    this.now = entry.at
    if (!isSay(entry)) this.sayings.wentOn()
    switch (entry.type) {
      case 'run.started':
        this.limits.started(entry.at)
        this.recorder.recordRun('run-start', beginningOf(entry, this.threadId), this.now)
        if (this.isAppending) this.#options.listener?.onStarted?.()
        this.agent.start()
        break
      case 'effect.started':
        // A fork shares no call in progress: it makes the call itself.
        if (!this.#isShared) this.effects.deliverStarted(entry.key)
        break
      case 'effect.settled':
        this.errors.settled(entry)
        this.#inherit(entry)
        this.#conclude(modelCallEnd(this.effects.pending.get(entry.key), entry.settlement))
        this.limits.budget?.note(entry, this.effects.effectOf(entry.key), this.effects.pending.has(entry.key))
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
      case 'program.drifted':
        this.program.drifted(entry)
        this.recorder.recordRun('drift', { edits: entry.edits }, this.now)
        break
      case 'run.settled':
        if (entry.forced === true) this.#endByForce(entry)
        if (this.isAppending && this.#options.asSubrun === undefined) this.released = this.#claimed.release()
        this.#finish(entry)
        break
    }
    this.#machineEvents.tellParents()
    this.remoteAgents.tell(() => this.awaiting())
    this.#warn()
    if (this.output === undefined && this.suspension.notice() && this.isAppending) this.#suspended()
    this.#postpone()
  }

  /** Its charts are where they were: they ask still, and nobody may answer. */
  #endByForce(entry: RunSettled): void {
    this.output ??= forcedOutput(entry, this.partialOutput)
    this.signals.close()
  }

  /** Whether the entry that is being delivered is another run's. */
  get #isShared(): boolean {
    return this.recorder.entry < (this.#options.started.forkedFrom?.at ?? 0)
  }

  #inherit({ key, settlement }: EffectSettled): void {
    const effect = this.descent && this.effects.effectOf(key)
    if (effect === undefined) return
    if (isKind(effect, 'memory')) {
      this.descent?.remembered(key, this.recorder.entry, effect.request.input, settlement)
    }
    if (isKind(effect, 'tool') && writesNote(effect, this.registry))
      this.descent?.noted(effect.request.input, settlement)
  }

  /** Lets the time pass that lies between the entries that a fork shares and its own. */
  #postpone(): void {
    const { uncounted } = this.#options.started
    const span = uncounted?.find(({ at }) => at === this.#delivered)?.span
    if (span === undefined) return
    this.effects.postpone(span)
    this.limits.postpone(span)
  }

  // --- calls of its parts ---------------------------------------------------------------------------------------

  rootCancelled(reason: string): void {
    if (this.isAbandoned) this.#options.listener?.onRootCancelled?.(reason)
    else this.signal({ type: 'cancel', reason })
  }

  wasLetGo(effect: PendingEffect): void {
    this.#conclude(modelCallEnd(effect))
  }

  wasSuspended(payload: EventPayloads['suspended']): void {
    if (this.#indexes) this.recorder.log.hold()
    this.recorder.recordRun('suspended', payload, this.now)
    this.#atWork?.ended('suspended')
  }

  wasResumed(payload: EventPayloads['resumed']): void {
    this.recorder.recordRun('resumed', payload, this.now)
  }

  wasRecorded(path: string, event: MachineEvent): void {
    this.#atWork?.noted(path, event)
  }

  wasHeld(actor: AnyActorRef, what: 'held' | 'released'): void {
    if (what === 'released') this.remoteAgents.released(sourceOf(actor).path, this.effects.pending)
    if (actor !== this.#agents?.current) return
    this.remoteAgents.announced(what)
    if (what === 'released') this.#delivery.released()
  }

  #conclude(end: ModelCallEnd | undefined): void {
    if (end !== undefined) this.recorder.log.conclude(end)
  }

  /** Ends the run when its time is up: the event goes down the whole tree, from the root agent. */
  #spend(): void {
    const error = this.limits.timeIsUp(this.now)
    if (error !== undefined) this.#expire(error)
  }

  /** The clock of the run is in another workflow. */
  spentElsewhere({ error, until }: Extract<Signal, { readonly type: 'spent' }>): void {
    this.limits.lastTurnsUntil(until)
    this.#expire(error)
  }

  #expire(error: ErrorData): void {
    this.suspension.overtaken()
    this.agent.send({ type: 'budget.spent', error })
    this.effects.limitLastTurns()
  }

  #warn(): void {
    if (this.isSettled) return // no event follows the end
    for (const share of this.limits.warnings(this.now))
      this.recorder.recordRun('budget-warning', share, this.now)
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
    this.recorder.recordRun('run-finish', payload, this.now, {
      final: true,
      ...(message === undefined ? {} : { messageId: message }),
    })
    this.recorder.log.end()
    const output = this.output ?? crashed(toErrorData(undefined))
    this.#atWork?.ended(output.outcome, output.text, output.error)
    this.#options.listener?.onSettled?.(output)
  }
}
