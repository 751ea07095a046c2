/**
 * One execution of the workflow that runs an agent: a live actor on Troupe's engine, whose effects are steps of the
 * workflow. After a crash Restate executes the workflow again, and delivers the recorded results in their order; so the
 * actor returns to its state, and goes on.
 */
import type { internal, WorkflowContext } from '@restatedev/restate-sdk'
import { traceIn, type TraceContext } from '../../actors/strict/trace-context.ts'
import { RunAgentParts } from '../../runtime/agents/run-parts.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { performAround } from '../../runtime/engine/around/around.ts'
import type { Observer } from '../../runtime/engine/around/observer.ts'
import type { PerformContext } from '../../runtime/engine/perform/context.ts'
import { Engine } from '../../runtime/engine/engine.ts'
import { RunState } from '../../runtime/state/run-state.ts'
import type { Subrun } from '../../runtime/state/remote-agents.ts'
import type { OpenSignals } from '../../runtime/state/signals/open-signals.ts'
import type { EventLog } from '../../runtime/handle/event-log.ts'
import { startedOf, type Signal } from '../../runtime/journal/journal.ts'
import { LeaseLostError } from '../../errors.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { Reporter } from '../../runtime/report.ts'
import { registryOf } from '../../runtime/agents/run-registry.ts'
import { resultOf } from '../../runtime/state/run-results.ts'
import { heldBy } from '../../runtime/files/blob-storage.ts'
import { memoryOfRun } from '../../runtime/journal/memory-of-run.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { remoteAgentMachine } from '../../machines/remote-agent.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import { Account, sharesBudget } from '../account/account.ts'
import { AwaitedSignals } from './awaited-signals.ts'
import { Effects } from './effects.ts'
import { HoldNotifier } from './hold-notifier.ts'
import { QuestionClosing } from './question-closing.ts'
import { WorkflowInbox } from './workflow-inbox.ts'
import { Race } from './race.ts'
import { Subagents } from './subagents.ts'
import { TurnJournal } from './turn-journal.ts'
import { askerOf, originOf } from '../wire/part-request.ts'
import type { RestateSealing } from '../wire/sealing.ts'
import { names, type LastTurn, type RunReport, type RunRequest, type Said } from '../wire/wire.ts'
import { WorkflowClock } from './workflow-clock.ts'

/** The parts that all runs of a worker share. */
export interface RunHome {
  readonly registry: AgentRegistry
  readonly namespace: string
  readonly store: Pick<Store, 'memory' | 'config' | 'blobs'>
  /** Makes the log that takes streamed deltas, which bypass the journal. */
  readonly openLog: () => EventLog
  readonly report: Reporter
  readonly observers: readonly Observer[]
  readonly sealing: RestateSealing | undefined
  readonly interpreter: InterpreterName | undefined
}

export class DurableRun {
  readonly #context: WorkflowContext
  readonly #request: RunRequest
  readonly #race = new Race()
  readonly #clock: WorkflowClock
  readonly #turns: TurnJournal
  readonly #engine: Engine
  readonly #inbox: WorkflowInbox
  readonly #answers: AwaitedSignals
  readonly #notices: HoldNotifier | undefined
  readonly #account: Account | undefined
  #output: AgentOutput | undefined
  /**
   * Whether the turn has led to an effect that others may observe: then they may also read the entries that led to it.
   */
  #hasActed = false

