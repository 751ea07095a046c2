/**
 * Looks at the runs that a store tells of. A run that is told while a look is under way is looked at once more after it,
 * however often it was told.
 */
import { noContext } from '../async-context.ts'

export class ToldRuns {
  readonly #look: (runIds: readonly string[]) => Promise<void>
  readonly #told = new Set<string>()
  #isLooking = false

  /** `look` must not reject. */
  constructor(look: (runIds: readonly string[]) => Promise<void>) {
    this.#look = look
  }

  tell(runId: string): void {
    this.#told.add(runId)
    if (!this.#isLooking) void noContext.run(() => this.#lookAtAll())
  }

  async #lookAtAll(): Promise<void> {
    this.#isLooking = true
    while (this.#told.size > 0) {
      const runIds = [...this.#told]
      this.#told.clear()
      await this.#look(runIds)
    }
    this.#isLooking = false
  }
}
