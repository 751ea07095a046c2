/**
 * Delivers signals to a run of this troupe: each is validated, claims its question, and is appended. A signal for a
 * passivated run revives it first; when another troupe owns the run by then, the signal goes to the queue of the store.
 */
import { SparseSet } from '../../actors/values/sparse.ts'
import {
  LeaseLostError,
  RunLeftError,
  RunOwnedError,
  SignalError,
  TroupeDrainingError,
  type TroupeError,
} from '../../errors.ts'
import { cancelOf, claim, endsRun, type EndOfRun } from './enqueue-signal.ts'
import type { Clock } from '../clock.ts'
import { readSignal, undelivered } from '../handle/read-signal.ts'
import { changesArguments, type assertArgumentsFit } from '../state/signals/changed-arguments.ts'
import { Engine } from '../engine/engine.ts'
import type { Signal } from '../journal/journal.ts'
import type { PassivatedRun } from './passivated-run.ts'
import type { Reporter } from '../report.ts'
import type { RunHost } from './run-host.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Lease, QueuedSignal } from '../journal/store.ts'
import { keptSay, sayEntry, withId, type Say } from './saying.ts'

/** A run, as the delivery of signals needs it. */
export interface SignalledRun {
  readonly id: string
  /** Whether it lives in an actor system of the application: it then takes signals after its troupe was closed. */
  readonly isHosted: boolean
  readonly work: Engine | PassivatedRun
  /** The last lease of this process. */
  readonly lease: Lease
  /** The error for which this process cannot follow the run any more; the run has no end here. */
  readonly loss: TroupeError | undefined
  readonly report: Reporter
  readonly clock: Clock
  /** Milliseconds that the store has for the files of a message. */
  readonly hookTimeout: number
  /** Rejects with a `SignalError` for changed arguments that do not fit the call. */
  assertArgumentsFit(engine: Engine, signal: Parameters<typeof assertArgumentsFit>[0]): Promise<void>
  /** Revives the run when it is passivated. Rejects with a `RunOwnedError` when another troupe owns it. */
  revive(first?: RunSignal): Promise<void>
  /** Called when the run is suspended, and no signal is being delivered any more. */
  suspended(): void
}

export class InboundSignals {
  readonly #host: RunHost
  readonly #run: SignalledRun
  /** The number of signals that are being delivered to a passivated run. */
  #telling = 0
  /** Settles when the cancel of the run is on record. */
  #cancelling: Promise<void> | undefined
  /** Ids of queued answers that were put before the entries of the run. */
  readonly #overtaken = new SparseSet<number>()
  /** Ids of queued signals that the run has refused: the store tells of an answer with each append until it is dropped. */
  readonly #refused = new SparseSet<number>()

  constructor(host: RunHost, run: SignalledRun) {
    this.#host = host
    this.#run = run
  }

  get isTelling(): boolean {
    return this.#telling > 0
  }

  /** Delivers a signal that another process has queued for this run. */
  queued(queued: QueuedSignal): void {
    const isClaim = queued.claim !== undefined
    const taking = isClaim ? this.#take(queued) : this.tell(queued.signal, queued)
    taking.catch((error: unknown) => this.failed(queued, error))
  }

  /** Notes answers that come before entries of the run: of some the store has told with a refused append alone. */
  overtaken(answers: readonly QueuedSignal[]): void {
    for (const { id } of answers) this.#overtaken.add(id)
    this.#host.queue.took(answers)
  }

  /**
   * Takes an answer that the store has accepted: it comes before all entries that are not in the journal yet. The store may
   * have told of it meanwhile, with an append of the run that was revived for it.
   */
  async #take(queued: QueuedSignal): Promise<void> {
    const { work } = this.#run
    if (this.#overtaken.has(queued.id)) return
    if (work instanceof Engine) {
      if (work.isAbandoned) throw this.#run.loss ?? new LeaseLostError(this.#run.id)
      work.state.signals.arriving(queued.id)
      this.#host.committer.answered(work, queued)
    } else await this.#wake(queued.signal, queued, () => this.#take(queued))
  }

  /**
   * Resolves when the signal is on record. Rejects with a `SignalError` for a signal that the run does not wait for,
   * and with the cause when the signal cannot be delivered.
   */
  async tell(given: RunSignal, queued?: QueuedSignal): Promise<void> {
    this.#assertFollowed()
    if (!this.#run.isHosted) this.#host.assertOpen()
    const signal = readSignal(given)
    return signal.type === 'say' ? this.#say(signal, queued) : this.#tell(signal, queued)
  }

  async #say(given: Say, queued: QueuedSignal | undefined): Promise<void> {
    const { environment, store } = this.#host
    const say = withId(given, () => environment.newId())
    const { id: runId, clock, hookTimeout: timeout } = this.#run
    const kept = keptSay(say, { runId, storage: store.blobs, clock, timeout })
    return this.#tell(kept instanceof Promise ? await kept : kept, queued)
  }

