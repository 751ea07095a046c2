/** The usage of the runs of a list: read from their journals, and remembered with the number of entries that it is of. */
import { addUsage, noUsage, type Usage } from '../../actors/usage.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { historyOf } from '../../runtime/replay/history.ts'
import type { RunService } from '../../runtime/troupe/run-service.ts'

interface Known {
  readonly entries: number
  readonly usage: Usage
}

/** The most runs whose usage is remembered. */
const mostKnown = 20_000

/** An ended run: late outcomes of tools may follow its last entry. */
const lateEntries = 8

export class RunUsages {
  readonly #service: Pick<RunService, 'journal'>
  readonly #known = new Map<string, Known>()

  constructor(service: Pick<RunService, 'journal'>) {
    this.#service = service
  }

  /** `entries`: the number of entries that the run has. `undefined` for a run whose journal cannot be read in parts. */
  async of(runId: string, entries: number, hasEnded: boolean): Promise<Usage | undefined> {
    const known = this.#known.get(runId)
    if (known?.entries === entries) return known.usage
    const found = hasEnded ? await this.#ofEnd(runId, entries) : undefined
    const usage = found ?? (await this.#sum(runId, known ?? { entries: 0, usage: noUsage }))
    return usage && this.#remember(runId, usage, entries)
  }

  /** As the entry says that ends the run. */
  async #ofEnd(runId: string, entries: number): Promise<Usage | undefined> {
    const last = await this.#read(runId, Math.max(0, entries - lateEntries))
    return last?.findLast((entry) => entry.type === 'run.settled')?.usage
  }

  /** The sum of the calls of models so far. */
  async #sum(runId: string, { entries, usage }: Known): Promise<Usage | undefined> {
    const fresh = await this.#read(runId, entries)
    if (fresh === undefined) return undefined
    const end = fresh.findLast((entry) => entry.type === 'run.settled')
    return end?.usage ?? historyOf(fresh).reduce((sum, one) => addUsage(sum, one.usage ?? noUsage), usage)
  }

  async #read(runId: string, from: number): Promise<readonly JournalEntry[] | undefined> {
    const journal = await this.#service.journal(runId, { from })
    return 'parts' in journal ? undefined : journal
  }

  #remember(runId: string, usage: Usage, entries: number): Usage {
    this.#known.delete(runId)
    this.#known.set(runId, { entries, usage })
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
    return usage
  }
}