  /** Throws a `ConfigurationError` when the agent is not here in the version that the run began with. */
  constructor(context: WorkflowContext, request: RunRequest, home: RunHome) {
    this.#context = context
    this.#request = request
    const started = startedOf([request.started])
    const { store, namespace } = home
    const registry = registryOf(home.registry, started)
    const race = this.#race
    const clock = new WorkflowClock(context, race, started.at)
    const turns = new TurnJournal(context, clock, home.sealing)
    const { conversationId } = started
    const closing = new QuestionClosing({ context, race, clock, turns, conversationId })
    const tell = (signal: Signal): void => this.#tell(signal)
    this.#inbox = new WorkflowInbox({ context, race, clock, tell })
    const signals = (): OpenSignals => this.#engine.state.signals
    this.#answers = new AwaitedSignals({ context, signals, inbox: this.#inbox, closing })
    const traceAt = (path: string): TraceContext | undefined => this.#engine.traceAt(path)
    const hasDrifted = (): boolean => this.#engine.state.program.drift !== undefined
    const effects = new Effects({
      context,
      race,
      clock,
      registry,
      turns: this.#answers,
      account: () => this.#account,
      hasDrifted,
      traceAt,
    })
    const keepLast: TurnJournal['keepLast'] = (path, last) => turns.keepLast(path, last)
    const asker = askerOf(registry, request)
    const subagents = new Subagents({
      context,
      race,
      clock,
      namespace,
      asker,
      trace: () => this.#engine.state.trace,
      ownTrace: () => effects.trace ?? traceIn(request),
      keepLast,
      lastTurnsEnd: () => this.#engine.state.limits.lastTurnsEnd,
    })
    const { part, parent } = request
    this.#notices =
      part === undefined || parent === undefined
        ? undefined
        : new HoldNotifier(context, parent, part.path, clock)
    this.#clock = clock
    this.#turns = turns
    const agentParts = new RunAgentParts({ registry, started })
    const state = new RunState({
      registry,
      started,
      log: home.openLog(),
      report: home.report,
      interpreter: home.interpreter,
      remoteAgent: remoteAgentMachine,
      ...subrunOf(request, this.#notices),
    })
    this.#engine = new Engine(state, {
      clock,
      functions: {}, // another worker would not have them
      committer: effects,
      memory: store.memory && memoryOfRun(store.memory, started.runId),
      ...(store.blobs === undefined ? {} : { blobs: heldBy(store.blobs, { runId: started.runId }) }),
      config: store.config,
      agentParts,
      observers: home.observers,
      partTrace: traceIn(request),
      performKeepsDeadlines: true,
      recordsStart: (effect) => effects.recordsStart(effect),
      perform: (request, performContext, effect) => {
        this.#hasActed = true
        return request.kind === 'agent'
          ? this.#performAgent(
              request.input as Parameters<Subagents['perform']>[0],
              performContext,
              subagents,
            )
          : effects.perform(request, performContext, effect)
      },
      listener: {
        onSettled: (output) => {
          this.#output = output
        },
      },
    })
    const { budget } = this.#engine.state.limits
    if (budget !== undefined && sharesBudget(registry, request, budget))
      this.#account = new Account({ context, race, clock, namespace, request, budget })
  }

  /** A message that a client has sent again is ignored: the journal has its id. */
  #tell(signal: Signal): void {
    if (signal.type === 'say' && this.#engine.state.sayings.has(signal.id)) return
    this.#engine.signal(signal)
  }

  /** In a replay of the workflow the request of a subagent is repeated, and no wrapper observes it. */
  #performAgent(
    input: Parameters<Subagents['perform']>[0],
    { around }: PerformContext,
    subagents: Subagents,
  ): ReturnType<Subagents['perform']> {
    const context = this.#context as internal.ContextInternal & WorkflowContext
    const act = () => subagents.perform(input)
    const isObserved = around !== undefined && input.operation === 'run' && context.isProcessing()
    // Restate records requests in the order in which they are made: a wrapper must not put one off.
    return isObserved ? performAround({ ...around, timeout: 0 }, act) : act()
  }

  async run(): Promise<RunReport> {
    const engine = this.#engine
    const { attemptCompletedSignal } = this.#context.request()
    // Effects in progress here have no use any more: another execution goes on, or the run has ended.
    attemptCompletedSignal.addEventListener(
      'abort',
      () => engine.abandon(new LeaseLostError(this.#engine.runId)),
      { once: true },
    )
    this.#inbox.open()
    this.#heedCancel()
    engine.start()
    for (;;) {
      await this.#turns.deliver(engine)
      // A question may be answered once it is readable, and a turn may be read once its notice arrives.
      if (this.#answers.update(engine) || this.#notices?.isAny === true) this.#turns.keep()
      const last = this.#keep()
      this.#notices?.send()
      this.#account?.turnEnded(this.#output !== undefined)
      if (this.#output !== undefined) {
        await engine.released // repeated where this execution is not the last one
        return this.#report(this.#output, last)
      }
      await this.#race.next()
    }
  }

  /**
   * Keeps the turn. Returns the entries that are left to the parent to keep: it receives them with the end, and no
   * other reader needs them before.
   */
  #keep(): LastTurn | undefined {
    const isPart = this.#request.part !== undefined
    const hasActed = this.#hasActed
    this.#hasActed = false
    if (this.#output !== undefined && isPart) return this.#turns.leave()
    // The start of a part follows from the request of its parent: it need not be kept until there is more.
    if (isPart && this.#turns.hasOnlyBegun && !this.#engine.state.signals.hasTasks) return undefined
    if (hasActed || this.#output !== undefined) this.#turns.keep()
    else this.#turns.keepSoon()
    return undefined
  }

  #report(output: AgentOutput, last: LastTurn | undefined): RunReport {
    const at = this.#clock.now()
    if (this.#request.part === undefined) return { at, result: resultOf(this.#engine.state, output) }
    const errors = this.#engine.state.errors.toArray()
    const spent = this.#account?.spent
    const reported = {
      ...output,
      ...(errors.length === 0 ? {} : { errors }),
      ...(spent === undefined ? {} : { spent }),
    }
    return { at, output: reported, ...(last === undefined ? {} : { last }) }
  }

  /** Listens for the cancel of a client, which may precede the start of the run, and of Restate, from its console. */
  #heedCancel(): void {
    const context = this.#context as internal.ContextInternal & WorkflowContext
    if (this.#request.part === undefined) this.#inbox.hear(context.promise<Said>(names.cancel).get())
    const heed = (): void => {
      this.#race.add(context.cancellation(), () => {
        this.#engine.signal({ type: 'cancel', reason: 'cancelled' })
        heed()
      })
    }
    heed()
  }
}

function subrunOf({ part }: RunRequest, notices: HoldNotifier | undefined): { readonly asSubrun?: Subrun } {
  if (part === undefined) return {}
  return {
    asSubrun: {
      request: part,
      origin: originOf(part),
      onHeld: (awaiting) => notices?.held(awaiting),
      onReleased: (by) => notices?.released(by),
    },
  }
}
