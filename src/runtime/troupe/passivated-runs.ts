/**
 * The passivated runs of a troupe: finds a run that a caller still references, and polls those whose callers wait.
 */
import { JournalMismatchError } from '../../errors.ts'
import { noContext } from '../async-context.ts'
import type { Environment } from '../environment.ts'
import type { Reporter } from '../report.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { answered, isSilence, pollPatience, StoreOutage } from '../store-outage.ts'
import type { RunStore } from '../journal/store.ts'
import { StoreSubscription } from '../journal/store-subscription.ts'
import type { HostedRun } from '../run/run-host.ts'
import { ToldRuns } from '../run/told-runs.ts'
import type { Clock } from '../clock.ts'

export interface PassivatedRunsOptions {
  readonly store: Pick<RunStore, 'subscribe'>
  readonly environment: Environment
  /** Milliseconds between two polls for the end of runs that a caller waits for. */
  readonly pollInterval: number
  /** Milliseconds that the store may fail before waiting callers are rejected. */
  readonly leaseTtl: number
  readonly report: Reporter
}

/** Rejects as the store does. A run that has ended otherwise than its agents here would have is lost. */
async function catchUp(run: HostedRun): Promise<void> {
  try {
    await run.catchUp()
  } catch (error) {
    if (!(error instanceof JournalMismatchError)) throw error
    run.lose(error)
  }
}

export class PassivatedRuns {
  readonly #options: PassivatedRunsOptions
  readonly #runs = new Map<string, WeakRef<HostedRun>>()
  /** The failures of the reads of each run, one after the other. */
  readonly #outages = new WeakMap<HostedRun, StoreOutage>()
  readonly #reads: RunReads
  /** Runs that must not be forgotten. */
  readonly #held = new Map<string, HostedRun>()
  #callOffLook: (() => void) | undefined
  readonly #told = new ToldRuns((runIds) => this.#catchUp(runIds))
  readonly #subscription: StoreSubscription

  constructor(options: PassivatedRunsOptions) {
    this.#options = options
    this.#subscription = new StoreSubscription(options, (runId, change) => {
      if (change === 'entries' && this.#held.has(runId)) this.#told.tell(runId)
    })
    const { clock } = options.environment
    const { pollInterval, leaseTtl } = options
    const read = (run: HostedRun): Promise<void> =>
      answered(clock, pollPatience(leaseTtl), () => catchUp(run))
    this.#reads = new RunReads({ clock, patience: pollInterval, read })
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
    if (this.#subscription.isOpen) this.#told.tell(run.id)
  }

  #hold(run: HostedRun): void {
    this.#held.set(run.id, run)
    this.#subscription.open()
    this.#follow()
  }

  get size(): number {
    return this.#held.size
  }

  /** Reads the runs that the store has told of; where that fails, the next poll does. */
  async #catchUp(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) {
      const run = this.#held.get(runId)
      if (run === undefined) continue
      try {
        await this.#reads.read(run)
      } catch (error) {
        const message = 'the store could not be asked for a passivated run; the next poll asks again'
        this.#options.report({ message, code: 'PASSIVATED_POLL_FAILED', where: 'store', error, runId })
      }
    }
  }

  /** Without a waiting caller no notice is needed. */
  #release(runId: string): void {
    this.#held.delete(runId)
    if (this.#held.size === 0) this.#subscription.close()
  }

  /** Polls the runs with waiting callers: another troupe may have brought one to its end. */
  #follow(): void {
    if (this.#callOffLook !== undefined || this.#held.size === 0) return
    const look = async (): Promise<void> => {
      await this.#lookAtAll()
      this.#callOffLook = undefined
      this.#follow()
    }
    const { environment, pollInterval } = this.#options
    const { clock } = environment
    this.#callOffLook = noContext.run(() =>
      clock.after(pollInterval, () => void look(), { background: true }),
    )
  }

  /** A run that cannot be read keeps no other from being read. */
  async #lookAtAll(): Promise<void> {
    const failures = new Map<HostedRun, unknown>()
    for (const run of this.#held.values()) {
      if (this.#reads.isUnderWay(run)) continue
      try {
        if (await this.#reads.read(run)) this.#outages.delete(run)
      } catch (error) {
        failures.set(run, error)
      }
    }
    const [first] = failures.values()
    if (failures.size === 0) return
    const message = 'the store could not be asked for passivated runs; trying again'
    this.#options.report({ message, code: 'PASSIVATED_POLL_FAILED', where: 'store', error: first })
    for (const [run, error] of failures) {
      if (this.#isOver(run, error))
        run.lose(storeFailure(run.id, 'The store did not give the journal', error))
    }
  }

  /** Whether the store has failed, or was silent, for too long: the run is lost. */
  #isOver(run: HostedRun, error: unknown): boolean {
    const { environment, leaseTtl } = this.#options
    const outage = this.#outages.get(run) ?? new StoreOutage(environment.clock, leaseTtl)
    this.#outages.set(run, outage)
    return isSilence(error) || outage.failed()
  }

  /** Removes a run that is back, or has ended. */
  remove(runId: string): void {
    this.#runs.delete(runId)
    this.#release(runId)
  }

  /** Forgets all runs; returns those that a caller may still reference. */
  clear(): HostedRun[] {
    const runs = [...this.#runs.values()].flatMap((run) => run.deref() ?? [])
    this.#callOffLook?.()
    this.#subscription.close()
    this.#runs.clear()
    this.#held.clear()
    return runs
  }
}

interface RunReadsOptions {
  readonly clock: Clock
  /** Milliseconds after which a read is no longer waited for. */
  readonly patience: number
  /** Its promise settles in any case. */
  readonly read: (run: HostedRun) => Promise<void>
}

/** The reads of passivated runs. A read that takes long goes on by itself, and the next run is read meanwhile. */
class RunReads {
  readonly #options: RunReadsOptions
  readonly #underWay = new Map<HostedRun, Promise<void>>()
  /** The error of the last read of a run, until a caller gets it. */
  readonly #errors = new WeakMap<HostedRun, unknown>()

  constructor(options: RunReadsOptions) {
    this.#options = options
  }

  isUnderWay(run: HostedRun): boolean {
    return this.#underWay.has(run)
  }

  /**
   * Reads a run, after the read of it that is under way. Resolves when the run is read, or when the patience is over: gives
   * whether it is read. Rejects as that read does, or as the one before it did that was no longer waited for.
   */
  async read(run: HostedRun): Promise<boolean> {
    const before = this.#underWay.get(run)
    if (before !== undefined) await this.#wait(before)
    this.#throwError(run)
    if (this.#underWay.has(run)) return false
    await this.#wait(this.#begin(run))
    this.#throwError(run)
    return !this.#underWay.has(run)
  }

  #begin(run: HostedRun): Promise<void> {
    const ended = this.#options
      .read(run)
      .catch((error: unknown) => void this.#errors.set(run, error))
      .finally(() => this.#underWay.delete(run))
    this.#underWay.set(run, ended)
    return ended
  }

  #throwError(run: HostedRun): void {
    if (!this.#errors.has(run)) return
    const error = this.#errors.get(run)
    this.#errors.delete(run)
    throw error
  }

  async #wait(ended: Promise<void>): Promise<void> {
    const { clock, patience } = this.#options
    const over = Promise.withResolvers<void>()
    const callOff = clock.after(patience, over.resolve, { background: true })
    await Promise.race([ended, over.promise])
    callOff()
  }
}
