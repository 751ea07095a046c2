/**
 * One execution of the workflow that runs an agent: a live actor on our engine, whose effects are steps of the workflow.
 * Restate executes it anew after a crash, and hands over what is recorded in the order in which it was; so the actor
 * comes to where it was, and goes on.
 */
import type { internal, WorkflowContext } from '@restatedev/restate-sdk'
import { budgetOf } from '../runtime/budget-options.ts'
import { Configurations } from '../runtime/configurations.ts'
import { Engine } from '../runtime/engine.ts'
import type { RunPart } from '../runtime/engine-options.ts'
import type { EventLog } from '../runtime/event-log.ts'
import { startedOf } from '../runtime/check-entry.ts'
import type { AgentRegistry } from '../runtime/registry.ts'
import { registryOf } from '../runtime/run-registry.ts'
import { resultOf } from '../runtime/run-results.ts'
import type { Store } from '../runtime/store.ts'
import { remoteAgentMachine } from '../machines/remote-agent.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { Answers } from './answers.ts'
import { Effects } from './effects.ts'
import { HeldNotices } from './held-notices.ts'
import { Race } from './race.ts'
import { Subagents } from './subagents.ts'
import { Turns } from './turns.ts'
import { names, type CancelOrder, type RunReport, type RunRequest } from './wire.ts'
import { WorkflowClock } from './workflow-clock.ts'

/** What a worker has for all its runs. */
export interface RunHome {
  readonly registry: AgentRegistry
  readonly namespace: string
  readonly store: Pick<Store, 'memory' | 'config'>
  /** Takes what is streamed past the journal. */
  readonly openLog: () => EventLog
}

export class DurableRun {
  readonly #context: WorkflowContext
  readonly #request: RunRequest
  readonly #race = new Race()
  readonly #clock: WorkflowClock
  readonly #turns: Turns
  readonly #engine: Engine
  readonly #answers: Answers
  readonly #notices: HeldNotices | undefined
  #output: AgentOutput | undefined

  /** Throws a `ConfigurationError` when the agent is not here in the version that the run began with. */
  constructor(context: WorkflowContext, request: RunRequest, home: RunHome) {
    this.#context = context
    this.#request = request
    const started = startedOf([request.started])
    const { store, namespace } = home
    const registry = registryOf(home.registry, started)
    const race = this.#race
    const clock = new WorkflowClock(context, race, started.at)
    const turns = new Turns(context, request)
    const effects = new Effects({ context, race, clock, registry, turns })
    const own = request.part === undefined ? registry.get(started.agent)?.settings.budget : undefined
    const prices = budgetOf(own, started.settings.budget)?.prices
    const tell: Engine['signal'] = (signal) => this.#engine.signal(signal)
    const subagents = new Subagents({ context, race, clock, registry, namespace, started, prices, tell })
    const { part } = request
    this.#notices = part && new HeldNotices(context, part.parent, part.request.path, clock)
    this.#clock = clock
    this.#turns = turns
    this.#engine = new Engine({
      registry,
      clock,
      started,
      functions: {}, // they would not be there on another worker
      committer: effects,
      memory: store.memory,
      config: store.config,
      configurations: new Configurations({ registry, started }),
      log: home.openLog(),
      remote: remoteAgentMachine,
      ...partOf(request, this.#notices),
      recordsStart: (ticket) => effects.recordsStart(ticket),
      perform: (effect, performContext, ticket) =>
        effect.kind === 'agent'
          ? subagents.perform(effect.input as Parameters<Subagents['perform']>[0])
          : effects.perform(effect, performContext, ticket),
      onSettled: (output) => {
        this.#output = output
      },
      onSuspended: () => undefined,
    })
    this.#answers = new Answers({ context, race, clock, signals: this.#engine.signals, tell })
  }

  async run(): Promise<RunReport> {
    const engine = this.#engine
    const { attemptCompletedSignal } = this.#context.request()
    // What is under way here is of no use any more: another execution goes on, or the run has ended.
    attemptCompletedSignal.addEventListener('abort', () => engine.abandon(), { once: true })
    this.#heedCancel()
    engine.start()
    for (;;) {
      await this.#turns.deliver(engine)
      // Whoever reads of a question may answer it, and whoever hears of the turn may read it.
      this.#answers.update()
      this.#turns.keep()
      this.#notices?.send()
      if (this.#output !== undefined) return this.#report(this.#output)
      await this.#race.next()
    }
  }

  #report(output: AgentOutput): RunReport {
    const at = this.#clock.now()
    if (this.#request.part !== undefined) return { at, output }
    return { at, result: resultOf(this.#engine, output) }
  }

  /** Of ours, with a reason, and of Restate's own, from its console. */
  #heedCancel(): void {
    const context = this.#context as internal.ContextInternal & WorkflowContext
    const cancel = ({ reason = 'cancelled', cause }: Partial<CancelOrder>): void =>
      this.#engine.signal({ type: 'cancel', reason, ...(cause === undefined ? {} : { cause }) })
    this.#race.add(context.promise<CancelOrder>(names.cancel).get(), (order) => {
      this.#clock.advance(order?.at)
      cancel(order ?? {})
    })
    const heed = (): void => {
      this.#race.add(context.cancellation(), () => {
        cancel({})
        heed()
      })
    }
    heed()
  }
}

function partOf({ part }: RunRequest, notices: HeldNotices | undefined): { readonly part?: RunPart } {
  if (part === undefined) return {}
  const { request, origin } = part
  return {
    part: {
      request,
      origin,
      onHeld: (awaiting) => notices?.held(awaiting),
      onReleased: (by) => notices?.released(by),
    },
  }
}
