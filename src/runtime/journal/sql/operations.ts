/** The operations of a database of SQL, by name: plain data in and out, so that calls may cross threads. */
import type { BlobHolder } from '../../files/blob-storage.ts'
import type { RunSignal } from '../../handle/run.ts'
import type { ConfigItem } from '../config-storage.ts'
import type { JournalEntry } from '../journal.ts'
import type { Thread, ThreadCondition, ThreadFilter, ThreadMessage, ThreadReader } from '../memory-storage.ts'
import type { Page } from '../run-index.ts'
import type { RunBatch } from '../run-batch.ts'
import type {
  AppendReport,
  Claimed,
  DeleteOutcome,
  EnqueueOutcome,
  LeaseChange,
  SignalClaim,
  StoreListName,
  StoreLists,
} from '../store.ts'

type Awaitable<T> = T | Promise<T>

/** `now`: milliseconds since 1970, by the clock of the process that asks. */
export interface StoreOperations {
  append(batches: readonly RunBatch[]): Awaitable<AppendReport | undefined>
  read(runId: string, from: number): Awaitable<JournalEntry[] | undefined>
  list(name: StoreListName, filter: StoreLists[StoreListName]['filter']): Awaitable<Page<unknown>>
  deleteRun(runId: string, now: number): Awaitable<DeleteOutcome>
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
  thread(threadId: string): Awaitable<Thread | undefined>
  threads(filter: ThreadFilter): Awaitable<Thread[]>
  messages(threadId: string, last: number | undefined): Awaitable<ThreadMessage[]>
  /** `null`: the thread belongs to another resource. */
  recall(threadId: string, reader: ThreadReader): Awaitable<ThreadMessage[] | null>
  releaseThreads(runId: string): Awaitable<void>
  /** `false`: the thread belongs to another resource. Nothing was saved. */
  save(
    threadId: string,
    messages: readonly ThreadMessage[],
    resourceId: string | undefined,
  ): Awaitable<boolean>
  deleteThread(threadId: string, condition: ThreadCondition | undefined, now: number): Awaitable<void>
  workingMemory(resourceId: string): Awaitable<string | undefined>
  setWorkingMemory(resourceId: string, content: string): Awaitable<void>
  items(kind: string): Awaitable<ConfigItem[]>
  setItem(item: ConfigItem): Awaitable<void>
  deleteItem(kind: string, key: string): Awaitable<void>
  putBlob(ref: string, bytes: Uint8Array, holder: BlobHolder | undefined, now: number): Awaitable<void>
  blob(ref: string): Awaitable<Uint8Array | undefined>
  holdBlobs(refs: readonly string[], holder: BlobHolder, now: number): Awaitable<string[]>
  releaseBlobs(holder: BlobHolder, now: number): Awaitable<void>
  expireBlobs(before: number, limit: number): Awaitable<number>
  expireHolders(before: number, limit: number, now: number): Awaitable<number>
}

export type OperationName = keyof StoreOperations

/** Performs an operation; throws or rejects with a `StoreError`. */
export type Ask = <Name extends OperationName>(
  name: Name,
  ...args: Parameters<StoreOperations[Name]>
) => ReturnType<StoreOperations[Name]>
