/** A case before it is given its store. */
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { firstLease, type Lease, type Store } from '../../runtime/journal/store.ts'
import { isRecord } from '../../actors/values/json.ts'
import { askUser, type Expected } from '../../runtime/user-function.ts'
import type { ContractCase } from '../contract/subject.ts'
import { appends, started } from './entries.ts'
import type { MemoryStorage } from '../../runtime/journal/memory-storage.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import type { OpenStore, StoreFeature, StoreSubject } from './subject.ts'

/** The store of a case. */
export interface Opened {
  readonly store: Store
  /** Closes the store, and gives another one on the same data. */
  readonly reopen: () => Promise<Store>
  /** Begins a run for the owner `me`, whose lease expires at 1 000. */
  readonly begin: (
    runId: string,
    at?: number,
    more?: Partial<Extract<JournalEntry, { type: 'run.started' }>>,
  ) => Promise<Lease>
}

export interface StorePlan {
  readonly name: string
  readonly needs: readonly StoreFeature[]
  readonly check: (opened: Opened) => Promise<void>
}

/** The memory of a store; an expectation that is not met where it has none. */
export function memoryOf({ memory }: Store): MemoryStorage {
  expectThat(memory !== undefined, 'the store to have memory')
  return memory
}

/** The plans of one topic, by their names. `needs`: parts without which a case is left out. */
export function plans(
  topic: string,
  checks: Readonly<Record<string, StorePlan['check']>>,
  ...needs: readonly StoreFeature[]
): readonly StorePlan[] {
  return Object.entries(checks).map(([name, check]) => ({ name: `${topic}: ${name}`, check, needs }))
}

const openStore: Expected<OpenStore> = {
  words: 'an object with a store',
  fits: (answer): answer is OpenStore => isRecord(answer) && isRecord(answer['store']),
}

export function caseOf({ name, check }: StorePlan, subject: StoreSubject): ContractCase {
  return {
    name,
    async run() {
      const opened = await askUser('open of storeContract', () => subject.open(), openStore)
      const { store } = opened
      try {
        await check({
          store,
          reopen: async () => opened.reopen?.() ?? store,
          async begin(runId, at = 0, more = {}) {
            const lease = firstLease(runId, 'me', 1_000)
            const report = await store.append(appends(runId, [started(runId, at, more)], lease))
            expectEqual(report, undefined, `the report of the append that begins the run "${runId}"`)
            return lease
          },
        })
      } finally {
        await opened.close?.()
      }
    },
  }
}
