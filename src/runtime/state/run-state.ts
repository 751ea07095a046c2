/**
 * The state of one run: entries of its journal go in; its events, the effects that its machines want, and its end come out. It
 * reads no clock and no store, and performs nothing. A driver that works for the run is told of each change.
 */
import { createActor, type AnyActorRef, type InspectionEvent } from 'xstate'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { createChild, guardInspectors } from '../../actors/xstate-internals.ts'
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import { traceIn, type TraceContext } from '../../actors/strict/trace-context.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'
import type { AgentOutput, AgentParts } from '../../machines/contract/records.ts'
import type { AwaitedSignal, EventPayloads, MachineEvent } from '../../machines/contract/events.ts'
import { sourceOf } from '../actor-source.ts'
import type { Registry } from '../definition/registry.ts'
import { EventRecorder } from '../handle/event-recorder.ts'
import type { ModelCallEnd } from '../handle/run-event.ts'
import { createRoot, spawnedBelow } from '../interpreter/lean-actor.ts'
import {
  isSay,
  type EffectSettled,
  type JournalEntry,
  type RunSettled,
  type RunStarted,
  type Signal,
} from '../journal/journal.ts'
import { namesOf } from '../journal/lineage.ts'
import { budgetOf } from '../options/budget-options.ts'
import { Program } from '../program/program.ts'
import { reporterOf, type Reporter } from '../report.ts'
import { agentLogic } from './agent-logic.ts'
import { crashed, forcedOutput, RootAgents, type CreateChild, type RunChild } from './root-agents.ts'
import { Descent } from './descent/descent.ts'
import type { Driver } from './effects/driver.ts'
import { modelCallEnd } from './effects/model-call-end.ts'
import { isKind, type PendingEffect } from './effects/pending-effect.ts'
import { RestoredCalls } from './effects/restored-calls.ts'
import { RunLimits } from './effects/run-limits.ts'
import { wallClockKey } from './effects/wall-clock.ts'
import { WantedEffects } from './effects/wanted-effects.ts'
import { MachineEvents } from './machine-events.ts'
import { beginningOf, rootRequest, threadOfRun } from './prepare.ts'
import { RemoteAgents } from './remote-agents.ts'
import { RunErrors } from './run-errors.ts'
import { runLogic } from './run-logic.ts'
import { safely } from './safe-observers.ts'
import { SignalDelivery } from './signal-delivery.ts'
import { OpenSignals } from './signals/open-signals.ts'
import { StandingDecisions } from './signals/standing-decisions.ts'
import { TakenSayings } from './signals/taken-sayings.ts'
import { StateDoor, type StateOptions } from './state-door.ts'
import { Suspension } from './suspension.ts'

/** The state of one run: entries go in; its events, the effects that it wants and its end come out. */
export class RunState {
  readonly started: RunStarted
  readonly runId: string
  /** The id with which it makes names: that of a fork is the id of the run that it descends from in the end. */
  readonly origin: string
  /** The id of the agent that the run began with. */
  readonly rootId: string
  /** The agents as the run sees them. */
  readonly registry: Registry
  readonly report: Reporter
  /** The given inspector, safe to call. */
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly recorder: EventRecorder
  readonly signals = new OpenSignals()
  readonly standing = new StandingDecisions()
  readonly restoredCalls = new RestoredCalls()
  readonly sayings = new TakenSayings()
  readonly effects: WantedEffects
  readonly limits: RunLimits
  readonly suspension: Suspension
  /** The agents of the run, as recorded and as they are. */
  readonly program: Program
  readonly remoteAgents: RemoteAgents
  readonly errors = new RunErrors()
  /** What a fork has of the runs before it; `undefined`: the run is none. */
  readonly descent: Descent | undefined
  /** Whether it is a part of a run whose root is elsewhere. */
  readonly isPart: boolean
  readonly root: AnyActorRef
  /** Absent while the run is read. */
  driver: Driver | undefined
  /** The output of the root agent; its `run.settled` may not have been delivered yet. */
  output: AgentOutput | undefined
  /** Logical time: the `at` of the entry that is being delivered. */
  now: number
  /** The W3C trace context of the run. */
  trace: TraceContext | undefined
  /** The epoch of the store that the run has come to. */
  epoch: number
  readonly #options: StateOptions
  readonly #child: RunChild
  readonly #createChild: CreateChild
  readonly #threadId: string | undefined
  readonly #machineEvents: MachineEvents
  readonly #door: StateDoor
  readonly #delivery: SignalDelivery
  #agents: RootAgents | undefined
  #delivered = 0
  #isSettled = false

