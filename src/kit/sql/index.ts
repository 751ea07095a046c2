/** For stores on SQL: what those in SQLite and in Postgres share. `docs/reference/kit.md` lists it. */
export { type CensusRow, type CensusTables, censusIn, censusSql } from './census.ts'
export { fromColumn, toColumn, toOptionalColumn } from './column-text.ts'
export { epochKind } from '../../runtime/journal/epochs.ts'
export { Conditions, type Dialect, type Statement, Values, postgres, sqlite } from './conditions.ts'
export { type Expiring, expiring, expirySql, notesExpiring, schedulesExpiring } from './expiry.ts'
export { type EntryRow, type JournalRow, entryRows } from './journal-rows.ts'
export { ledgerGrant, type LedgerRow, ledgerSum } from './ledger-rows.ts'
export type { Ask, OperationName, Refusal, StoreOperations } from './operations.ts'
export { type QuestionColumns, questionColumns } from './question-columns.ts'
export { type ResourceRow, resourcePage, resourcesSql } from './resources.ts'
export {
  type LapseColumns,
  type RunRow,
  isLeftBy,
  lapseColumns,
  lapsesWithClaim,
  listedBy,
  summaryOf,
  usageIn,
} from './run-row.ts'
export {
  type EndedRunsIndex,
  type RunsPart,
  type RunsTable,
  type SortedRow,
  isNarrow,
  placeOfRow,
  runsQuery,
} from './runs-query.ts'
export { type SchemaStep, SchemaSteps, type SchemaVersions } from './schema-steps.ts'
export { SoundBlobs } from './sound-blobs.ts'
export { resourceOf } from '../../runtime/journal/memory-storage.ts'
export { storeOn } from './store-on.ts'
export { type ScheduleColumns, scheduleIn } from './schedule-row.ts'
export { sha256Later } from '../../actors/values/sha256.ts'
export type { StoreListReaders } from '../../runtime/journal/store.ts'
