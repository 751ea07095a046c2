/** The files of a prompt, on their way into the blob storage before the entry that begins the run. */
import type { Clock } from '../clock.ts'
import { inTime } from '../in-time.ts'
import type { Reporter } from '../report.ts'
import { heldBy, type Blob, type BlobStorage, type RunHolder } from './blob-storage.ts'
import { putAll } from './kept-content.ts'

export interface PromptFilesOptions {
  readonly holder: RunHolder
  readonly blobs: readonly Blob[]
  readonly storage: BlobStorage | undefined
  readonly clock: Clock
  /** Milliseconds that the storage has for all files. */
  readonly timeout: number
  readonly report: Reporter
  /**
   * Whether the caller has chosen the id of the run. Another start may then have stored files for the same run, so none is
   * removed here: those of a run that never begins go as those of a process that ended. Default: `false`.
   */
  readonly isIdChosen?: boolean
}

export class PromptFiles {
  readonly #options: PromptFilesOptions
  readonly #leaving = new AbortController()
  /** The put that has not settled. */
  #putting: Promise<void> | undefined

  constructor(options: PromptFilesOptions) {
    this.#options = options
  }

  /**
   * Stores the files. Where it rejects, nothing of them is left, unless the id was chosen. It rejects with a
   * `TerminalError` of the code `HOOK_TIMEOUT` or `NO_BLOB_STORAGE`, or as the storage does.
   */
  async put(): Promise<void> {
    const { blobs, storage, holder, clock, timeout } = this.#options
    const putting = putAll(blobs, storage && heldBy(storage, holder), this.#leaving.signal)
    const settled = (): void => {
      this.#putting = undefined
    }
    this.#putting = putting.then(settled, settled)
    try {
      await inTime({ clock, signal: this.#leaving.signal }, timeout, 'The blob storage', () => putting)
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.drop()
      throw error
    }
  }

  /** Removes the files: the run does not begin. */
  drop(): void {
    this.#leaving.abort()
    this.#release()
    void this.#putting?.then(() => this.#release()) // a file that was stored late
  }

  #release(): void {
    const { storage, holder, report, isIdChosen = false } = this.#options
    if (isIdChosen) return
    const { runId } = holder
    const releasing = async (): Promise<unknown> => storage?.release?.(holder)
    releasing().catch((error: unknown) => {
      const message = `the files of the run "${runId}", which did not begin, could not be removed`
      report({ message, code: 'FILES_NOT_RELEASED', where: 'store', error, runId })
    })
  }
}
