/** The watched runs of a client: one replay of all workflows of a run for all its readers. */
import type { JournalMismatch } from '../../errors.ts'
import type { ReaderPosition } from '../../runtime/handle/cursor.ts'
import { leavable } from '../../runtime/handle/leavable.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { runWatch, type RunWatch as Watch, type WatchOptions } from '../../runtime/watch/run-watch.ts'
import { RunWatch, type RunWatchOptions } from './run-watch.ts'

export interface RunWatchesOptions extends Omit<RunWatchOptions, 'id' | 'agent' | 'onDiverged'> {
  /** Resolves with the id of the root agent. Rejects with a `RunNotFoundError`. */
  readonly find: (runId: string) => Promise<string>
}

interface Shared {
  readonly watch: Promise<RunWatch>
  /** Present when the run was found. */
  opened?: RunWatch
  diverged: JournalMismatch | undefined
  readers: number
}

export class RunWatches {
  readonly #options: RunWatchesOptions
  readonly #shared = new Map<string, Shared>()

  constructor(options: RunWatchesOptions) {
    this.#options = options
  }

  /** Throws a `ConfigurationError`. */
  watch(runId: string, options?: WatchOptions): Watch {
    let last: Shared | undefined
    return runWatch(runId, options, {
      read: (position) => this.#read(runId, position, (shared) => (last = shared)),
      ready: async () => {
        await this.#options.find(runId)
      },
      diverged: () => last?.diverged,
    })
  }

  #share(runId: string): Shared {
    const known = this.#shared.get(runId)
    if (known !== undefined && known.opened?.isBroken !== true) return known
    const { find, ...options } = this.#options
    const opened = async (): Promise<RunWatch> => {
      const agent = await find(runId)
      shared.opened = new RunWatch({
        ...options,
        id: runId,
        agent,
        onDiverged: (difference) => (shared.diverged ??= difference),
      })
      return shared.opened
    }
    const shared: Shared = { watch: opened(), diverged: undefined, readers: 0 }
    shared.watch.catch(() => this.#forget(runId, shared)) // its readers get the error
    this.#shared.set(runId, shared)
    return shared
  }

  #read(
    runId: string,
    position: ReaderPosition,
    onShared: (shared: Shared) => void,
  ): AsyncIterableIterator<RunEvent> {
    let hasLeft = false
    let events: AsyncIterableIterator<RunEvent> | undefined
    const opened = (watch: RunWatch): AsyncIterableIterator<RunEvent> => (events = watch.events(position))
    const read = async function* (shared: Shared): AsyncGenerator<RunEvent, void> {
      const watch = await shared.watch
      if (hasLeft) return
      yield* opened(watch)
      if (!hasLeft && !watch.tree.log.isFinal && watch.givenUp !== undefined) throw watch.givenUp
    }
    return leavable(this.#counted(runId, onShared, read), () => {
      hasLeft = true
      return events?.return?.()
    })
  }

  async *#counted(
    runId: string,
    onShared: (shared: Shared) => void,
    read: (shared: Shared) => AsyncGenerator<RunEvent, void>,
  ): AsyncGenerator<RunEvent, void> {
    const shared = this.#share(runId)
    onShared(shared)
    shared.readers++
    try {
      yield* read(shared)
    } finally {
      shared.readers--
      if (shared.readers === 0) this.#forget(runId, shared)
    }
  }

  #forget(runId: string, shared: Shared): void {
    if (this.#shared.get(runId) === shared) this.#shared.delete(runId)
  }
}
