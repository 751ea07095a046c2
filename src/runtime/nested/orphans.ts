/**
 * Nested runs that no call follows here: their process died, or another troupe has the run that began them. Each goes on, and is
 * cancelled once the run that began it has ended.
 */
import type { RunStarted } from '../journal/journal.ts'
import type { NestingHost } from './nested-run.ts'

interface Watched {
  readonly id: string
  readonly started: RunStarted
}

export class Orphans {
  readonly #host: NestingHost
  /** By run id, how many calls follow it here. */
  readonly #followers = new Map<string, number>()
  /** By run id, what calls the next look off. */
  readonly #looks = new Map<string, () => void>()

  constructor(host: NestingHost) {
    this.#host = host
  }

  follows(runId: string): () => void {
    this.#followers.set(runId, (this.#followers.get(runId) ?? 0) + 1)
    return () => {
      const left = (this.#followers.get(runId) ?? 1) - 1
      if (left > 0) this.#followers.set(runId, left)
      else this.#followers.delete(runId)
    }
  }

  /** Whether a call that is under way here follows the run. */
  isFollowed(runId: string): boolean {
    return this.#followers.has(runId)
  }

  /** The run is here, live or passivated. */
  entered(run: Watched): void {
    if (run.started.nested === undefined || this.#looks.has(run.id)) return
    this.#lookLater(run)
  }

  /** The run has ended, or is lost. */
  left({ id }: Watched): void {
    this.#looks.get(id)?.()
    this.#looks.delete(id)
  }

  close(): void {
    for (const callOff of this.#looks.values()) callOff()
    this.#looks.clear()
  }

  #lookLater(run: Watched): void {
    const { environment, pollInterval } = this.#host
    const callOff = environment.clock.after(pollInterval, () => void this.#look(run), { background: true })
    this.#looks.set(run.id, callOff)
  }

  async #look(run: Watched): Promise<void> {
    const isOver = this.#followers.has(run.id) ? false : await this.#hasOuterEnded(run)
    if (this.#host.isClosed || !this.#looks.has(run.id)) return
    if (!isOver) return this.#lookLater(run)
    this.#looks.delete(run.id)
    const reason = 'The run that began this one has ended.'
    this.#host
      .tell(run.id, () => ({ type: 'cancel', reason }))
      .catch((error: unknown) => {
        if (this.#host.isClosed) return
        const message = `the nested run "${run.id}" could not be cancelled`
        this.#host.report({ message, code: 'NESTED_RUN_NOT_CANCELLED', where: 'run', error, runId: run.id })
      })
  }

  /** A store that does not answer is asked again; one without the run is not that of the run. */
  async #hasOuterEnded({ started }: Watched): Promise<boolean> {
    const runId = started.nested?.runId
    if (runId === undefined) return false
    try {
      const { items } = await this.#host.store.list('runs', { runId, limit: 1 })
      return items[0]?.status === 'settled'
    } catch {
      return false
    }
  }
}
