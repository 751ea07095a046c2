/** Releases the threads that a run has claimed, once its end is on record, with any outcome. */
import type { EffectKind } from '../../actors/effect-names.ts'
import type { MemoryStorage } from '../journal/memory-storage.ts'
import type { Reporter } from '../report.ts'

export class ClaimedThreads {
  readonly #runId: string
  readonly #memory: Pick<MemoryStorage, 'release'> | undefined
  readonly #report: Reporter
  #mayHold = false

  constructor(runId: string, memory: Pick<MemoryStorage, 'release'> | undefined, report: Reporter) {
    this.#runId = runId
    this.#memory = memory
    this.#report = report
  }

  /** Notes the request of an effect of this kind. A subagent that runs elsewhere may claim threads there. */
  requested(kind: EffectKind): void {
    if (kind === 'memory' || kind === 'agent') this.#mayHold = true
  }

  /** Never rejects: an end on record is final. */
  async release(): Promise<void> {
    if (!this.#mayHold || this.#memory === undefined) return
    try {
      await this.#memory.release(this.#runId)
    } catch (error) {
      const message = `the threads that the run "${this.#runId}" has claimed could not be released`
      this.#report({ message, where: 'store', error, runId: this.#runId })
    }
  }
}
