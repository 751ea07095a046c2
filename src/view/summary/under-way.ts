/** The effects of a run that have begun and have no outcome yet. */
import { requesterOf } from '../../kit/index.ts'
import { agentAt } from './places.ts'
import type { SummaryWork } from './summary.ts'

export class UnderWay {
  readonly #all = new Map<string, SummaryWork>()

  get all(): readonly SummaryWork[] {
    return [...this.#all.values()]
  }

  begin(entry: number, key: string, kind: string, since: number): void {
    const path = requesterOf(key)
    this.#all.set(key, { entry, agent: agentAt(path), path, kind, since })
  }

  end(key: string): void {
    this.#all.delete(key)
  }
}