  constructor(options: StateOptions) {
    const { started, asSubrun, registry, report = reporterOf() } = options
    this.#options = options
    this.started = started
    this.runId = started.runId
    this.origin = namesOf(started).origin ?? started.runId
    this.rootId = started.agent
    this.registry = registry
    this.report = report
    this.now = started.at
    this.trace = traceIn(started)
    this.epoch = started.epoch ?? 0
    this.isPart = asSubrun !== undefined
    this.program = new Program(registry, started)
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
      isSubrun: this.isPart,
      ...(descent && { threadNamed: (name: string) => descent.threadNamed(name) }),
    })
    const definition = registry.get(started.agent)
    this.#threadId = definition === undefined ? started.threadId : threadOfRun(started, definition)
    const own = asSubrun === undefined ? definition : undefined
    const budget = budgetOf(own?.settings.budget, started.settings.budget)
    const budgetToday = budgetOf(own?.settingsToday?.budget, started.settings.budget)
    this.limits = new RunLimits(budget, this, budgetToday)
    this.inspect =
      options.inspect && safely('an inspector', options.inspect, report, () => ({ runId: this.runId }))
    this.effects = new WantedEffects(this)
    this.suspension = new Suspension(this)
    this.#delivery = new SignalDelivery(this)
    this.#machineEvents = new MachineEvents(this)
    this.#door = new StateDoor(options, this, this.#machineEvents)
    if (options.root === undefined) {
      const { timers } = options
      const id = this.runId
      const input = { door: this }
      this.root = isLean
        ? createRoot(runLogic, { id, input, clock: timers, guard: this.#door })
        : createActor(runLogic, {
            id,
            input,
            ...(this.inspect === undefined ? {} : { inspect: this.inspect }),
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

  /** Starts its root. A root in another system is started by that system. */
  begin(): void {
    if (this.#options.root === undefined) this.root.start()
  }

  // --- what it is -------------------------------------------------------------------------------------------------

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

  /** Whether `run.settled` has been delivered. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  get isSuspended(): boolean {
    return this.suspension.isSuspended
  }

  /** The number of entries with which it is suspended now; `undefined`: it is not. */
  get suspendedAt(): number | undefined {
    return this.isSuspended && this.output === undefined ? this.#delivered : undefined
  }

  /** The number of journal entries that were delivered. */
  get delivered(): number {
    return this.#delivered
  }

  /** Whether the run may hold threads: it, or a subagent that runs elsewhere, has asked for memory. */
  get mayHoldThreads(): boolean {
    return this.#door.mayHoldThreads
  }

  /** The signals that the run waits for. */
  awaiting(): AwaitedSignal[] {
    return this.suspension.awaiting()
  }

  // --- delivery ---------------------------------------------------------------------------------------------------

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
        this.driver?.started()
        if (entry.restored === true) this.#restored()
        this.agent.start()
        break
      case 'effect.started':
        // A fork shares no call in progress: it makes the call itself.
        if (!this.#isShared) this.effects.deliverStarted(entry.key)
        break
      case 'effect.settled':
        if (!this.#isSettled) this.errors.settled(entry)
        this.#inherit(entry)
        this.#conclude(modelCallEnd(this.effects.pending.get(entry.key), entry.settlement))
        this.#noteDoubt(entry)
        this.limits.budget?.note(entry, this.effects.effectOf(entry.key), this.effects.pending.has(entry.key))
        if (entry.charge !== undefined) this.limits.charged(entry.charge)
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
      case 'run.restored':
        this.#restored(entry.epoch)
        break
      case 'run.settled':
        if (entry.forced === true) this.#endByForce(entry)
        this.#finish(entry)
        break
    }
    this.#machineEvents.tellParents()
    this.remoteAgents.tell(() => this.awaiting())
    this.#warn()
    if (this.output === undefined && this.suspension.notice()) this.driver?.suspended()
    this.#postpone()
  }

  /** The run goes on from an earlier point. Its open questions may have been answered before. */
  #restored(epoch?: number): void {
    this.epoch = Math.max(this.epoch, epoch ?? 0)
    this.restoredCalls.restored()
    this.signals.restored()
    this.recorder.recordRun('restored', epoch === undefined ? {} : { epoch }, this.now)
  }

  /** Its charts are where they were: they ask still, and nobody may answer. */
  #endByForce(entry: RunSettled): void {
    this.output ??= forcedOutput(entry, this.partialOutput)
    this.signals.close()
  }

  /** Whether the entry that is being delivered is another run's. */
  get #isShared(): boolean {
    return this.recorder.entry < (this.started.forkedFrom?.at ?? 0)
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

  #noteDoubt({ key, settlement }: EffectSettled): void {
    if (!this.restoredCalls.isRestored) return
    const effect = this.effects.pending.get(key)
    if (effect !== undefined) this.restoredCalls.settled(effect, settlement)
  }

  /** Lets the time pass that lies between the entries that a fork shares and its own. */
  #postpone(): void {
    const span = this.started.uncounted?.find(({ at }) => at === this.#delivered)?.span
    if (span === undefined) return
    this.effects.postpone(span)
    this.limits.postpone(span)
  }

  #end(output: AgentOutput): void {
    if (this.output !== undefined) return
    if (output.error !== undefined) this.errors.found(sourceOf(this.agent).path, output.error)
    this.output = deepFreeze(output)
    this.limits.stopped()
    this.signals.close()
    this.driver?.ended(this.output)
  }

  #conclude(end: ModelCallEnd | undefined): void {
    if (end !== undefined) this.recorder.log.conclude(end)
  }

  /** Ends the run when its time is up: the event goes down the whole tree, from the root agent. */
  #spend(): void {
    const error = this.limits.timeIsUp(this.now)
    if (error !== undefined) this.#expire(error)
  }

  #expire(error: ErrorData): void {
    this.suspension.overtaken()
    this.agent.send({ type: 'budget.spent', error })
    this.effects.limitLastTurns()
  }

  #warn(): void {
    if (this.#isSettled) return // no event follows the end
    for (const share of this.limits.warnings(this.now))
      this.recorder.recordRun('budget-warning', share, this.now)
  }

  #finish(entry: RunSettled): void {
    this.#isSettled = true
    this.output ??= crashed(toErrorData(undefined))
    const { type: _type, at: _at, ...payload } = entry
    const { message } = this.output
    this.recorder.recordRun('run-finish', payload, this.now, {
      final: true,
      ...(message === undefined ? {} : { messageId: message }),
    })
    this.recorder.log.end()
    this.driver?.settled(this.output)
  }

  // --- calls of its parts -----------------------------------------------------------------------------------------

  wasLetGo(effect: PendingEffect): void {
    this.#conclude(modelCallEnd(effect))
  }

  wasSuspended(payload: EventPayloads['suspended']): void {
    this.driver?.suspending()
    this.recorder.recordRun('suspended', payload, this.now)
  }

  wasResumed(payload: EventPayloads['resumed']): void {
    this.recorder.recordRun('resumed', payload, this.now)
  }

  wasRecorded(path: string, event: MachineEvent): void {
    this.driver?.emitted(path, event)
  }

  wasHeld(actor: AnyActorRef, what: 'held' | 'released'): void {
    if (what === 'released') this.remoteAgents.released(sourceOf(actor).path, this.effects.pending)
    if (actor !== this.#agents?.current) return
    this.remoteAgents.announced(what)
    if (what === 'released') this.#delivery.released()
  }

  /** The clock of the run is in another workflow. */
  spentElsewhere({ error, until }: Extract<Signal, { readonly type: 'spent' }>): void {
    this.limits.lastTurnsUntil(until)
    this.#expire(error)
  }
}

/** Whether it is a call of the tool that replaces the note, and not of a tool of the user's with its name. */
function writesNote({ request, source }: PendingEffect<'tool'>, registry: Registry): boolean {
  const { tool } = request.input
  return tool === workingMemoryToolName && !Object.hasOwn(registry.get(source.agent)?.tools ?? {}, tool)
}
