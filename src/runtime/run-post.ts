/**
 * What is said to a run by its id: told where the run is here, or free; posted to its owner where it is not. Nothing
 * that was posted is lost when the owner lets go of the run meanwhile.
 */
import { RunOwnedError } from '../errors.ts'
import { answerOf } from './answer.ts'
import type { Inbox } from './inbox.ts'
import type { JournalEntry } from './journal.ts'
import { openSignals } from './open-signals.ts'
import type { AgentRegistry } from './registry.ts'
import type { Reporter } from './report.ts'
import type { HostedRun } from './run-host.ts'
import type { RunSignal } from './run.ts'
import { endsRun } from './signal-inlet.ts'
import type { Post, RunStore } from './store.ts'

export interface RunPostHost {
  readonly registry: AgentRegistry
  readonly store: RunStore
  readonly inbox: Inbox
  readonly isClosed: boolean
  readonly report: Reporter
  resume(runId: string, options?: object, first?: RunSignal): Promise<HostedRun>
  journal(runId: string): Promise<readonly JournalEntry[]>
}

export class RunPost {
  readonly #host: RunPostHost

  constructor(host: RunPostHost) {
    this.#host = host
  }

  /** Rejects with a `SignalError` for an answer that the run does not wait for. */
  async tell(runId: string, signal: RunSignal): Promise<void> {
    try {
      const run = await this.#host.resume(runId, {}, endsRun(signal) ? signal : undefined)
      await run.signal(signal)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      await this.post(runId, signal)
    }
  }

  /** Leaves it in the store for the owner. Rejects with a `SignalError` for an answer that the run does not wait for. */
  async post(runId: string, signal: RunSignal): Promise<void> {
    const { registry, store } = this.#host
    // The answer is weighed here, so that who gives it is told; its owner weighs it again.
    if (signal.type !== 'cancel') {
      const { id, verb, data } = answerOf(signal)
      openSignals(registry, await this.#host.journal(runId)).claim(id, verb, data)
    } else if (signal.delegationId !== undefined) {
      openSignals(registry, await this.#host.journal(runId)).claimCancel(signal.delegationId)
    }
    await store.post(runId, signal)
    await this.#followUp(runId)
  }

  /** The owner may have let go of the run just now, and does not look at its post any more. */
  async #followUp(runId: string): Promise<void> {
    try {
      await this.#host.resume(runId)
      await this.hear([runId])
    } catch (error) {
      if (error instanceof RunOwnedError || this.#host.isClosed) return
      this.#host.report({ message: waits(runId), where: 'signal', error, runId })
    }
  }

  /** Passes on what was posted to runs that nobody may be at work on. */
  async hear(runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return
    for (const post of await this.#host.inbox.fetch(runIds)) this.pass(post)
  }

  pass(post: Post): void {
    this.#pass(post).catch((error: unknown) => {
      this.#host.inbox.putBack(post)
      const { runId } = post
      this.#host.report({ message: waits(runId), where: 'signal', error, runId })
    })
  }

  async #pass(post: Post): Promise<void> {
    const { runId, signal } = post
    try {
      const run = await this.#host.resume(runId, {}, endsRun(signal) ? signal : undefined)
      run.posted(post)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      this.#host.inbox.putBack(post) // its owner will find it
    }
  }
}

function waits(runId: string): string {
  return `a signal for the run "${runId}" waits, because the run cannot go on`
}
