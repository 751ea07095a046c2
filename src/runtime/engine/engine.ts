/**
 * The embedded engine of one run: the driver of its state. It starts the effects that the state wants, appends every outcome,
 * signal and timer to the journal, and delivers them in the order of the journal, never before they are durable.
 */
import type { AgentOutput } from '../../machines/contract/records.ts'
import { isSameTrace, type TraceContext } from '../../actors/strict/trace-context.ts'
import type { MachineEvent } from '../../machines/contract/events.ts'
import type { TroupeError } from '../../errors.ts'
import { sourceOf } from '../actor-source.ts'
import { anyContext, contextHere, noContext, type AsyncContext } from '../async-context.ts'
import { systemClock } from '../clock.ts'
import type { AppendOptions, Appender, Draft } from '../journal/committer.ts'
import type { JournalEntry, Signal } from '../journal/journal.ts'
import { lostRun, storeFailure } from '../journal/lost-run.ts'
import type { QuestionChange } from '../journal/run-index.ts'
import { settledEntry } from './settled-entry.ts'
import { firstLease, type Lease, type QueuedSignal } from '../journal/store.ts'
import { assertMayDrift } from '../program/program.ts'
import type { Drift, Edit } from '../program/recorded.ts'
import type { Driver } from '../state/effects/driver.ts'
import type { PendingEffect } from '../state/effects/pending-effect.ts'
import type { RunState } from '../state/run-state.ts'
import { answersFirst } from '../state/signals/answers-first.ts'
import { withVerdict } from '../state/signals/changed-arguments.ts'
import { AgentsAtWork } from './around/agents-at-work.ts'
import { wrappersOf } from './around/observer.ts'
import { EffectRunner } from './effects/effect-runner.ts'
import { underWayIn, type EffectUnderWay } from './effects/under-way.ts'
import { Performer } from './effects/performer.ts'
import { WallClockAlarm } from './effects/wall-clock-alarm.ts'
import type { EngineOptions } from './engine-options.ts'
import { perform } from './perform/index.ts'
import { QuestionIndex } from './question-index.ts'
import { RunClock } from './run-clock.ts'
import type { MemoryStorage } from '../journal/memory-storage.ts'

const settledBefore: Promise<void> = Promise.resolve()

/**
 * - `reading`: the state of the run is read, or has not begun. Nothing is appended or performed.
 * - `heldBack`: the run was cancelled, or its time was up, before it went on: effects that were in progress when its
 *   process ended wait for the delivery of that.
 * - `live`: new entries are appended. Of a run whose end is delivered, these are late outcomes.
 * - `abandoned`: this process has abandoned or lost the run. Another process may continue the journal.
 */
type EnginePhase = 'reading' | 'heldBack' | 'live' | 'abandoned'

export class Engine implements Appender, Driver {
  readonly state: RunState
  readonly runId: string
  readonly lease: Lease
  readonly clock: RunClock
  readonly effects: EffectRunner
  readonly #options: EngineOptions
  /** That of whoever has started the run: its functions are called in it, whoever calls the engine. */
  #context: AsyncContext
  #phase: EnginePhase = 'reading'
  readonly #atWork: AgentsAtWork | undefined
  readonly #questions: QuestionIndex
  readonly #wallClock: WallClockAlarm | undefined
  /** Whether the run was suspended, and that is not told yet: the index does not have its questions, or its suspension. */
  #isSettlingDown = false
  /** Called after each turn of a paused run. */
  #onTurn: (() => void) | undefined
  /** Resolves when the threads that the run has claimed are free. It never rejects. */
  released = settledBefore
  /** Settles when the store has told whether this process still owns the run, where that was in doubt. */
  confirmed = settledBefore

