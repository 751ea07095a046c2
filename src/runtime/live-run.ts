/**
 * A run that this troupe works on. One that is suspended leaves memory after a while: what remains is what was asked
 * and what was said; its signal brings it back, from its journal.
 */
import type { AnyActorRef } from 'xstate'
import { statusOf } from '../actors/xstate-internals.ts'
import { totalUsage } from '../actors/usage.ts'
import { LeaseLostError, RunNotFoundError, toErrorData } from '../errors.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { partialOutput } from './agent-logic.ts'
import { answerOf } from './answer.ts'
import { inBackground } from './clock.ts'
import { Configurations } from './configurations.ts'
import { Engine } from './engine.ts'
import { EventLog, type RunEvent } from './event-log.ts'
import type { JournalEntry, RunStarted } from './journal.ts'
import type { SupervisorOptions } from './options.ts'
import { lookUp } from './registry.ts'
import { report } from './report.ts'
import {
  finalResult,
  shapedResult,
  type FinalResult,
  type RunResult,
  type SuspendedResult,
} from './result.ts'
import { resumeFrom } from './resume.ts'
import type { HostedRun, RunHost } from './run-host.ts'
import { cancelSignal, type Run, type RunSignal } from './run.ts'
import { firstLease, type Lease } from './store.ts'

export interface Beginning {
  readonly started: RunStarted
  /** The options that were given with the run: the home of its functions. */
  readonly functions: SupervisorOptions
  readonly signal?: AbortSignal | undefined
  /** An actor of somebody else's system, as the root of the run. */
  readonly root?: AnyActorRef
}

export class LiveRun implements HostedRun {
  readonly run: Run
  readonly #host: RunHost
  readonly #beginning: Beginning
  readonly #log = new EventLog()
  readonly #configurations: Configurations
  readonly #end = Promise.withResolvers<FinalResult>()
  #idle: PromiseWithResolvers<RunResult> | undefined
  /** What it said when it was suspended last; unset while it goes on. */
  #suspended: SuspendedResult | undefined
  #engine: Engine
  #isParked = false
  #reviving: Promise<void> | undefined
  #passivation: ReturnType<typeof setTimeout> | undefined
  /** How much is on its way to a parked run. */
  #telling = 0

  /** `lease`: of a run that has begun before. */
  constructor(host: RunHost, beginning: Beginning, lease?: Lease) {
    this.#host = host
    this.#beginning = beginning
    const { registry, admit } = host
    const { started } = beginning
    const { runId } = started
    this.#configurations = new Configurations({ registry, started, admit })
    this.#engine = this.#open(lease ?? firstLease(runId, host.keeper.owner, host.keeper.expiry()))
    this.run = this.#handle()
  }

  get id(): string {
    return this.#beginning.started.runId
  }

  get started(): RunStarted {
    return this.#beginning.started
  }

  get lease(): Lease {
    return this.#engine.lease
  }

  get agent(): AnyActorRef {
    return this.#engine.agent
  }

  get isDurable(): boolean {
    return this.#beginning.started.settings.hooks.length === 0 && this.#beginning.root === undefined
  }

  // --- its life ---------------------------------------------------------------------------------------------------

  /** Begins: appends `run.started`. */
  start(): void {
    const { signal } = this.#beginning
    this.#host.entered(this)
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    this.#engine.start()
    if (signal?.aborted === true) this.#onAbort()
  }

  /** Goes on from where the journal ends. What `first` tells it comes before anything. Throws a `JournalMismatchError`. */
  resume(journal: readonly JournalEntry[], first?: () => void): void {
    const { signal } = this.#beginning
    resumeFrom(this.#engine, journal)
    if (this.#engine.isSettled) return
    this.#host.entered(this)
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    this.#engine.goLive(() => {
      first?.()
      if (signal?.aborted === true) this.#onAbort()
    })
  }

