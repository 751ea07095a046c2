/**
 * The passivated runs of a troupe: finds a run that a caller still references, and polls those whose callers wait.
 */
import type { Environment } from '../environment.ts'
import type { Reporter } from '../report.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { StoreOutage } from '../store-outage.ts'
import type { HostedRun } from '../run/run-host.ts'

export interface PassivatedRunsOptions {
  readonly environment: Environment
  /** Milliseconds between two polls for the end of runs that a caller waits for. */
  readonly pollInterval: number
  /** Milliseconds that the store may fail before waiting callers are rejected. */
  readonly leaseTtl: number
  readonly report: Reporter
}

export class PassivatedRuns {
  readonly #options: PassivatedRunsOptions
  readonly #runs = new Map<string, WeakRef<HostedRun>>()
  readonly #outage: StoreOutage
  /** Runs that must not be forgotten. */
  readonly #held = new Map<string, HostedRun>()
  #callOffLook: (() => void) | undefined

  constructor(options: PassivatedRunsOptions) {
    this.#options = options
    this.#outage = new StoreOutage(options.environment.clock, options.leaseTtl)
  }

  find(runId: string): HostedRun | undefined {
    return this.#runs.get(runId)?.deref()
  }

  add(run: HostedRun): void {
    this.#runs.set(run.id, new WeakRef(run))
    if (run.isNeeded) this.hold(run)
  }

  hold(run: HostedRun): void {
    if (this.find(run.id) !== run) return
    this.#held.set(run.id, run)
    this.#follow()
  }

  /** Polls the runs with waiting callers: another troupe may have brought one to its end. */
  #follow(): void {
    if (this.#callOffLook !== undefined || this.#held.size === 0) return
    const look = async (): Promise<void> => {
      for (const run of this.#held.values()) await run.catchUp()
    }
    const again = (): void => {
      this.#callOffLook = undefined
      this.#follow()
    }
    const looked = (): void => {
      look()
        .then(() => this.#outage.succeeded())
        .catch((error: unknown) => {
          const message = 'the store could not be asked for passivated runs; trying again'
          this.#options.report({ message, where: 'store', error })
          if (this.#outage.failed()) this.#loseHeld(error)
        })
        .finally(again)
    }
    const { environment, pollInterval } = this.#options
    this.#callOffLook = environment.clock.after(pollInterval, looked, { background: true })
  }

  #loseHeld(error: unknown): void {
    for (const run of this.#held.values()) {
      run.lose(storeFailure(run.id, 'The store did not give the journal', error))
    }
  }

  /** Removes a run that is back, or has ended. */
  remove(runId: string): void {
    this.#runs.delete(runId)
    this.#held.delete(runId)
  }

  /** Forgets all runs; returns those that a caller may still reference. */
  clear(): HostedRun[] {
    const runs = [...this.#runs.values()].flatMap((run) => run.deref() ?? [])
    this.#callOffLook?.()
    this.#runs.clear()
    this.#held.clear()
    return runs
  }
}
