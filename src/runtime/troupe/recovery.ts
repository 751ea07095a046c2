/** Goes on with the unfinished runs of the store: those that are free, once or again and again. */
import { milliseconds } from '../../actors/strict/checks.ts'
import { optional, type Fields } from '../../actors/strict/read-options.ts'
import { RunOwnedError, toErrorData, type ErrorData } from '../../errors.ts'
import { nextTurn, type Environment } from '../environment.ts'
import type { Reporter } from '../report.ts'
import type { HostedRun } from '../run/run-host.ts'
import type { SignalRouter } from './signal-router.ts'
import type { Run } from '../handle/run.ts'
import type { RunStore } from '../journal/store.ts'

/** What became of a look at the unfinished runs of the store. */
export interface Recovery {
  /** They go on here. */
  readonly runs: readonly Run[]
  /** Another troupe has them, or had them until its process ended: their leases have not run out. */
  readonly owned: readonly string[]
  /** They cannot go on here, and why: an agent is missing, an agent has changed, functions are missing. */
  readonly refused: readonly { readonly runId: string; readonly error: ErrorData }[]
}

export interface RecoverOptions {
  /** Milliseconds between two looks, for runs whose owner has gone. Default: it looks once. */
  readonly every?: number
}

export const recoverFields: Fields<RecoverOptions> = { every: optional(milliseconds) }

export interface RecovererHost {
  readonly environment: Environment
  readonly store: RunStore
  readonly isClosed: boolean
  readonly report: Reporter
  assertOpen(): void
  isLive(runId: string): boolean
  resume(runId: string): Promise<HostedRun>
  wakeAt(runId: string, at: number | undefined): void
}

export class RunRecovery {
  readonly #host: RecovererHost
  readonly #router: SignalRouter
  /** Runs that were said to be refused. */
  readonly #refused = new Set<string>()
  #callOffLook: () => void = () => undefined

  constructor(host: RecovererHost, router: SignalRouter) {
    this.#host = host
    this.#router = router
  }

  async recover(): Promise<Recovery> {
    const host = this.#host
    host.assertOpen()
    const runs: Run[] = []
    const owned: string[] = []
    const refused: { runId: string; error: ErrorData }[] = []
    const suspended: string[] = []
    for (const { runId, status, wakeAt } of await host.store.list({ status: 'unfinished' })) {
      if (host.isLive(runId)) continue
      if (status === 'suspended') {
        suspended.push(runId)
        host.wakeAt(runId, wakeAt)
        continue
      }
      await nextTurn(host.environment) // the leases of those that are back are to be renewed meanwhile
      try {
        const { run, hadEnded } = await host.resume(runId)
        if (!hadEnded) runs.push(run)
      } catch (error) {
        host.assertOpen() // else it says nothing about the run
        if (error instanceof RunOwnedError) owned.push(runId)
        else refused.push({ runId, error: toErrorData(error) })
      }
    }
    await this.#router.hear(suspended)
    return { runs, owned, refused }
  }

  watch(every: number): void {
    this.#host.assertOpen()
    this.stop()
    const look = (): void => {
      schedule()
      this.#lookAgain().catch((error: unknown) => {
        if (this.#host.isClosed) return
        const message = 'the store could not be asked for unfinished runs; trying again'
        this.#host.report({ message, where: 'store', error })
      })
    }
    const schedule = (): void => {
      this.#callOffLook = this.#host.environment.clock.after(every, look, { background: true })
    }
    schedule()
  }

  /** Says once of each run that it cannot go on. */
  async #lookAgain(): Promise<void> {
    const { refused } = await this.recover()
    for (const { runId, error } of refused) {
      if (this.#refused.has(runId)) continue
      this.#refused.add(runId)
      this.#host.report({ message: `the run "${runId}" cannot be resumed`, where: 'run', error, runId })
    }
  }

  stop(): void {
    this.#callOffLook()
  }
}
