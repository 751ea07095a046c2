/** The trail of a run that was ended by force and cannot be replayed: its entries, its beginning and its end. */
import { EventLog } from '../handle/event-log.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { eventsAt, tellRecord, type EndedRecord } from '../replay/ended-record.ts'
import { assertEntries, keyOf, readView, type Trail, type TrailEntry } from './trail.ts'

export function trailOfRecord(record: EndedRecord, journal: readonly JournalEntry[], limit?: number): Trail {
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
