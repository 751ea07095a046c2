/** Faults that are planted on purpose, each in a store, to see that the check that is named for it finds it. */
import type { JournalAppend, Lease, Troupe, WholeStore } from 'troupe'
import type { CheckName } from './checks/findings.ts'
import { listing } from '../support/listing.ts'

export interface PlantedFault {
  readonly caughtBy: CheckName
  /** The first seed to try: its world finds the fault. Default: 1. */
  readonly from?: number
  /** The store that all processes share. */
  readonly inBase?: (base: WholeStore) => WholeStore
  /** The store as a process sees it: what it is told differs from what happens. */
  readonly inView?: (view: WholeStore) => WholeStore
  /** The troupe of each process. */
  readonly inTroupe?: (troupe: Troupe) => Troupe
  /** It shows where processes drain. */
  readonly isRolling?: true
}

type Appends = readonly JournalAppend[]

/** Something else is written than was asked for, and it is acknowledged. */
const writes =
  (rewrite: (append: JournalAppend) => Appends) =>
  (view: WholeStore): WholeStore => ({
    ...view,
    append: (appends) => {
      const written = appends.flatMap(rewrite)
      return written.length === 0 ? undefined : view.append(written)
    },
  })

const without = (isLost: (append: JournalAppend) => boolean) =>
  writes((append) => (isLost(append) ? [] : [append]))

const isAnswer = ({ entry }: JournalAppend): boolean =>
  entry?.type === 'signal.received' && entry.signal.type === 'answer'

