/** The phases of a troupe, from open over draining to closed, and what each does with the runs in memory. */
import { TroupeClosedError, TroupeDrainingError } from '../../errors.ts'
import type { Environment } from '../environment.ts'
import type { Committer } from '../journal/committer.ts'
import { closedError } from '../journal/lost-run.ts'
import { released, type Store } from '../journal/store.ts'
import type { HostedRun } from '../run/run-host.ts'
import { closeWithin } from './closing.ts'
import { Drain, type DrainReport } from './drain.ts'
import type { TroupePhase } from '../troupe-phase.ts'

interface PhasesHost {
  readonly environment: Environment
  readonly committer: Committer
  readonly store: Pick<Store, 'renew'>
  readonly watches: { close(): Promise<void> }
  readonly orphans: { close(): void }
  readonly passivatedRuns: { clear(): readonly HostedRun[] }
  /** The runs in memory. */
  readonly live: readonly HostedRun[]
  /** The runs that are on their way into memory. */
  readonly coming: readonly Promise<unknown>[]
  /** Whether a call that is under way here follows the run. */
  isFollowed(runId: string): boolean
  /** Ends recovery, retention and alarms. */
  endBackground(): void
  giveUp(run: HostedRun): void
}

export class Phases {
  readonly #host: PhasesHost
  readonly #closing = new AbortController()
  /** Work that must settle before the store may be closed. */
  readonly #chores = new Set<Promise<void>>()
  #drain: Drain<HostedRun> | undefined
  #closed: Promise<void> | undefined

  constructor(host: PhasesHost) {
    this.#host = host
  }

  get name(): TroupePhase {
    if (this.#closing.signal.aborted) return 'closed'
    return this.#drain === undefined ? 'open' : 'draining'
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  assertOpen(): void {
    if (this.name === 'closed') throw new TroupeClosedError()
  }

  /** Throws also when the troupe drains, unless a call under way here follows this run: it is a part of that call. */
  assertTakes(runId?: string): void {
    this.assertOpen()
    if (this.name === 'open' || (runId !== undefined && this.#host.isFollowed(runId))) return
    throw new TroupeDrainingError()
  }

  awaitBeforeClose(work: Promise<unknown>): void {
    const chore = Promise.allSettled([work]).then(() => void this.#chores.delete(chore))
    this.#chores.add(chore)
  }

  // --- calls of runs ----------------------------------------------------------------------------------------------

  entered(run: HostedRun): void {
    this.#drain?.entered(run)
  }

  left(run: HostedRun): void {
    this.#drain?.left(run)
  }

  followingChanged(runId: string): void {
    this.#drain?.followingChanged(runId)
  }

  // --- draining ---------------------------------------------------------------------------------------------------

  async drain(deadline: number): Promise<DrainReport> {
    this.assertOpen()
    if (this.#drain !== undefined) this.#drain.limit(deadline)
    else {
      const { environment, committer, live } = this.#host
      this.#drain = new Drain({
        clock: environment.clock,
        committer,
        isFollowed: (runId) => this.#host.isFollowed(runId),
        cut: (run) => run.halt(closedError(run.id, 'draining')),
        handOver: (run) => this.#handOver(run),
        settled: () => this.#settled(),
      })
      this.#host.endBackground()
      this.#drain.begin(live, deadline)
    }
    return this.#drain.report
  }

  #handOver(run: HostedRun): void {
    if (run.leaveMemory()) return
    run.lose(closedError(run.id, 'draining'))
    this.#host.giveUp(run)
  }

  /** Resolves when no run is on its way here, and the store has taken all releases. */
  async #settled(): Promise<void> {
    while (this.#host.coming.length + this.#chores.size > 0) {
      await Promise.allSettled([...this.#host.coming, ...this.#chores])
    }
  }

  // --- closing ----------------------------------------------------------------------------------------------------

  close(deadline: number): Promise<void> {
    this.#closed ??= closeWithin(this.#host.environment.clock, deadline, {
      close: () => this.#close(),
      giveUp: () => void this.#giveUp(),
    }).finally(() => this.#drain?.end())
    return this.#closed
  }

  async #close(): Promise<void> {
    const host = this.#host
    this.#closing.abort()
    this.#drain?.closing()
    host.endBackground()
    host.orphans.close()
    for (const run of host.live) run.halt(closedError(run.id))
    await this.#settled()
    await host.committer.close()
    const runs = this.#giveUp()
    await Promise.allSettled([...this.#chores, host.watches.close()])
    await host.store.renew(runs.map((run) => released(run.lease)))
  }

  #giveUp(): readonly HostedRun[] {
    const { live } = this.#host
    for (const run of [...live, ...this.#host.passivatedRuns.clear()]) run.lose(closedError(run.id))
    return live
  }
}