  /** Throws the error for which this process cannot follow the run any more. */
  #assertFollowed(): void {
    const { loss } = this.#run
    if (loss !== undefined) throw loss
  }

  /** Called again for a run that was passivated. */
  async #tell(signal: RunSignal, queued: QueuedSignal | undefined): Promise<void> {
    this.#assertFollowed()
    if (!this.#run.isHosted) this.#host.assertOpen()
    const { work } = this.#run
    if (work instanceof Engine && changesArguments(signal)) await this.#run.assertArgumentsFit(work, signal)
    return this.#deliver(signal, queued)
  }

  async #deliver(signal: RunSignal, queued: QueuedSignal | undefined): Promise<void> {
    const { work } = this.#run
    if (work instanceof Engine) return this.#append(work, signal, queued)
    const giveBack = await this.#claimPassivated(work, signal)
    return this.#wake(signal, queued, () => this.#tell(signal, queued), giveBack)
  }

  #append(engine: Engine, signal: RunSignal, queued: QueuedSignal | undefined): Promise<void> {
    if (engine.isAbandoned) throw this.#run.loss ?? new LeaseLostError(this.#run.id)
    if (!endsRun(signal)) return this.#claimed(engine, signal, queued)
    if (engine.state.signals.isClosed) {
      if (queued !== undefined) void this.#refuse(queued) // the run is being cancelled, or has ended
      return this.#cancelling ?? Promise.resolve()
    }
    this.#cancelling = appended(engine, cancelOf(signal), queued)
    return this.#cancelling
  }

  async #claimed(
    engine: Engine,
    signal: Exclude<RunSignal, EndOfRun>,
    queued: QueuedSignal | undefined,
  ): Promise<void> {
    if (signal.type === 'say') return this.#claimedSay(engine, signal, queued)
    const claimed = claim(engine.state.signals, signal)
    await appended(engine, claimed.signal, queued)
  }

  async #claimedSay(engine: Engine, given: Say, queued: QueuedSignal | undefined): Promise<void> {
    const say = withId(given, () => this.#host.environment.newId())
    const { sayings, signals } = engine.state
    if (sayings.has(say.id)) {
      sayings.isTaken(say.id)
      if (queued !== undefined) void this.#refuse(queued)
      return
    }
    sayings.assertMayAsk(say.id)
    signals.claimSaying(say.id)
    try {
      await appended(engine, sayEntry(say), queued)
    } catch (error) {
      signals.said(say.id)
      throw error
    }
    sayings.isTaken(say.id)
  }

  /** Revives the run, then delivers the signal. Routes it to another troupe that owns the run by now. */
  async #wake(
    signal: RunSignal,
    queued: QueuedSignal | undefined,
    tell: () => Promise<void>,
    giveBack: () => void = () => undefined,
  ): Promise<void> {
    this.#telling++
    try {
      this.#assertFollowed()
      try {
        await this.#run.revive(endsRun(signal) ? signal : undefined)
      } catch (error) {
        giveBack()
        throw error
      }
      await tell()
    } catch (error) {
      if (!isTakenElsewhere(error)) throw error
      if (queued === undefined) await this.#host.route(this.#run.id, signal)
      else this.#host.queue.putBack(queued)
    } finally {
      this.#telling--
      const { work } = this.#run
      if (work instanceof Engine && work.isAtRest && !work.state.signals.isAnswering) this.#run.suspended()
    }
  }

  /** Refuses a wrong answer without reviving the run, unless another process has continued the run. */
  async #claimPassivated({ signals, entries }: PassivatedRun, signal: RunSignal): Promise<() => void> {
    if (endsRun(signal) || signal.type === 'say' || this.#run.loss !== undefined) return () => undefined
    this.#telling++
    try {
      const news = await this.#host.store.read(this.#run.id, entries)
      this.#assertFollowed() // its questions are closed here, and may be open in the store
      return news?.length === 0 ? claim(signals, signal).giveBack : () => undefined
    } finally {
      this.#telling--
    }
  }

  /** Removes a queued signal that the run refuses; a signal that could not be delivered stays in the queue. */
  failed(queued: QueuedSignal, error: unknown): void {
    if (this.#refused.has(queued.id)) return
    if (error instanceof SignalError) void this.#refuse(queued, error)
    else this.#undelivered(queued, error)
  }

  /**
   * Removes a signal from the queue when this troupe still owns the run. An owner that has lost the run without notice
   * has an old journal: the new owner may wait for this signal. `error`: is reported, if there is one.
   */
  async #refuse(queued: QueuedSignal, error?: SignalError): Promise<void> {
    const { id, report } = this.#run
    this.#refused.add(queued.id)
    try {
      await this.#host.keeper.confirm(id)
    } catch (failure) {
      this.#refused.delete(queued.id)
      this.#overtaken.delete(queued.id) // the next poll hands it out again
      return this.#undelivered(queued, failure)
    }
    if (this.#run.loss !== undefined) return this.#host.queue.putBack(queued)
    this.#host.queue.drop(queued, this.#run.lease)
    if (error === undefined) return
    report({
      message: `a signal for the run "${id}" came too late`,
      code: 'SIGNAL_REFUSED',
      where: 'signal',
      error,
      runId: id,
    })
  }

  #undelivered(queued: QueuedSignal, error: unknown): void {
    this.#host.queue.putBack(queued)
    this.#run.report(undelivered(this.#run.id, error))
  }
}

/** Another troupe has the run, or a caller or another process is to take it: its signals go to the queue. */
function isTakenElsewhere(error: unknown): boolean {
  return (
    error instanceof RunOwnedError || error instanceof RunLeftError || error instanceof TroupeDrainingError
  )
}

function appended(engine: Engine, signal: Signal, queued: QueuedSignal | undefined): Promise<void> {
  return new Promise((kept, refused) =>
    engine.signal(signal, { ...(queued && { queued: queued.id }), receipt: { kept, refused } }),
  )
}
