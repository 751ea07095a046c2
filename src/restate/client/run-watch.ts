/** Polls the journals of a run while it has readers. */
import { toErrorData, TroupeError, type ErrorData, type JournalMismatch } from '../../errors.ts'
import { ReaderPosition } from '../../runtime/handle/cursor.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { DeltaSource } from '../deltas/deltas.ts'
import type { RunIngress } from './ingress.ts'
import { TreeReplay } from './tree-replay.ts'

export interface RunWatchOptions {
  readonly id: string
  /** The root agent's id. */
  readonly agent: string
  readonly registry: AgentRegistry
  readonly ingress: RunIngress
  /** Milliseconds between two polls of the journals of a run that is watched. */
  readonly pollInterval: number
  readonly deltas: DeltaSource | undefined
  /** Called with each effect whose input differs from the recorded one. Default: such an effect is a mismatch. */
  readonly onDiverged?: (difference: JournalMismatch) => void
}

/** The number of polls between two checks whether Restate has given the run up. */
const looksPerCheck = 40

export class RunWatch {
  readonly tree: TreeReplay
  readonly #options: RunWatchOptions
  #isFollowed = false
  #failure: Error | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: RunWatchOptions) {
    const { id, agent, registry, ingress, onDiverged } = options
    this.#options = options
    this.tree = new TreeReplay({
      registry,
      agent,
      onDiverged,
      read: (of, path, from) => ingress.read({ runId: id, agent: of, path }, { from }),
    })
  }

  /** `position`: where the reader goes on. Default: from the first event on. */
  async *events(position = new ReaderPosition()): AsyncGenerator<RunEvent> {
    const { log } = this.tree
    const reader = log.read({ position })
    try {
      void this.#follow()
      yield* reader
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      await reader.return?.()
    }
  }

  /** Polls until the run has no reader, or has ended. */
  async #follow(): Promise<void> {
    const { log } = this.tree
    if (this.#isFollowed) return
    this.#isFollowed = true
    const leave = this.#options.deltas?.subscribe(this.#options.id, (delta) => log.hear(delta))
    for (let looks = 1; log.hasReaders; looks++) {
      try {
        const loss = looks % looksPerCheck === 0 ? await this.#loss() : undefined
        await this.look()
        if (loss !== undefined) log.end() // `result` rejects with the error
      } catch (error) {
        // For a run that was given up `result` rejects with the error.
        if ((await this.#loss()) === undefined) this.#failure = asError(error)
        log.end()
      }
      if (!log.hasEnded) await this.pause()
    }
    this.#isFollowed = false
    leave?.()
  }

  /** Reads the entries that exist by now; one poll after the other. */
  async look(): Promise<void> {
    const before = this.#looking
    const look = before.then(() => this.tree.pump())
    this.#looking = look.catch(() => undefined) // the caller gets the error
    try {
      await look
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }

  /** As `look`, and also polls workflows that have long been quiet. */
  lookAtAll(): Promise<void> {
    this.tree.wake()
    return this.look()
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.#options.pollInterval))
  }

  /** Returns the error of a run that will come to no end of its own. Its journal does not hold that. */
  #loss(): Promise<ErrorData | undefined> {
    const { id, ingress, agent } = this.#options
    return ingress.loss({ runId: id, agent, path: agent })
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(toErrorData(error).message)
}

/** Whether an error may pass: the server may be unavailable for a while. */
function isPassing(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'RESTATE_UNREACHABLE'
}