export const plantedFaults: Readonly<Record<string, PlantedFault>> = {
  'a store that ignores the token of a lease': {
    caughtBy: 'fence',
    from: 22,
    inBase: (base) => {
      const newest = new Map<string, Lease>()
      return {
        ...base,
        claim: async (...args) => {
          const lease = await base.claim(...args)
          if (lease !== undefined) newest.set(lease.runId, lease)
          return lease
        },
        append: (appends) =>
          base.append(
            appends.map((append) => ({ ...append, lease: newest.get(append.runId) ?? append.lease })),
          ),
      }
    },
  },
  'a store that gives a run to two owners': {
    caughtBy: 'lease',
    inBase: (base) => ({
      ...base,
      claim: (runId, owner, _now, expiresAt) => base.claim(runId, owner, Number.MAX_VALUE, expiresAt),
    }),
  },
  'a process that does not hear that it has lost a run': {
    caughtBy: 'owner',
    from: 14,
    inView: (view) => ({
      ...view,
      append: async (appends) => void (await view.append(appends)),
      renew: async (leases) => {
        await view.renew(leases)
        return []
      },
    }),
  },
  'starts of tools that are not kept': {
    caughtBy: 'recordedStart',
    inView: without(({ entry }) => entry?.type === 'effect.started'),
  },
  'effects that settle twice': {
    caughtBy: 'oneSettlement',
    inView: writes((append) => (append.entry?.type === 'effect.settled' ? [append, append] : [append])),
  },
  'runs that end twice': {
    caughtBy: 'oneEnd',
    inView: writes((append) => (append.entry?.type === 'run.settled' ? [append, append] : [append])),
  },
  'a timer that fires after the end': {
    caughtBy: 'afterEnd',
    inView: writes((append) => {
      if (append.entry?.type !== 'run.settled') return [append]
      const { at } = append.entry
      return [append, { ...append, entry: { type: 'timer.fired', at, key: 'late', digest: '', dueAt: at } }]
    }),
  },
  'answers that are taken twice': {
    caughtBy: 'oneAnswer',
    inView: writes((append) => (isAnswer(append) ? [append, append] : [append])),
  },
  'runs that are never begun': {
    caughtBy: 'toldStart',
    inBase: without(({ entry }) => entry?.type === 'run.started'),
  },
  'appends that are acknowledged before they are made': {
    caughtBy: 'toldStart',
    from: 6,
    inView: (view) => ({
      ...view,
      append: (appends) => {
        Promise.resolve(view.append(appends)).catch(() => undefined)
      },
    }),
  },
  // The world of seed 1 asks for its answers again and again, until its steps are at an end.
  'answers that are acknowledged and lost': { caughtBy: 'toldAnswer', from: 3, inView: without(isAnswer) },
  'cancels that are acknowledged and lost': {
    caughtBy: 'toldCancel',
    from: 3,
    inView: without(({ entry }) => entry?.type === 'signal.received' && entry.signal.type === 'cancel'),
  },
  'ends that are acknowledged and lost': {
    caughtBy: 'toldResult',
    from: 5,
    inView: without(({ entry }) => entry?.type === 'run.settled'),
  },
  'outcomes of models that are acknowledged and lost': {
    caughtBy: 'toldEvents',
    from: 14,
    inView: without(({ entry }) => entry?.type === 'effect.settled' && entry.kind === 'model'),
  },
  'a store that reads other words than were written': {
    caughtBy: 'replay',
    inBase: (base) => ({
      ...base,
      read: async (...args) => {
        const journal = await base.read(...args)
        const changed = JSON.stringify(journal ?? null).replaceAll('"an answer"', '"other words"')
        return journal && (JSON.parse(changed) as typeof journal)
      },
    }),
  },
  'a store that gives no run to anybody': {
    caughtBy: 'stuck',
    inBase: (base) => ({ ...base, claim: async () => undefined }),
  },
  'a thread that belongs to everybody': {
    caughtBy: 'oneOwner',
    from: 26,
    inBase: (base) => ({
      ...base,
      memory: {
        ...base.memory,
        messages: (threadId, reading) =>
          base.memory.messages(threadId, { ...reading, resourceId: undefined }),
        save: (threadId, messages) => base.memory.save(threadId, messages),
      },
    }),
  },
  // A call that is never answered has failed; a flush that is never called back is waited for.
  'a store that does not call back for what waits': {
    caughtBy: 'settles',
    from: 12,
    inView: (view) => ({ ...view, schedule: () => undefined }),
  },
  'a rejection that nobody handles': {
    caughtBy: 'unhandled',
    inView: (view) => ({
      ...view,
      list: listing(view, 'runs', (read) => {
        void Promise.reject(new Error('planted'))
        return read()
      }),
    }),
  },
  'a store that forgets the last outcome of a model': {
    caughtBy: 'settledAgain',
    inView: (view) => ({
      ...view,
      read: async (...args) => {
        const journal = await view.read(...args)
        const last = journal?.at(-1)
        return last?.type === 'effect.settled' && last.kind === 'model' ? journal?.slice(0, -1) : journal
      },
    }),
  },
  'calls that count as interrupted while they are at work': {
    caughtBy: 'interrupted',
    inView: writes((append) =>
      append.entry?.type === 'effect.settled' && append.entry.kind === 'tool'
        ? [{ ...append, entry: { ...append.entry, settlement: { value: { type: 'interrupted' } } } }]
        : [append],
    ),
  },
  'answers that are recorded as denials': {
    caughtBy: 'denied',
    inView: writes((append) => {
      const { entry } = append
      if (entry?.type !== 'signal.received' || entry.signal.type !== 'answer') return [append]
      const signal = { ...entry.signal, answer: { ...entry.signal.answer, approved: false } }
      return [{ ...append, entry: { ...entry, signal } }]
    }),
  },
  'calls that begin, and their answers are lost': { caughtBy: 'asked', from: 4, inView: without(isAnswer) },
  'edits that are acknowledged and lost': {
    caughtBy: 'driftTold',
    from: 3,
    inView: without(({ entry }) => entry?.type === 'program.drifted'),
  },
  'edits that nobody made': {
    caughtBy: 'driftTold',
    from: 3,
    inView: writes((append) => {
      const { entry } = append
      if (entry?.type !== 'program.drifted') return [append]
      return [{ ...append, entry: { ...entry, edits: [{ agent: 'fan', part: 'nothing' }] } }]
    }),
  },
  'a journal that lacks the first steps of runs': {
    caughtBy: 'goesOn',
    inView: (view) => ({
      ...view,
      read: async (runId, from, ...more) => {
        const journal = await view.read(runId, from, ...more)
        return from === undefined && journal !== undefined && journal.length > 3
          ? [...journal.slice(0, 1), ...journal.slice(2)]
          : journal
      },
    }),
  },
  'a store that changes the digests of models': {
    caughtBy: 'unedited',
    inBase: (base) => ({
      ...base,
      read: async (...args) => {
        const journal = await base.read(...args)
        return journal?.map((entry) =>
          entry.type === 'effect.settled' && entry.kind === 'model' ? { ...entry, digest: 'other' } : entry,
        )
      },
    }),
  },
  'forks that write into the live thread': {
    caughtBy: 'apart',
    from: 8,
    inView: (view) => ({
      ...view,
      memory: {
        ...view.memory,
        save: (threadId, messages, resourceId) =>
          view.memory.save(threadId.replace(/^fork:[^/]*[/]/, ''), messages, resourceId),
      },
    }),
  },
  'a thread that is empty for those who fork': {
    caughtBy: 'asAtEntry',
    from: 197,
    inView: (view) => ({
      ...view,
      memory: {
        ...view.memory,
        messages: async (threadId, reading) =>
          reading.runId === undefined ? [] : view.memory.messages(threadId, reading),
      },
    }),
  },
  'nested runs that forget their place': {
    caughtBy: 'nestedOnce',
    inView: writes((append) => {
      const { entry } = append
      if (entry?.type !== 'run.started' || entry.nested === undefined) return [append]
      return [{ ...append, entry: { ...entry, nested: { ...entry.nested, key: 'key', name: 1 } } }]
    }),
  },
  'nested runs that end otherwise than they tell': {
    caughtBy: 'nestedEnd',
    inView: writes((append) =>
      append.entry?.type === 'run.settled' && append.runId.startsWith('nested-')
        ? [{ ...append, entry: { ...append.entry, text: 'other words' } }]
        : [append],
    ),
  },
  'nested runs that a close cancels': {
    caughtBy: 'nestedCancel',
    inView: writes((append) => {
      const { entry, runId } = append
      if (entry?.type !== 'effect.started' || !runId.startsWith('nested-')) return [append]
      const signal = { type: 'cancel', reason: 'This troupe was closed.' } as const
      return [{ ...append, entry: { type: 'signal.received', at: entry.at, signal } }, append]
    }),
  },
  'a troupe that closes where it is to drain': {
    caughtBy: 'calledOnce',
    from: 6,
    isRolling: true,
    inTroupe: (troupe) => ({
      ...troupe,
      drain: async () => {
        await troupe.close()
        return { ended: [], handedOver: [], cutOff: [] }
      },
    }),
  },
}