  /** Brings a parked run back. */
  async revive(): Promise<void> {
    if (!this.#isParked) return
    this.#reviving ??= this.#revive().finally(() => {
      this.#reviving = undefined
    })
    return this.#reviving
  }

  async #revive(): Promise<void> {
    const { store, keeper, committer } = this.#host
    const lease = await keeper.claim(this.id)
    if (lease === undefined) throw new LeaseLostError(this.id)
    const journal = await store.read(this.id)
    if (journal === undefined) throw new RunNotFoundError(this.id)
    const engine = this.#open(lease)
    resumeFrom(engine, journal)
    this.#engine = engine
    this.#isParked = false
    this.#host.entered(this)
    engine.goLive()
    await committer.flushed()
  }

  /** Gives the run up as it is: it is not ended, and another troupe may go on with it. */
  abandon(): void {
    clearTimeout(this.#passivation)
    this.#engine.signals.close()
    this.#engine.abandon()
    this.#isParked = false
  }

  #open(lease: Lease): Engine {
    const { registry, committer, clock, inspect, store } = this.#host
    const { started, functions, root } = this.#beginning
    return new Engine({
      registry,
      committer,
      clock,
      started,
      functions,
      lease,
      memory: store.memory,
      configurations: this.#configurations,
      log: this.#log,
      ...(inspect === undefined ? {} : { inspect }),
      ...(root === undefined ? {} : { root }),
      onSettled: (output) => this.#settle(output),
      onSuspended: () => this.#suspend(),
    })
  }

  #settle(output: AgentOutput): void {
    clearTimeout(this.#passivation)
    const { functions, started, signal } = this.#beginning
    const schema = (
      functions.structuredOutput ?? lookUp(this.#host.registry, started.agent).options.structuredOutput
    )?.schema
    const result = resultOf(this.#engine, output)
    const shaped = schema === undefined ? result : shapedResult(result, schema)
    signal?.removeEventListener('abort', this.#onAbort)
    this.#host.left(this)
    this.#idle?.resolve(shaped)
    this.#end.resolve(shaped)
    if (schema === undefined) this.#tellRoot(result)
    else void this.#end.promise.then((ended) => this.#tellRoot(ended))
  }

  /** A root in somebody else's system is told by what hosts it, after the last event. */
  #tellRoot(result: FinalResult): void {
    const { root } = this.#engine
    if (this.#beginning.root !== undefined || statusOf(root) !== 'active') return
    root.send({ type: 'run.ended', result })
  }

  #suspend(): void {
    if (this.#telling > 0) return // it is about to be told something
    this.#suspended = suspendedResult(this.#engine)
    this.#idle?.resolve(this.#suspended)
    this.#idle = undefined
    if (this.#beginning.root !== undefined || this.#host.passivateAfter === Number.POSITIVE_INFINITY) return
    clearTimeout(this.#passivation)
    this.#passivation = inBackground(setTimeout(() => this.#park(), this.#host.passivateAfter))
  }

  #park(): void {
    const engine = this.#engine
    if (!engine.isSuspended || engine.signals.isAnswering || engine.effects.isDraining) return
    const { wakeAt } = engine.effects
    this.#isParked = true
    engine.abandon()
    this.#host.parked(this, wakeAt)
  }

  // --- what it is told --------------------------------------------------------------------------------------------

  /** Throws a `SignalError` for an answer that the run does not wait for. */
  signal(signal: RunSignal): void {
    if (signal.type === 'cancel') {
      const { delegationId } = signal
      if (delegationId !== undefined) return this.#cancelDelegation(signal, delegationId)
      const reason = signal.reason ?? 'cancelled'
      if (this.#isParked) this.#whenRevived((engine) => engine.signal({ type: 'cancel', reason }), signal)
      else this.#engine.signal({ type: 'cancel', reason })
      return
    }
    const { id, verb, data, outcome } = answerOf(signal)
    const key = this.#engine.signals.claim(id, verb, data)
    const tell = (engine: Engine): void => engine.signal({ type: 'answer', key, id, answer: outcome })
    if (!this.#isParked) return tell(this.#engine)
    this.#whenRevived((engine) => {
      engine.signals.claim(id, verb, data)
      tell(engine)
    }, signal)
  }

  #cancelDelegation(signal: Extract<RunSignal, { type: 'cancel' }>, delegationId: string): void {
    const tell = (engine: Engine): void => {
      engine.signals.claimCancel(delegationId)
      engine.signal({ type: 'cancel', reason: signal.reason, delegationId })
    }
    if (!this.#isParked) return tell(this.#engine)
    this.#engine.signals.claimCancel(delegationId)
    this.#whenRevived(tell, signal)
  }

  #whenRevived(tell: (engine: Engine) => void, signal: RunSignal): void {
    this.#telling++
    this.#reviveAndTell(tell, signal)
      .catch((error: unknown) =>
        report(`the run "${this.id}" could not be told ${JSON.stringify(signal)}`, error),
      )
      .finally(() => {
        this.#telling--
        if (this.#engine.isSuspended && !this.#engine.signals.isAnswering && !this.#isParked) this.#suspend()
      })
  }

  async #reviveAndTell(tell: (engine: Engine) => void, signal: RunSignal): Promise<void> {
    try {
      await this.revive()
    } catch (error) {
      // Another troupe has it: it is told there.
      if (error instanceof LeaseLostError) return this.#host.store.post(this.id, signal)
      this.#engine.broke(error)
      throw error
    }
    tell(this.#engine)
  }

  /** A signal that another process has left for this run. */
  posted(signal: RunSignal): void {
    try {
      this.signal(signal)
    } catch (error) {
      report(`a signal for the run "${this.id}" came too late`, error)
    }
  }

  lost(): void {
    clearTimeout(this.#passivation)
    this.#isParked = false
    this.#engine.broke(new LeaseLostError(this.id))
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#beginning.signal?.reason
    this.signal({ type: 'cancel', reason: reason == null ? 'aborted' : toErrorData(reason).message })
  }

  // --- its handle -------------------------------------------------------------------------------------------------

  get #whenIdle(): Promise<RunResult> {
    const engine = this.#engine
    if (engine.output !== undefined) return this.#end.promise
    if (this.#suspended !== undefined && engine.isSuspended && !engine.signals.isAnswering)
      return Promise.resolve(this.#suspended)
    this.#idle ??= Promise.withResolvers<RunResult>()
    return this.#idle.promise
  }

  #handle(): Run {
    const actor = (): AnyActorRef => this.#engine.root
    const whenIdle = (): Promise<RunResult> => this.#whenIdle
    return {
      id: this.id,
      get actor() {
        return actor()
      },
      events: { [Symbol.asyncIterator]: () => this.#log.read() },
      textStream: { [Symbol.asyncIterator]: () => textStream(this.#log, this.#end.promise) },
      result: this.#end.promise,
      get whenIdle() {
        return whenIdle()
      },
      approve: (toolCallId) => this.signal({ type: 'approve', toolCallId }),
      deny: (toolCallId, reason) =>
        this.signal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) }),
      resume: (toolCallId, data) =>
        this.signal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) }),
      cancel: (reason, options) => this.signal(cancelSignal(reason, options)),
      signal: (signal) => this.signal(signal),
    }
  }
}

export function resultOf(engine: Engine, output: AgentOutput): FinalResult {
  const usage = { ...totalUsage(output.usage), byAgent: output.usage }
  return finalResult(engine.runId, output, usage, (id) => engine.stamper.durationOf(id))
}

/** What there is so far, and what is awaited. */
function suspendedResult(engine: Engine): SuspendedResult {
  const { delegations, scores, steps, usage } = resultOf(engine, partialOutput(engine.agent))
  return {
    runId: engine.runId,
    outcome: 'suspended',
    text: '',
    awaiting: engine.signals.awaiting(),
    delegations,
    scores,
    steps,
    usage,
  }
}

async function* textStream(log: EventLog, result: Promise<FinalResult>): AsyncGenerator<string> {
  const isOwn = (event: RunEvent): boolean => event.delegationId === undefined
  for await (const event of log.read()) {
    if (event.type !== 'text-delta' || !isOwn(event)) continue
    yield event.payload.text
  }
  const end = await result
  if (end.outcome === 'bailed') yield end.text
}
