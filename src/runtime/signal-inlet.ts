/**
 * What a run here is told: passed on when it is in memory; when it is parked, weighed at once and passed on after the
 * run was brought back. What was posted is in the journal, refused, or left for whoever has the run.
 */
import { RunOwnedError, SignalError } from '../errors.ts'
import { answerOf } from './answer.ts'
import { Engine } from './engine.ts'
import type { Parked } from './parked.ts'
import type { Reporter } from './report.ts'
import type { RunHost } from './run-host.ts'
import type { RunSignal } from './run.ts'
import type { Post } from './store.ts'

/** The run, as its inlet knows it. */
export interface Told {
  readonly id: string
  /** It lives in somebody else's system: it may be told after its troupe was closed. */
  readonly isHosted: boolean
  readonly work: Engine | Parked
  readonly report: Reporter
  /** Brings it back when it is parked. Rejects with a `RunOwnedError` when another troupe is at work on it. */
  revive(first?: RunSignal): Promise<void>
  /** It is at rest: what it was to be told has come to nothing. */
  suspended(): void
}

type Cancel = Extract<RunSignal, { readonly type: 'cancel' }>

export class SignalInlet {
  readonly #host: RunHost
  readonly #run: Told
  /** How much is on its way to a parked run. */
  #telling = 0

  constructor(host: RunHost, run: Told) {
    this.#host = host
    this.#run = run
  }

  get isTelling(): boolean {
    return this.#telling > 0
  }

  /** A signal that another process has left for this run. */
  posted(post: Post): void {
    try {
      this.tell(post.signal, post)
    } catch (error) {
      this.#failed(post.signal, error, post)
    }
  }

  /** Throws a `SignalError` for an answer that the run does not wait for. */
  tell(signal: RunSignal, post?: Post): void {
    if (!this.#run.isHosted) this.#host.assertOpen()
    if (signal.type !== 'cancel') this.#answer(signal, post)
    else if (signal.delegationId === undefined) this.#cancel(signal, post)
    else this.#cancelDelegation(signal, signal.delegationId, post)
  }

  #cancel(signal: Cancel, post: Post | undefined): void {
    const { work } = this.#run
    if (work.signals.isClosed) {
      if (post !== undefined) this.#host.inbox.refuse(post) // it is being cancelled, or has ended
      return
    }
    const { reason = 'cancelled' } = signal
    if (work instanceof Engine) work.signal({ type: 'cancel', reason }, post?.id)
    else this.#whenRevived(signal, post, () => this.#cancel(signal, post))
  }

  #answer(signal: Exclude<RunSignal, Cancel>, post: Post | undefined): void {
    const { id, verb, data, outcome } = answerOf(signal)
    const { work } = this.#run
    const key = work.signals.claim(id, verb, data)
    if (work instanceof Engine) work.signal({ type: 'answer', key, id, answer: outcome }, post?.id)
    else {
      const giveBack = (): void => work.signals.giveBack(id)
      this.#whenRevived(signal, post, () => this.#answer(signal, post), giveBack)
    }
  }

  #cancelDelegation(signal: Cancel, delegationId: string, post: Post | undefined): void {
    const { work } = this.#run
    work.signals.claimCancel(delegationId)
    if (work instanceof Engine) work.signal({ type: 'cancel', reason: signal.reason, delegationId }, post?.id)
    else {
      const giveBack = (): void => work.signals.cancelled(delegationId)
      this.#whenRevived(signal, post, () => this.#cancelDelegation(signal, delegationId, post), giveBack)
    }
  }

  #whenRevived(
    signal: RunSignal,
    post: Post | undefined,
    tell: () => void,
    giveBack: () => void = () => undefined,
  ): void {
    this.#telling++
    this.#reviveAndTell(signal, post, tell)
      .catch((error: unknown) => {
        giveBack()
        this.#failed(signal, error, post)
      })
      .finally(() => {
        this.#telling--
        const { work } = this.#run
        if (work instanceof Engine && work.isSuspended && !work.signals.isAnswering) this.#run.suspended()
      })
  }

  async #reviveAndTell(signal: RunSignal, post: Post | undefined, tell: () => void): Promise<void> {
    try {
      await this.#run.revive(endsRun(signal) ? signal : undefined)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      // Another troupe has it: it is told there.
      if (post === undefined) await this.#host.store.post(this.#run.id, signal)
      else this.#host.inbox.putBack(post)
      return
    }
    tell()
  }

  /** A post that the run refuses is done with; one that could not be told to it waits. */
  #failed(signal: RunSignal, error: unknown, post: Post | undefined): void {
    const { id } = this.#run
    if (post !== undefined && error instanceof SignalError) {
      this.#host.inbox.refuse(post)
      const message = `a signal for the run "${id}" came too late`
      this.#run.report({ message, where: 'signal', error, runId: id })
      return
    }
    if (post !== undefined) this.#host.inbox.putBack(post)
    const message = `the run "${id}" could not be told ${JSON.stringify(signal)}`
    this.#run.report({ message, where: 'signal', error, runId: id })
  }
}

/** A cancel of one delegation is for a run that goes on. */
export function endsRun(signal: RunSignal): boolean {
  return signal.type === 'cancel' && signal.delegationId === undefined
}
