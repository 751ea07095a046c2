/** The trail of a run with one journal: one replay, with an inspector, which goes on as the journal grows. */
import { nextTask } from '../../actors/values/order.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { RunState } from '../state/run-state.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import type { JournalMismatch } from '../../errors.ts'
import { deliverTolerant, mismatchBeforeForcedEnd, passOver } from '../replay/deliver-journal.ts'
import { recordInPlaceOf, eventsAt, tellRecord, type EndedRecord } from '../replay/ended-record.ts'
import { registryHere } from '../replay/registry-here.ts'
import type { Reporter } from '../report.ts'
import { askedBy } from './asked.ts'
import { TrailRecorder } from './trail-recorder.ts'
import { assertEntries, readView, keyOf, type Trail, type TrailEntry } from './trail.ts'
import { EventLog } from '../handle/event-log.ts'

/** The number of entries that are delivered before other work of the process gets its turn. */
const slice = 200

export interface TrailSource {
  readonly agents: AgentRegistry
  /** The entries of the journal from a position on. */
  readonly read: (from: number) => Promise<readonly JournalEntry[]>
  readonly report?: Reporter
  /** The most entries that are replayed at once. Default: all. */
  readonly limit?: number
}

/**
 * Rejects with a `JournalMismatchError` at the first entry that the run would not have led to, and with a `TroupeError` of
 * the code `AGENT_NOT_HERE` for a run of agents that are not registered; for a run that was ended by force with neither.
 */
export async function journalTrail(source: TrailSource): Promise<Trail> {
  const journal = await source.read(0)
  let replay: TrailReplay
  try {
    replay = new TrailReplay(source, startedOf(journal))
  } catch (error) {
    return trailOfRecord(recordInPlaceOf(error, journal), journal, source.limit)
  }
  await replay.deliver(journal)
  return replay.trail()
}

/** The trail of a run that was ended by force and cannot be replayed: its entries, its beginning and its end. */
function trailOfRecord(record: EndedRecord, journal: readonly JournalEntry[], limit?: number): Trail {
  const log = new EventLog()
  tellRecord(record, log)
  const events = log.withCursors()
  const all = journal.map((recorded, entry): TrailEntry => {
    const { type, at } = recorded
    const key = keyOf(recorded)
    return {
      journal: record.started.agent,
      entry,
      type,
      at,
      recorded,
      ...(key === undefined ? {} : { key }),
      transitions: [],
      events: eventsAt(record, events, entry),
      actorsAdded: [],
      actorsEnded: [],
    }
  })
  return part(record.started.runId, all, limit ?? all.length, limit)
}

/** As many entries as a replay would have told of by then. */
function part(runId: string, all: readonly TrailEntry[], length: number, limit: number | undefined): Trail {
  const entries = all.slice(0, length)
  return {
    runId,
    length: entries.length,
    entries,
    view(after, options) {
      readView(options)
      assertEntries(after, entries.length)
      return []
    },
    more: async () => part(runId, all, length + (limit ?? 0), limit),
  }
}

class TrailReplay {
  readonly #source: TrailSource
  readonly #runId: string
  readonly #recorder: TrailRecorder
  readonly #state: RunState
  readonly #entries: TrailEntry[] = []
  /** Entries that were read, and are beyond the limit. */
  #waiting: readonly JournalEntry[] = []
  #diverged: JournalMismatch | undefined
  /** The run was ended by force, and its agents of today lead to none of the entries from here on. */
  #isPassing = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(source: TrailSource, started: RunStarted) {
    this.#source = source
    this.#runId = started.runId
    this.#recorder = new TrailRecorder(started.agent)
    const { agents, report } = source
    const { inspect } = this.#recorder
    this.#state = new RunState({ registry: registryHere(agents, started), started, inspect, report })
    this.#state.begin()
  }

  /** Delivers as many of these entries as the limit allows. */
  async deliver(read: readonly JournalEntry[]): Promise<void> {
    const journal = read.slice(0, this.#source.limit)
    this.#waiting = [] // where an entry is refused, the next call reads from it on
    const state = this.#state
    const { log } = state.recorder
    for (const [index, entry] of journal.entries()) {
      if (index > 0 && index % slice === 0) await new Promise<void>(nextTask)
      const before = log.nextSeq - 1
      const asked = askedBy(state, entry)
      this.#take(entry, read)
      const { agent } = state
      this.#entries.push(this.#recorder.delivered({ entry, agent, events: log.slice(before), asked }))
    }
    this.#waiting = read.slice(journal.length)
  }

  /** `read`: the entries that are known, among which a forced end may be. */
  #take(entry: JournalEntry, read: readonly JournalEntry[]): void {
    if (!this.#isPassing) {
      try {
        this.#diverged = deliverTolerant(this.#state, entry, this.#entries.length, this.#diverged)
        return
      } catch (error) {
        const mismatch = mismatchBeforeForcedEnd(this.#state, read, error)
        this.#diverged ??= mismatch
        this.#isPassing = true
      }
    }
    passOver(this.#state, entry)
  }

  /** The trail of the entries that were delivered so far. */
  trail(): Trail {
    const entries = [...this.#entries]
    const { length } = entries
    return {
      runId: this.#runId,
      length,
      ...(this.#diverged === undefined ? {} : { diverged: this.#diverged }),
      entries,
      view: (after, options) => {
        const { path, ended } = readView(options)
        assertEntries(after, length)
        return this.#recorder.view(after, path, ended)
      },
      more: () => this.#more(),
    }
  }

  /** One after the other: each reads on where the one before has ended. */
  #more(): Promise<Trail> {
    const more = this.#last.then(async () => {
      const isBehind = this.#waiting.length > 0
      await this.deliver(isBehind ? this.#waiting : await this.#source.read(this.#entries.length))
      return this.trail()
    })
    this.#last = more.catch(() => undefined) // the caller gets the error
    return more
  }
}