  constructor(state: RunState, options: EngineOptions) {
    const { started, limits, report, registry } = state
    this.state = state
    this.#options = options
    this.#context = options.context ?? anyContext
    this.runId = state.runId
    this.lease = options.lease ?? firstLease(state.runId)
    this.clock = new RunClock(options.clock, started.at)
    this.#questions = new QuestionIndex(state, options.isResumed !== true)
    this.#wallClock = limits.wallClock && new WallClockAlarm(limits.wallClock, this)
    const { observers = [] } = options
    this.#atWork = AgentsAtWork.of({
      observers,
      started,
      registry,
      report,
      base: () => sourceOf(state.agent).path,
    })
    const around = wrappersOf(observers)
    const performer = new Performer(options, this, {
      perform: options.perform ?? perform,
      around: this.#atWork === undefined ? around : [this.#atWork.around, ...around],
      clock: options.performKeepsDeadlines === true ? systemClock : this.clock,
    })
    this.effects = new EffectRunner(this, performer)
  }

  /** Whether the run has not ended, and this process appends nothing more of it. */
  get isAbandoned(): boolean {
    return this.#phase === 'abandoned'
  }

  /** Whether it is suspended, and the index of the store says so, with its questions. */
  get isAtRest(): boolean {
    return this.state.isSuspended && !this.#isSettlingDown
  }

  // --- the beginning, and the end of the work -------------------------------------------------------------------

  /** Appends `run.started`; the agent starts when the entry is durable. `context`: that in which the run is to work. */
  start(context: AsyncContext = contextHere()): void {
    const { started } = this.state
    const { promptFiles } = this.#options
    this.#context = context
    this.#take()
    this.state.begin()
    this.append(started, promptFiles === undefined ? undefined : { files: promptFiles })
  }

  /** Takes over a run whose journal was read, and starts the effects that it wants. Signals that `first` sends come before. */
  goLive(first?: () => void): void {
    this.#context.run(() => this.#goLive(first))
  }

  #goLive(first: (() => void) | undefined): void {
    const { state } = this
    this.#take()
    this.clock.continueFrom(state.now)
    state.limits.takenOver(this.clock.now() - state.now)
    if (state.output !== undefined) this.append(settledEntry(state.output))
    else if (state.program.drift !== undefined) this.#tellDrift(state.program.drift)
    const wasCancelled = state.signals.isClosed
    const isRestored = this.#tellRestored()
    first?.()
    // After a cancel nothing starts: the cancel is delivered before any effect of the ended process goes on.
    // The same holds for a budget whose time ran out while no process owned the run.
    const isSpent = this.#wallClock?.set() === true
    this.#phase = 'heldBack'
    if (isSpent || (!wasCancelled && state.signals.isClosed)) return
    if (state.isSuspended) this.#tellSuspended()
    if (!isRestored) this.turnEnded() // else: nothing goes on before that is on record
  }

  #take(): void {
    this.#phase = 'live'
    this.state.driver = this
    this.effects.take(this.state.effects.pending.values())
    this.#atWork?.read(this.state.recorder.log)
  }

  /** The store was restored since: the run is told first of all. */
  #tellRestored(): boolean {
    const { state } = this
    const { epoch = 0 } = this.#options
    if (state.output !== undefined || epoch <= state.epoch) return false
    this.append({ type: 'run.restored', at: 0, epoch })
    return true
  }

  #tellDrift(drift: Drift): void {
    this.append({ type: 'program.drifted', at: 0, ...drift })
  }

  /** Functions of the run have made an agent otherwise than the journal says. It is told once. */
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void {
    const { program } = this.state
    if (program.hasTold(agent, digest)) return
    assertMayDrift(this.state, edits, this.#options.onDrift)
    const drift = { edits, agents: {}, made: { [agent]: digest } }
    program.drifted(drift)
    this.#tellDrift(drift)
  }

  /**
   * Abandons the run as it is: effects in progress here are aborted, and nothing more is appended. `reason`: of their
   * signals.
   */
  abandon(reason?: TroupeError): void {
    if (!this.state.isSettled) this.#phase = 'abandoned'
    this.#wallClock?.callOff()
    this.halt(reason)
  }

  /** Aborts the effects in progress; entries that were appended are still delivered. */
  halt(reason?: TroupeError): void {
    this.#context.run(() => {
      this.effects.close(reason)
      this.#atWork?.ended('left')
    })
  }

  /** Begins no more effects, and calls `onTurn` after each turn. `undefined`: it begins effects again. */
  pause(onTurn: (() => void) | undefined): void {
    this.effects.isPaused = onTurn !== undefined
    this.#onTurn = onTurn
    if (onTurn === undefined && this.#phase === 'live') this.#context.run(() => this.effects.startRequested())
  }

  /** Effects that have begun and not ended. */
  get underWay(): readonly EffectUnderWay[] {
    return this.#phase === 'abandoned' ? [] : underWayIn(this.state.effects)
  }

  /** Whether it has gone on, and nothing of it is under way. */
  get isQuiet(): boolean {
    return this.#phase === 'live' && this.state.delivered > 0 && this.underWay.length === 0
  }

  /** Whether a call is under way that a closing troupe lets end: see docs/run/deploying.md#close. */
  get owesCall(): boolean {
    return this.#phase === 'live' && this.effects.owesCall
  }

  /** The store refuses an entry of the run. */
  broke(error: unknown): void {
    if (this.#phase === 'abandoned') return
    const loss = lostRun(this.runId, error)
    this.abandon(loss)
    this.state.signals.close()
    this.#options.listener?.onLost?.(loss)
  }

  // --- the queue ------------------------------------------------------------------------------------------------

  /** Appends a signal. An ended or abandoned run takes none; a run that is being cancelled takes no other cancel. */
  signal(signal: Signal, options?: AppendOptions): void {
    const { state } = this
    if (state.output !== undefined || this.#phase === 'abandoned') return
    if (signal.type === 'cancel' && signal.delegationId === undefined) {
      if (state.signals.isClosed) return
      state.signals.close()
    }
    this.append({ type: 'signal.received', at: 0, signal }, options)
  }

  /** The trace context for subagents that run elsewhere, of the agent that an effect works for. */
  traceAt(path: string): TraceContext | undefined {
    return this.#atWork?.traceAt(path)
  }

  /** Takes another trace context at once; it is on record for the processes that go on with the run. */
  trace(trace: TraceContext): void {
    if (isSameTrace(trace, this.state.trace)) return
    this.state.trace = trace
    this.signal({ type: 'trace', ...trace })
  }

  append(entry: JournalEntry, options?: AppendOptions): void {
    if (this.#phase === 'reading' || this.#phase === 'abandoned') return
    this.#options.committer.append(this, this.#stamped(entry), options)
  }

  /** `before`: the time of the entry that it is inserted before. Default: now. */
  #stamped(entry: JournalEntry, before?: number): JournalEntry {
    const { started, signals, registry } = this.state
    const at = this.clock.entryTime(before)
    const judged = withVerdict(entry, signals, registry)
    const { conversationId } = started
    return conversationId === undefined ? { ...judged, at } : { ...judged, at, conversationId }
  }

  overtaken(answers: readonly QueuedSignal[], waiting: readonly Draft[]): readonly Draft[] {
    const { listener } = this.#options
    listener?.onOvertaken?.(answers)
    return answersFirst(this.state.signals, answers, waiting, {
      stamp: (entry) => this.#stamped(entry, waiting[0]?.entry.at),
      refuse: (queued, error) => listener?.onRefused?.(queued, error),
    })
  }

  committed(entry: JournalEntry): void {
    if (this.#phase === 'abandoned') return // the next process that reads the journal delivers it
    if (entry.type === 'signal.received' && entry.signal.type === 'answer')
      this.effects.answered(entry.signal.key)
    if (this.#isInContext) this.state.deliver(entry)
    else this.#context.run(deliverTo, this.state, entry)
  }

  /** The committer works in no context. */
  get #isInContext(): boolean {
    return this.#context === noContext || this.#context === anyContext
  }

  turnEnded(): void {
    if (this.#isInContext) this.#turnEnded()
    else this.#context.run(Engine.#endTurn, this)
  }

  static readonly #endTurn = (engine: Engine): void => engine.#turnEnded()

  #turnEnded(): void {
    this.indexed()
    const { ownership } = this.#options
    if (this.#phase === 'reading' || this.#phase === 'abandoned') return
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
    this.#onTurn?.()
  }

  // --- the index of questions -----------------------------------------------------------------------------------

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
    const isWaiting = this.state.suspendedAt !== undefined
    if (this.#questions.isStale) {
      if (isWaiting) this.#isSettlingDown = true
      this.#options.committer.index?.(this)
    } else if (this.#isSettlingDown) {
      this.#isSettlingDown = false
      this.state.recorder.log.release()
      if (isWaiting) this.#options.listener?.onSuspended?.()
    }
  }

  /** Whether the store has an index of questions, and this engine writes it. */
  get #indexes(): boolean {
    return this.#options.committer.index !== undefined && this.#phase !== 'abandoned'
  }

  #tellSuspended(): void {
    if (this.#indexes) this.#isSettlingDown = true
    else this.#options.listener?.onSuspended?.()
  }

  /** Lets the time of the run be up now. */
  ringWallClock(): void {
    this.#wallClock?.ring()
  }

  // --- calls of the state ---------------------------------------------------------------------------------------

  started(): void {
    this.#options.listener?.onStarted?.()
  }

  wanted(effect: PendingEffect): void {
    this.effects.wanted(effect)
  }

  lettingGo(effect: PendingEffect): void {
    this.effects.lettingGo(effect)
  }

  unpaused(effect: PendingEffect): void {
    this.effects.unpaused(effect)
  }

  limited(effect: PendingEffect): void {
    this.effects.limited(effect)
  }

  delivered(key: string): void {
    this.effects.delivered(key)
  }

  clockChanged(): void {
    this.#wallClock?.set()
  }

  emitted(path: string, event: MachineEvent): void {
    this.#atWork?.noted(path, event)
  }

  suspending(): void {
    if (this.#indexes) this.state.recorder.log.hold()
  }

  suspended(): void {
    this.#atWork?.ended('suspended')
    this.#tellSuspended()
  }

  ended(output: AgentOutput): void {
    this.append(settledEntry(output))
  }

  settled(output: AgentOutput): void {
    if (!this.state.isPart) this.released = releaseThreads(this.state, this.#options.memory)
    this.#atWork?.ended(output.outcome, output.text, output.error)
    this.#options.listener?.onSettled?.(output)
  }

  rootCancelled(reason: string): void {
    if (this.isAbandoned) this.#options.listener?.onRootCancelled?.(reason)
    else this.signal({ type: 'cancel', reason })
  }
}

/** Never rejects: an end on record is final. */
async function releaseThreads(
  { runId, mayHoldThreads, report }: Pick<RunState, 'runId' | 'mayHoldThreads' | 'report'>,
  memory: Pick<MemoryStorage, 'remove'> | undefined,
): Promise<void> {
  if (!mayHoldThreads || memory === undefined) return
  try {
    await memory.remove({ runId })
  } catch (error) {
    const message = `the threads that the run "${runId}" has claimed could not be released`
    report({ message, code: 'THREADS_NOT_RELEASED', where: 'store', error, runId })
  }
}

const deliverTo = (state: RunState, entry: JournalEntry): void => state.deliver(entry)
