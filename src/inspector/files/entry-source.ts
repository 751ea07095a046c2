/** The entries of a run, with all that they led to where the run can be replayed, and without where it cannot. */
import {
  type ActorView,
  type Chart,
  type ErrorData,
  type JournalEntry,
  type JournalMismatch,
  type JournalParts,
  type RunService,
  type Trail,
  type TrailEntry,
  TroupeError,
} from '../../index.ts'
import { recordedCharts, recordedTrail, toErrorData } from '../../kit/index.ts'

export type SourceService = Pick<RunService, 'trail' | 'journal'>

export interface EntrySource {
  readonly diverged: JournalMismatch | undefined
  /** The reason for which its entries are without transitions, events and actors. */
  readonly untold: ErrorData | undefined
  /** The reason for which its entries are told by the agents that the journal has on record, and not by those of today. */
  readonly byRecord: ErrorData | undefined
  /** Charts of the agents on record. */
  readonly charts: readonly Chart[]
  /** A call of `more` that gives this number of entries may leave others that are on record. */
  readonly limit: number
  /** The entries that follow those of the last call. */
  more(): Promise<readonly TrailEntry[]>
  /** The actor at `path`, or the root agent, after a number of entries of its journal; one that has ended is as it ended. */
  view(entries: number, path: string | undefined): ActorView | undefined
}

/** The number of entries that are replayed at once: their rows are shown before those that follow are replayed. */
const slice = 200

/** The codes of errors for which a run cannot be replayed here, while its journal can be read. */
const unreplayable: readonly string[] = ['AGENT_NOT_HERE', 'JOURNAL_MISMATCH']

/** Whether a run cannot be replayed here. */
export function isUnreplayable(error: unknown): boolean {
  return error instanceof TroupeError && unreplayable.includes(error.code)
}

/** Rejects with a `RunNotFoundError`, and with the error of the store or server that has the run. */
export async function openSource(service: SourceService, runId: string): Promise<EntrySource> {
  try {
    return new TrailSource(await service.trail(runId, { limit: slice }))
  } catch (error) {
    return recordedSource(service, runId, error)
  }
}

/**
 * The entries that follow those that were handed out, told by the agents on record; where these do not suffice, from the journal
 * alone. `error`: that of the agents of today; one that is not for want of agents is thrown.
 */
export async function recordedSource(
  service: SourceService,
  runId: string,
  error: unknown,
  seen: readonly TrailEntry[] = [],
): Promise<EntrySource> {
  if (!isUnreplayable(error)) throw error
  try {
    const journal = await service.journal(runId)
    if ('parts' in journal) return journalSource(service, runId, error, seen)
    const read = async (from: number): Promise<readonly JournalEntry[]> => {
      const grown = await service.journal(runId, { from })
      return 'parts' in grown ? [] : grown
    }
    const trail = await recordedTrail(journal, { read, ...(seen.length === 0 ? { limit: slice } : {}) })
    return new TrailSource(trail, { error, charts: recordedCharts(journal), seen })
  } catch (other) {
    if (!isUnreplayable(other)) throw other
    return journalSource(service, runId, error, seen)
  }
}

/** The entries that follow those that were handed out, from the journal alone. */
export function journalSource(
  service: SourceService,
  runId: string,
  error: unknown,
  seen: readonly TrailEntry[] = [],
): EntrySource {
  return new JournalSource(service, runId, toErrorData(error), seen)
}

/** The entries that were handed out, by journal: those of several journals may come in another order the next time. */
class SeenEntries {
  readonly #counts = new Map<string, number>()

  take(entries: readonly TrailEntry[]): readonly TrailEntry[] {
    const fresh = entries.filter(({ journal, entry }) => entry >= this.count(journal))
    for (const { journal, entry } of fresh) this.#counts.set(journal, entry + 1)
    return fresh
  }

  count(journal: string): number {
    return this.#counts.get(journal) ?? 0
  }
}

interface Recorded {
  readonly error: unknown
  readonly charts: readonly Chart[]
  readonly seen: readonly TrailEntry[]
}

class TrailSource implements EntrySource {
  readonly limit = slice
  readonly untold = undefined
  readonly byRecord: ErrorData | undefined
  readonly charts: readonly Chart[]
  readonly #seen = new SeenEntries()
  #trail: Trail
  #isFresh = true

  constructor(trail: Trail, record?: Recorded) {
    this.#trail = trail
    this.byRecord = record && toErrorData(record.error)
    this.charts = record?.charts ?? []
    this.#seen.take(record?.seen ?? [])
  }

  get diverged(): JournalMismatch | undefined {
    // Agents on record lack the words that digests are of.
    return this.byRecord === undefined ? this.#trail.diverged : undefined
  }

  async more(): Promise<readonly TrailEntry[]> {
    if (this.#isFresh) this.#isFresh = false
    else this.#trail = await this.#trail.more()
    return this.#seen.take(this.#trail.entries)
  }

  view(entries: number, path: string | undefined): ActorView | undefined {
    return this.#trail.view(entries, path === undefined ? {} : { path, ended: true })[0]
  }
}

/** Entries from the journal alone, from where a trail has ended or from the first on. */
class JournalSource implements EntrySource {
  readonly limit = Number.POSITIVE_INFINITY
  readonly diverged = undefined
  readonly byRecord = undefined
  readonly charts: readonly Chart[] = []
  readonly untold: ErrorData
  readonly #service: SourceService
  readonly #runId: string
  readonly #seen = new SeenEntries()
  /** The path of the journal of a run that has one journal. */
  #root: string | undefined
  #length = 0

  constructor(service: SourceService, runId: string, untold: ErrorData, seen: readonly TrailEntry[]) {
    this.#service = service
    this.#runId = runId
    this.untold = untold
    this.#seen.take(seen)
    this.#root = seen[0]?.journal
    this.#length = seen.length
  }

  async more(): Promise<readonly TrailEntry[]> {
    const journal = await this.#service.journal(this.#runId, { from: this.#length })
    if ('parts' in journal) return this.#seen.take(entriesOf(journal))
    const [first] = journal
    if (first?.type === 'run.started') this.#root ??= first.agent
    const from = this.#length
    this.#length += journal.length
    return journal.map((entry, index) => untoldEntry(this.#root ?? '', from + index, entry))
  }

  view(): undefined {
    return undefined
  }
}

/** By time: an entry of another journal at the same time follows those of the journals before. */
function entriesOf({ parts }: JournalParts): readonly TrailEntry[] {
  const entries = parts.flatMap(({ path, turns }) =>
    turns.flat().map((entry, position) => untoldEntry(path, position, entry)),
  )
  return entries.toSorted((a, b) => a.at - b.at)
}

function untoldEntry(journal: string, position: number, recorded: JournalEntry): TrailEntry {
  const { type, at } = recorded
  const key = 'key' in recorded ? recorded.key : answeredKey(recorded)
  return {
    journal,
    entry: position,
    type,
    at,
    recorded,
    ...(key === undefined ? {} : { key }),
    transitions: [],
    events: [],
    actorsAdded: [],
    actorsEnded: [],
  }
}

function answeredKey(entry: JournalEntry): string | undefined {
  return entry.type === 'signal.received' && entry.signal.type === 'answer' ? entry.signal.key : undefined
}
