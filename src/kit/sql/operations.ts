/** The operations of a database of SQL, by name: plain data in and out, so that calls may cross threads. */
import type { BlobExpiry, BlobHolder, RunHolder } from '../../runtime/files/blob-storage.ts'
import type { RunSignal } from '../../runtime/handle/run.ts'
import type { Census, CensusOptions } from '../../runtime/journal/census.ts'
import type { ConfigChange, ConfigItem } from '../../runtime/journal/config-storage.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type {
  LedgerGrant,
  LedgerReservation,
  LedgerSpending,
  LedgerSum,
} from '../../runtime/tenants/ledger-storage.ts'
import type {
  MemoryResource,
  ResourcePage,
  Thread,
  ThreadFilter,
  ThreadMessage,
  ThreadReading,
  ThreadRemoval,
} from '../../runtime/journal/memory-storage.ts'
import type { Expiry, Page } from '../../runtime/journal/run-index.ts'
import type { RunBatch } from '../../runtime/journal/run-batch.ts'
import type {
  AppendReport,
  Claimed,
  DeleteOutcome,
  EnqueueOutcome,
  LeaseChange,
  SignalClaim,
  StoreListName,
  StoreLists,
} from '../../runtime/journal/store.ts'
import type { NextSchedules, ScheduleFilter, ScheduleRow } from '../../runtime/journal/schedule-storage.ts'

type Awaitable<T> = T | Promise<T>

/** Why a thread was neither read nor changed: it belongs to another resource, or the run was deleted. */
export type Refusal = 'ofAnother' | 'gone'

/** `now`: milliseconds since 1970, by the clock of the process that asks. */
export interface StoreOperations {
  append(batches: readonly RunBatch[]): Awaitable<AppendReport | undefined>
  read(runId: string, from: number): Awaitable<JournalEntry[] | undefined>
  list(name: StoreListName, filter: StoreLists[StoreListName]['filter']): Awaitable<Page<unknown>>
  census(options: CensusOptions): Awaitable<Census>
  deleteRun(runId: string, now: number, atOnce: boolean): Awaitable<DeleteOutcome>
  claim(
    runId: string,
    owner: string,
    now: number,
    expiresAt: number,
    farthest: number,
    unlessLeft: boolean,
  ): Awaitable<Claimed | undefined>
  renew(changes: readonly LeaseChange[]): Awaitable<readonly string[]>
  enqueueSignal(runId: string, signal: RunSignal, claim?: SignalClaim): Awaitable<EnqueueOutcome>
  threads(filter: ThreadFilter): Awaitable<Thread[]>
  messages(threadId: string, reading: ThreadReading): Awaitable<ThreadMessage[] | Refusal>
  save(
    threadId: string,
    messages: readonly ThreadMessage[],
    resourceId: string | undefined,
    by: RunHolder | undefined,
  ): Awaitable<Refusal | undefined>
  removeThread(removal: ThreadRemoval, now: number): Awaitable<void>
  /** `null`: the run was deleted. Nothing was written. */
  workingMemory(
    resourceId: string,
    content: string | undefined,
    by: RunHolder | undefined,
    now: number,
  ): Awaitable<string | undefined | null>
  removeNotes(resourceId: string, unusedSince: number | undefined): Awaitable<boolean>
  oldNotes(expiry: Expiry): Awaitable<string[]>
  removeMessages(threadId: string, resourceId: string, now: number): Awaitable<number>
  resources(page: ResourcePage): Awaitable<Page<MemoryResource>>
  reserve(reservation: LedgerReservation): Awaitable<LedgerGrant>
  releaseReservation(
    runId: string,
    token: number,
    key: string,
    spent: LedgerSpending | undefined,
  ): Awaitable<void>
  ledgerSums(tenant: string, accounts: readonly string[], now: number): Awaitable<LedgerSum[]>
  items(kind: string): Awaitable<ConfigItem[]>
  setItem(item: ConfigChange): Awaitable<void>
  putBlob(
    ref: string,
    bytes: Uint8Array | undefined,
    holder: BlobHolder | undefined,
    now: number,
  ): Awaitable<boolean>
  blob(ref: string): Awaitable<Uint8Array | undefined>
  releaseBlobs(holds: BlobHolder | BlobExpiry, now: number): Awaitable<number>
  schedules(filter: ScheduleFilter): Awaitable<Page<ScheduleRow>>
  nextSchedules(filter: NextSchedules): Awaitable<ScheduleRow[]>
  writeSchedule(row: ScheduleRow, before: string | undefined): Awaitable<boolean>
  removeSchedule(key: string): Awaitable<boolean>
  endedSchedules(expiry: Expiry): Awaitable<string[]>
  /** `tables`: writes them anew. `log`: empties the log of writes, where the store has one beside its tables. */
  compact(part: 'tables' | 'log'): Awaitable<void>
}

/** The name of an operation. */
export type OperationName = keyof StoreOperations

/** Performs an operation; throws or rejects with a `StoreError`. */
export type Ask = <Name extends OperationName>(
  name: Name,
  ...args: Parameters<StoreOperations[Name]>
) => ReturnType<StoreOperations[Name]>
