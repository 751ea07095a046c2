/** Continues the unfinished runs of the store that have no owner, once or repeatedly. */
import { is, milliseconds } from '../../actors/strict/checks.ts'
import { optional, type Fields } from '../../actors/strict/read-options.ts'
import { LeaseLostError, RunNotFoundError, RunOwnedError, toErrorData, type ErrorData } from '../../errors.ts'
import { noContext } from '../async-context.ts'
import { nextTurn } from '../environment.ts'
import { protocolVersion } from '../journal/journal.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { RunHost } from '../run/run-host.ts'
import type { Run } from '../handle/run.ts'
import { tellRestored } from '../run/restored-runs.ts'
import { otherProtocolIn } from '../run/other-protocols.ts'

/** The result of one pass over the unfinished runs of the store. */
export interface Recovery {
  /** The runs that go on here. */
  readonly runs: readonly Run[]
  /** The runs that another troupe owns, has taken meanwhile, or owned until its process ended: their leases have not expired. */
  readonly owned: readonly string[]
  /**
   * The runs that cannot go on here, with the error: an agent is missing, an agent has changed, functions are missing, or
   * three workers in a row have died of the run (`RUN_LEFT`).
   */
  readonly refused: readonly { readonly runId: string; readonly error: ErrorData }[]
  /**
   * The runs that began with another protocol of the charts, which the release of a worker has: they are left as they are,
   * for a worker of the release that they began with. A suspended one is named once a signal or a timer was due.
   */
  readonly left: readonly { readonly runId: string; readonly protocol: number }[]
}

/** The options of `troupe.recover`. */
export interface RecoverOptions {
  /** Milliseconds between two passes, for runs whose owner has gone. Default: one pass. */
  readonly every?: number
  /**
   * The store is a copy of an earlier point, for example a backup: calls that its runs make from here on may have been made
   * before, and ask first. Each call with `true` is a restore of its own. A text names the restore: calls with the same text
   * are the same restore, from any process. Default: `false`.
   */
  readonly restored?: boolean | string
}

/** The most runs that are read from the store at once. */
const pageSize = 100

/** The most runs that one report names. */
const mostShown = 10

export const recoverFields: Fields<RecoverOptions> = {
  every: optional(milliseconds),
  restored: optional(
    is(
      'true, false or a text that is not empty',
      (given) => typeof given === 'boolean' || (typeof given === 'string' && given !== ''),
    ),
  ),
}

export class RunRecovery {
  readonly #host: RunHost
  readonly #startDue: () => Promise<void>
  /** Runs that were reported as refused. */
  readonly #refused = new Set<string>()
  #callOffLook: () => void = () => undefined

  /** `startDue`: starts the runs of schedules that are due. */
  constructor(host: RunHost, startDue: () => Promise<void>) {
    this.#host = host
    this.#startDue = startDue
  }

  /** Raises the epoch of the store before any run goes on: a run that is not told here is told by whoever goes on with it. */
  async restored(restored: true | string): Promise<void> {
    const host = this.#host
    host.assertTakes()
    const epoch = await host.epochs.raise(restored === true ? undefined : restored)
    for await (const summary of this.#unfinished()) {
      await nextTurn(host.environment)
      host.assertTakes()
      await tellRestored(host, summary, epoch)
    }
  }

  async recover(): Promise<Recovery> {
    const host = this.#host
    host.assertTakes()
    const runs: Run[] = []
    const owned: string[] = []
    const refused: { runId: string; error: ErrorData }[] = []
    const left: { runId: string; protocol: number }[] = []
    const found: string[] = []
    const suspended: string[] = []
    const unfinished = new Set<string>()
    for await (const { runId, isPassivated, wakeAt, awaiting } of this.#unfinished()) {
      unfinished.add(runId)
      if (host.isLive(runId)) continue
      const known = host.otherProtocols.of(runId)
      if (known !== undefined) {
        left.push({ runId, protocol: known })
        continue
      }
      // Without a question it was suspended by a release that wrote no index: its resumption writes it.
      if (isPassivated === true && awaiting.length > 0) {
        suspended.push(runId)
        host.wakeAt(runId, wakeAt)
        continue
      }
      if ((await host.reload?.handOn(runId)) === true) {
        owned.push(runId)
        continue
      }
      await nextTurn(host.environment) // the leases of revived runs are renewed meanwhile
      try {
        const { run, hadEnded } = await host.resume(runId)
        if (!hadEnded) runs.push(run)
      } catch (error) {
        host.assertTakes() // otherwise the error says nothing about the run
        const protocol = otherProtocolIn(error)
        if (protocol !== undefined) {
          left.push({ runId, protocol })
          if (host.otherProtocols.note(runId, error) === 'new') found.push(runId)
        } else if (error instanceof RunOwnedError || error instanceof LeaseLostError) owned.push(runId)
        // Another troupe may have brought it to its end, and deleted it, since it was listed.
        else if (!(error instanceof RunNotFoundError)) refused.push({ runId, error: toErrorData(error) })
      }
    }
    host.otherProtocols.retain(unfinished)
    this.#reportLeft(found)
    await host.hear(suspended)
    await this.#startDue()
    return { runs, owned, refused, left }
  }

  /** The unfinished runs of the store, oldest first, read page by page. */
  async *#unfinished(): AsyncIterable<RunSummary> {
    const filter = { status: 'unfinished', limit: pageSize } as const
    let page = await this.#host.store.list('runs', filter)
    for (;;) {
      this.#host.reload?.prepare(page.items)
      yield* page.items
      if (page.next === undefined) return
      this.#host.assertTakes()
      page = await this.#host.store.list('runs', { ...filter, before: page.next })
    }
  }

  /** Reports once of each run that it is left. */
  #reportLeft(found: readonly string[]): void {
    const [runId] = found
    if (runId === undefined) return
    const shown = found.slice(0, mostShown).join(', ')
    const more = found.length > mostShown ? ` and ${found.length - mostShown} more` : ''
    const message = `runs of another release of troupe are left to a worker of that release: ${shown}${more}`
    const error = new Error(
      `They began with protocol ${this.#host.otherProtocols.of(runId)} of the charts, and this release has ${protocolVersion}.`,
    )
    this.#host.report({
      message,
      code: 'RUNS_OF_OTHER_RELEASE',
      where: 'run',
      error,
      ...(found.length === 1 && { runId }),
    })
  }

  watch(every: number): void {
    this.#host.assertTakes()
    this.stop()
    let isLooking = false
    const look = (): void => {
      if (!this.#host.isOpen) return
      schedule()
      if (isLooking) return // a pass that takes longer than the interval is not overtaken by the next
      isLooking = true
      this.#lookAgain()
        .catch((error: unknown) => {
          if (!this.#host.isOpen) return
          const message = 'the store could not be asked for unfinished runs; trying again'
          this.#host.report({ message, code: 'RECOVERY_FAILED', where: 'store', error })
        })
        .finally(() => {
          isLooking = false
        })
    }
    const schedule = (): void => {
      const { clock } = this.#host.environment
      this.#callOffLook = noContext.run(() => clock.after(every, look, { background: true }))
    }
    schedule()
  }

  /** Reports once of each run that it cannot go on. */
  async #lookAgain(): Promise<void> {
    const { refused } = await this.recover()
    for (const { runId, error } of refused) {
      if (this.#refused.has(runId)) continue
      this.#refused.add(runId)
      this.#host.report({
        message: `the run "${runId}" cannot be resumed`,
        code: 'RUN_NOT_RESUMED',
        where: 'run',
        error,
        runId,
      })
    }
  }

  stop(): void {
    this.#callOffLook()
  }
}
