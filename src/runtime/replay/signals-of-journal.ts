/** The open questions of a run, read from its journal without affecting the run. */
import { RunNotFoundError } from '../../errors.ts'
import { deliverChecked, resumeFrom } from './deliver-journal.ts'
import { startedOf, type JournalEntry } from '../journal/journal.ts'
import { systemClock } from '../clock.ts'
import { Engine } from '../engine/engine.ts'
import type { OpenSignals } from '../engine/signals/open-signals.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { registryOf } from '../agents/run-registry.ts'
import type { RunStore } from '../journal/store.ts'

export class SignalsOfJournal {
  readonly #engine: Engine

  /** Throws a `JournalMismatchError`. */
  constructor(registry: AgentRegistry, journal: readonly JournalEntry[]) {
    const started = startedOf(journal)
    this.#engine = new Engine({
      registry: registryOf(registry, started),
      clock: systemClock,
      started,
      functions: {},
      onSettled: () => undefined,
      onSuspended: () => undefined,
    })
    resumeFrom(this.#engine, journal)
  }

  get signals(): OpenSignals {
    return this.#engine.signals
  }

  /** The number of entries that were read. */
  get entries(): number {
    return this.#engine.delivered
  }

  /** Reads the entries that were appended meanwhile. */
  async catchUp(store: Pick<RunStore, 'read'>): Promise<void> {
    const { runId } = this.#engine
    const from = this.entries
    const news = await store.read(runId, from)
    if (news === undefined) throw new RunNotFoundError(runId)
    news.forEach((entry, index) => deliverChecked(this.#engine, entry, from + index))
  }
}
