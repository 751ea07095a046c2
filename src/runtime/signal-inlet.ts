/**
 * The way in of signals to a run of this troupe: each is validated, claims its question, and is appended. A passivated
 * run is brought back first; when another troupe has it by then, the signal goes to the queue of the store.
 */
import { LeaseLostError, RunOwnedError, SignalError } from '../errors.ts'
import { answerOf } from './answer.ts'
import { Engine } from './engine.ts'
import type { Signal } from './journal.ts'
import type { Parked } from './parked.ts'
import type { Problem, Reporter } from './report.ts'
import type { RunHost } from './run-host.ts'
import type { RunSignal } from './run.ts'
import type { SignalDesk } from './signal-desk.ts'
import type { Post } from './store.ts'

/** The run, as its inlet knows it. */
export interface Told {
  readonly id: string
  /** It lives in a system of the application: it takes signals after its troupe was closed. */
  readonly isHosted: boolean
  readonly work: Engine | Parked
  /** Why it cannot go on here: another troupe, or a newer actor, has it. */
  readonly loss: Error | undefined
  readonly report: Reporter
  /** Brings it back when it is parked. Rejects with a `RunOwnedError` when another troupe is at work on it. */
  revive(first?: RunSignal): Promise<void>
  /** It is at rest: no signal is on its way any more. */
  suspended(): void
}

export class SignalInlet {
  readonly #host: RunHost
  readonly #run: Told
  /** How many signals are on their way to a passivated run. */
  #telling = 0
  /** Settles when the cancel of the run is on record. */
  #cancelling: Promise<void> | undefined

  constructor(host: RunHost, run: Told) {
    this.#host = host
    this.#run = run
  }

  get isTelling(): boolean {
    return this.#telling > 0
  }

  /** A signal that another process has queued for this run. */
  posted(post: Post): void {
    this.tell(post.signal, post).catch((error: unknown) => this.#failed(post, error))
  }

  /**
   * Resolves when the signal is on record. Rejects with a `SignalError` for one that the run does not wait for, and
   * with the cause when the run cannot be told.
   */
  async tell(signal: RunSignal, post?: Post): Promise<void> {
    if (!this.#run.isHosted) this.#host.assertOpen()
    const { work } = this.#run
    if (work instanceof Engine) return this.#append(work, signal, post)
    if (this.#run.loss !== undefined) throw this.#run.loss
    return this.#wakeAndTell(work, signal, post)
  }

  #append(engine: Engine, signal: RunSignal, post: Post | undefined): Promise<void> {
    if (engine.isAbandoned) throw this.#causeOf(engine)
    if (!endsRun(signal)) return appended(engine, claim(engine.signals, signal).signal, post)
    if (engine.signals.isClosed) {
      if (post !== undefined) this.#host.inbox.refuse(post) // it is being cancelled, or has ended
      return this.#cancelling ?? Promise.resolve()
    }
    this.#cancelling = appended(engine, { type: 'cancel', reason: signal.reason ?? 'cancelled' }, post)
    return this.#cancelling
  }

  #causeOf({ failure }: Engine): unknown {
    if (failure !== undefined) return failure
    this.#host.assertOpen()
    return new LeaseLostError(this.#run.id)
  }

  async #wakeAndTell(parked: Parked, signal: RunSignal, post: Post | undefined): Promise<void> {
    this.#telling++
    try {
      const giveBack = await this.#claimParked(parked, signal)
      try {
        await this.#run.revive(endsRun(signal) ? signal : undefined)
      } catch (error) {
        giveBack()
        throw error
      }
      await this.tell(signal, post)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      if (post === undefined) await this.#host.route(this.#run.id, signal)
      else this.#host.inbox.putBack(post)
    } finally {
      this.#telling--
      const { work } = this.#run
      if (work instanceof Engine && work.isSuspended && !work.signals.isAnswering) this.#run.suspended()
    }
  }

  /** Refuses a wrong answer without bringing the run back, unless the run has gone on elsewhere. */
  async #claimParked({ signals, entries }: Parked, signal: RunSignal): Promise<() => void> {
    if (endsRun(signal)) return () => undefined
    const news = await this.#host.store.read(this.#run.id, entries)
    return news?.length === 0 ? claim(signals, signal).giveBack : () => undefined
  }

  /** A queued signal that the run refuses is removed; one that it could not be told stays in the queue. */
  #failed(post: Post, error: unknown): void {
    const { id } = this.#run
    if (error instanceof SignalError) {
      this.#host.inbox.refuse(post)
      const message = `a signal for the run "${id}" came too late`
      this.#run.report({ message, where: 'signal', error, runId: id })
      return
    }
    this.#host.inbox.putBack(post)
    this.#run.report(undelivered(id, post.signal, error))
  }
}

function appended(engine: Engine, signal: Signal, post: Post | undefined): Promise<void> {
  return new Promise((kept, refused) =>
    engine.signal(signal, { ...(post && { post: post.id }), receipt: { kept, refused } }),
  )
}

/** Takes the question, or the delegation, for this signal. Throws a `SignalError`. */
function claim(
  signals: SignalDesk,
  signal: RunSignal,
): { readonly signal: Signal; readonly giveBack: () => void } {
  if (signal.type === 'cancel') {
    const { reason, delegationId = '' } = signal
    signals.claimCancel(delegationId)
    const giveBack = (): void => signals.cancelled(delegationId)
    return { signal: { type: 'cancel', reason, delegationId }, giveBack }
  }
  const { id, verb, data, outcome } = answerOf(signal)
  const key = signals.claim(id, verb, data)
  return { signal: { type: 'answer', key, id, answer: outcome }, giveBack: () => signals.giveBack(id) }
}

export function undelivered(runId: string, signal: RunSignal, error: unknown): Problem {
  const message = `the run "${runId}" could not be told ${JSON.stringify(signal)}`
  return { message, where: 'signal', error, runId }
}

type EndOfRun = Extract<RunSignal, { readonly type: 'cancel' }> & { readonly delegationId?: undefined }

/** A cancel of one delegation is for a run that goes on. */
export function endsRun(signal: RunSignal): signal is EndOfRun {
  return signal.type === 'cancel' && signal.delegationId === undefined
}
