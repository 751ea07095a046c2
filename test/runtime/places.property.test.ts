/** A cursor has a place for each journal in progress, and none for one that has ended: no event is lost or told twice by that. */
import fc from 'fast-check'
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { readCursor, ReaderPosition } from '../../src/runtime/handle/cursor.ts'
import { EventLog } from '../../src/runtime/handle/event-log.ts'
import type { JournalPart } from '../../src/runtime/handle/journal-part.ts'

interface Entry {
  /** The number of events that it leads to. */
  readonly events: number
  /** The journal that it begins. */
  readonly begins?: Journal
  /** The journal whose report it takes. */
  readonly takes?: Journal
}

interface Journal {
  readonly path: string
  readonly parent?: Journal
  readonly entries: Entry[]
}

interface Act {
  readonly act: 'go' | 'begin' | 'end'
  /** Picks the journal. */
  readonly of: number
  readonly events: number
  readonly first: number
}

const act: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom('go' as const, 'begin' as const, 'begin' as const, 'end' as const, 'end' as const),
  of: fc.nat(20),
  events: fc.nat(2),
  first: fc.nat(2),
})

/** The journals of a run: each act is an entry. At its end the root agent takes all reports, and tells one event. */
function journalsOf(acts: readonly Act[]): Journal {
  const root: Journal = { path: '', entries: [{ events: 1 }] }
  const live = [root]
  const end = (journal: Journal, events: number): void => {
    journal.parent?.entries.push({ events, takes: journal })
    live.splice(live.indexOf(journal), 1)
  }
  const leaves = () => live.filter((one) => one !== root && !live.some(({ parent }) => parent === one))
  acts.forEach(({ act: kind, of, events, first }, index) => {
    const journal = live[of % live.length] ?? root
    const leaf = leaves()[of % Math.max(1, leaves().length)]
    if (kind === 'begin') {
      const begins: Journal = { path: `part ${index}`, parent: journal, entries: [{ events: first }] }
      journal.entries.push({ events, begins })
      live.push(begins)
    } else if (kind === 'go') journal.entries.push({ events })
    else if (leaf !== undefined) end(leaf, events)
  })
  for (let [leaf] = leaves(); leaf !== undefined; [leaf] = leaves()) end(leaf, 0)
  root.entries.push({ events: 1 })
  return root
}

/** One process that reads the journals: in its own order, as far as that is free. */
class Process {
  readonly log = new EventLog()
  readonly #told = new Map<Journal, number>()
  readonly #parts = new Map<Journal, JournalPart>()

  constructor(root: Journal) {
    this.#parts.set(root, this.log.journal)
  }

  /** Tells the next entry of a journal that has one. `pick`: which of them. Returns whether there was one. */
  go(pick: number): boolean {
    const ready = [...this.#parts.keys()].filter((one) => this.#position(one) < one.entries.length)
    const journal = ready[pick % Math.max(1, ready.length)]
    if (journal !== undefined) this.#tell(journal)
    return journal !== undefined
  }

  #position(journal: Journal): number {
    return this.#told.get(journal) ?? 0
  }

  #tell(journal: Journal): void {
    const position = this.#position(journal)
    const entry = journal.entries[position]
    const part = this.#parts.get(journal)
    if (entry === undefined || part === undefined) return
    const { takes, begins } = entry
    if (takes !== undefined) {
      while (this.#position(takes) < takes.entries.length) this.#tell(takes)
      this.#parts.get(takes)?.end(position)
    }
    this.#told.set(journal, position + 1)
    for (let nth = 0; nth < entry.events; nth++) this.#publish(part, position, nth)
    if (begins === undefined) return
    this.#parts.set(begins, part.begin(begins.path, position))
    this.#tell(begins)
  }

  #publish(part: JournalPart, entry: number, nth: number): void {
    const payload = { id: `${part.path} ${entry}.${nth}` }
    const event = {
      at: 1,
      runId: 'run',
      agent: 'a',
      path: 'a',
      delegationId: 'd',
      type: 'iteration-start',
      payload,
    }
    this.log.publish({ ...event, seq: this.log.nextSeq } as object as RunEvent, entry, part)
  }
}

const idOf = ({ payload }: RunEvent): string => (payload as object as { readonly id: string }).id

function idsOf(journal: Journal): string[] {
  return journal.entries.flatMap(({ events, begins }, entry) => [
    ...Array.from({ length: events }, (_, nth) => `${journal.path} ${entry}.${nth}`),
    ...(begins === undefined ? [] : idsOf(begins)),
  ])
}

/** Reads at most some events, as far as there are any now. */
async function read(log: EventLog, cursor: string | undefined, most: number): Promise<RunEvent[]> {
  const position = cursor === undefined ? new ReaderPosition() : readCursor(cursor, 'run', 'test')
  const reader = log.read({ position })
  const events: RunEvent[] = []
  while (events.length < most) {
    const next = reader.next()
    const result = await Promise.race([
      next,
      new Promise<undefined>((resolve) => setImmediate(resolve, undefined)),
    ])
    if (result === undefined || result.done === true) break
    events.push(result.value)
  }
  await reader.return()
  return events
}

const placesIn = (cursor = ''): number => (cursor.split(':')[2] ?? '').split(',').length

const steps = fc.array(
  fc.record({ process: fc.nat(1), entries: fc.array(fc.nat(20), { maxLength: 8 }), most: fc.nat(5) }),
  { maxLength: 20 },
)

test('each event once, for a reader that goes from process to process', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), steps, async (acts, given) => {
      const root = journalsOf(acts)
      const processes = [new Process(root), new Process(root)] as const
      const seen: RunEvent[] = []
      for (const { process, entries, most } of given) {
        const one = processes[process === 0 ? 0 : 1]
        for (const pick of entries) one.go(pick)
        seen.push(...(await read(one.log, seen.at(-1)?.cursor, most)))
      }
      for (const one of processes) while (one.go(seen.length));
      for (const { log } of processes) seen.push(...(await read(log, seen.at(-1)?.cursor, 5)))
      seen.push(...(await read(processes[0].log, seen.at(-1)?.cursor, Number.POSITIVE_INFINITY)))
      expect(seen.map(idOf).toSorted()).toEqual(idsOf(root).toSorted())
      expect(placesIn(seen.at(-1)?.cursor)).toBe(1)
    }),
    { numRuns: 300 },
  )
})

test('the cursor of a run does not grow with the subagents that have ended', async () => {
  const one = (_: unknown, index: number): Act[] => [
    { act: 'begin', of: 0, events: 1, first: index % 2 },
    { act: 'go', of: 1, events: 1, first: 0 },
    { act: 'end', of: 0, events: 1, first: 0 },
  ]
  const process = new Process(journalsOf(Array.from({ length: 200 }, one).flat()))
  while (process.go(0));
  const events = await read(process.log, undefined, Number.POSITIVE_INFINITY)
  expect(events.length).toBeGreaterThan(600)
  for (const { cursor } of events) expect(placesIn(cursor)).toBeLessThanOrEqual(2)
})
