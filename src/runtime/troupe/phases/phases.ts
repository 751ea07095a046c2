/** The phases of a troupe, from open over draining to closed, and what each does with the runs in memory. */
import { LeaseLostError, TroupeClosedError, TroupeDrainingError, type TroupeError } from '../../../errors.ts'
import { noContext } from '../../async-context.ts'
import type { Environment } from '../../environment.ts'
import type { Committer } from '../../journal/committer.ts'
import { closedError } from '../../journal/lost-run.ts'
import { released, type Store } from '../../journal/store.ts'
import type { HostedRun } from '../../run/run-host.ts'
import { closeWithin } from './closing.ts'
import { lastCalls } from './last-calls.ts'
import { Drain, type DrainReport } from './drain.ts'
import type { TroupePhase } from '../../troupe-phase.ts'

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
  /** Its part in hot reload. */
  readonly reload: { leave(): void } | undefined
}

/** Milliseconds that effects under way have where a newer troupe of this process asks for their run. */
const releasePatience = 2_000

export class Phases {
  readonly #host: PhasesHost
  /** Made when it is first asked for: Workers let no module make one while it loads. */
  #closing: AbortController | undefined
  /** Work that must settle before the store may be closed. */
  readonly #chores = new Set<Promise<void>>()
  #drain: Drain<HostedRun> | undefined
  /** Runs that newer troupes of this process have asked for: each leaves as in a drain, and the others stay. */
  readonly #releases = new Map<HostedRun, Drain<HostedRun>>()
  /** What waits, while the troupe drains, for runs to leave. */
  readonly #leaving = new Map<HostedRun, PromiseWithResolvers<void>>()
  #closed: Promise<void> | undefined

  constructor(host: PhasesHost) {
    this.#host = host
  }

  get name(): TroupePhase {
    if (this.#closing?.signal.aborted === true) return 'closed'
    return this.#drain === undefined ? 'open' : 'draining'
  }

  get closing(): AbortSignal {
    return this.#closer.signal
  }

  get #closer(): AbortController {
    return (this.#closing ??= new AbortController())
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
    for (const drain of this.#drains) drain.left(run)
    this.#leaving.get(run)?.resolve()
  }

  followingChanged(runId: string): void {
    for (const drain of this.#drains) drain.followingChanged(runId)
  }

  get #drains(): readonly Drain<HostedRun>[] {
    return this.#drain === undefined
      ? [...this.#releases.values()]
      : [this.#drain, ...this.#releases.values()]
  }

  // --- draining ---------------------------------------------------------------------------------------------------

  async drain(deadline: number): Promise<DrainReport> {
    this.assertOpen()
    if (this.#drain !== undefined) this.#drain.limit(deadline)
    else {
      this.#drain = this.#draining(
        (run) => closedError(run.id, 'draining'),
        () => this.#settled(),
      )
      this.#host.endBackground()
      this.#drain.begin(this.#host.live, deadline)
    }
    return this.#drain.report
  }

  /** Resolves when the store has taken the release of this run, or its end. `false`: the run stays. */
  async release(run: HostedRun): Promise<boolean> {
    if (this.name === 'closed') {
      await this.#closed?.catch(() => undefined) // whoever closes it is told
      return true
    }
    if (this.name === 'draining') return this.#hasLeft(run)
    const under = this.#releases.get(run)
    const drain =
      under ??
      this.#draining(
        (left) => new LeaseLostError(left.id),
        () => this.#chored(),
        'stays',
      )
    if (under === undefined) {
      this.#releases.set(run, drain)
      drain.begin([run], releasePatience)
    }
    const { ended, handedOver, cutOff } = await drain.report
    this.#releases.delete(run)
    return ended.length + handedOver.length + cutOff.length > 0
  }

  /** A draining troupe releases the run by itself: nothing of it is cut off for another troupe. */
  async #hasLeft(run: HostedRun): Promise<boolean> {
    const leaving = this.#leaving.get(run) ?? Promise.withResolvers<void>()
    this.#leaving.set(run, leaving)
    const { clock } = this.#host.environment
    const due = Promise.withResolvers<false>()
    const callOff = noContext.run(() => clock.after(releasePatience, () => due.resolve(false)))
    const hasLeft = await Promise.race([leaving.promise.then(() => true), due.promise])
    callOff()
    this.#leaving.delete(run)
    if (hasLeft) await this.#chored()
    return hasLeft
  }

  /** `error`: what callers that follow a run are rejected with. */
  #draining(
    error: (run: HostedRun) => TroupeError,
    settled: () => Promise<void>,
    followed: 'waits' | 'stays' = 'waits',
  ): Drain<HostedRun> {
    const { environment, committer } = this.#host
    return new Drain<HostedRun>({
      clock: environment.clock,
      committer,
      followed,
      isFollowed: (runId) => this.#host.isFollowed(runId),
      cut: (run) => run.halt(error(run)),
      handOver: (run) => {
        if (run.leaveMemory()) return
        run.lose(error(run))
        this.#host.giveUp(run)
      },
      settled,
    })
  }

  async #chored(): Promise<void> {
    await Promise.allSettled(this.#chores)
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
      close: () => this.#close(deadline),
      giveUp: () => void this.#giveUp(),
    }).finally(() => {
      this.#host.reload?.leave()
      for (const drain of this.#drains) drain.end()
    })
    return this.#closed
  }

  async #close(deadline: number): Promise<void> {
    const host = this.#host
    this.#closer.abort()
    for (const drain of this.#drains) drain.closing()
    host.endBackground()
    const halt = (run: HostedRun): void => run.halt(closedError(run.id))
    const { clock } = host.environment
    const isFollowed = (runId: string): boolean => host.isFollowed(runId)
    const calls = lastCalls({ clock, live: host.live, isFollowed, halt }, deadline)
    if (calls !== undefined) await calls
    host.orphans.close()
    for (const run of host.live) halt(run)
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
