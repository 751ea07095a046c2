/**
 * The passivated runs of a troupe: finds a run that a caller still references, and revives each when its timer is due.
 */
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { Reporter } from '../report.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { StoreOutage } from '../store-outage.ts'
import type { RunStore, StoreListener } from '../journal/store.ts'
import type { HostedRun } from '../run/run-host.ts'
import { ToldRuns } from '../run/told-runs.ts'

interface Alarm {
  readonly at: number
  readonly callOff: () => void
}

export interface PassivatedRunsOptions {
  readonly store: Pick<RunStore, 'subscribe'>
  readonly environment: Environment
  /** The clock of the runs: their timers are due by it. */
  readonly clock: Clock
  /** A troupe that no caller can reach any more must not keep the process alive. */
  readonly isAlone: boolean
  /** Milliseconds between two polls for the end of runs that a caller waits for. */
  readonly pollInterval: number
  /** Milliseconds that the store may fail before waiting callers are rejected. */
  readonly leaseTtl: number
  readonly onDue: (runId: string) => void
  readonly report: Reporter
}

export class PassivatedRuns {
  readonly #options: PassivatedRunsOptions
  readonly #runs = new Map<string, WeakRef<HostedRun>>()
  readonly #outage: StoreOutage
  /** Runs that must not be forgotten. */
  readonly #held = new Map<string, HostedRun>()
  readonly #alarms = new Map<string, Alarm>()

  #callOffLook: (() => void) | undefined
  readonly #told = new ToldRuns((runIds) => this.#catchUp(runIds))
  #unsubscribe: (() => void) | undefined

  constructor(options: PassivatedRunsOptions) {
    this.#options = options
    this.#outage = new StoreOutage(options.environment.clock, options.leaseTtl)
  }

  find(runId: string): HostedRun | undefined {
    return this.#runs.get(runId)?.deref()
  }

  add(run: HostedRun): void {
    this.#runs.set(run.id, new WeakRef(run))
    if (run.isNeeded) this.#hold(run)
  }

  /** A caller waits for the run from now on: what it has missed is read. */
  hold(run: HostedRun): void {
    if (this.find(run.id) !== run) return
    this.#hold(run)
    if (this.#unsubscribe !== undefined) this.#told.tell(run.id)
  }

  #hold(run: HostedRun): void {
    this.#held.set(run.id, run)
    this.#unsubscribe ??= this.#options.store.subscribe?.(this.#changed)
    this.#follow()
  }

  readonly #changed: StoreListener = (runId, change) => {
    if (change === 'entries' && this.#held.has(runId)) this.#told.tell(runId)
  }

  /** Reads the runs that the store has told of; where that fails, the next poll does. */
  async #catchUp(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) {
      try {
        await this.#held.get(runId)?.catchUp()
      } catch (error) {
        const message = 'the store could not be asked for a passivated run; the next poll asks again'
        this.#options.report({ message, where: 'store', error, runId })
      }
    }
  }

  /** Without a waiting caller no notice is needed. */
  #release(runId: string): void {
    this.#held.delete(runId)
    if (this.#held.size === 0) this.#unsubscribeNow()
  }

  #unsubscribeNow(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
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
    this.#release(runId)
    this.#callOff(runId)
  }

  /**
   * Calls `onDue` at `at` (milliseconds since 1970), when a timer of the run is due; any process may have passivated
   * it.
   */
  wakeAt(runId: string, at: number | undefined): void {
    if (this.#alarms.get(runId)?.at === at) return
    this.#callOff(runId)
    if (at === undefined) return
    const { clock, isAlone, onDue } = this.#options
    const ring = (): void => {
      this.#alarms.delete(runId)
      onDue(runId)
    }
    const callOff = clock.after(Math.max(0, at - clock.now()), ring, { background: isAlone })
    this.#alarms.set(runId, { at, callOff })
  }

  #callOff(runId: string): void {
    this.#alarms.get(runId)?.callOff()
    this.#alarms.delete(runId)
  }

  /** Forgets all runs; returns those that a caller may still reference. */
  clear(): HostedRun[] {
    const runs = [...this.#runs.values()].flatMap((run) => run.deref() ?? [])
    this.#callOffLook?.()
    this.#unsubscribeNow()
    for (const { callOff } of this.#alarms.values()) callOff()
    this.#alarms.clear()
    this.#runs.clear()
    this.#held.clear()
    return runs
  }
}
