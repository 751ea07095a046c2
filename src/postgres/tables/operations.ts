/** All operations on the tables, by name. */
import type { StoreOperations } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { blobs } from './blobs.ts'
import { census } from './census.ts'
import { compactTables } from './compaction.ts'
import { items } from './items.ts'
import { journals } from './journals.ts'
import { ledger } from './ledger.ts'
import { leases } from './leases.ts'
import { lists } from './lists.ts'
import { Positions } from './positions.ts'
import { queuedSignals } from './queued-signals.ts'
import { runDeletion } from './run-deletion.ts'
import { schedules } from './schedules.ts'
import { threads } from './threads.ts'

export function operationsOn(connections: Connections, tables: Tables): StoreOperations {
  const positions = new Positions()
  return {
    ...journals(connections, tables, positions),
    ...lists(connections, tables),
    ...census(connections, tables),
    ...runDeletion(connections, tables, positions),
    ...leases(connections, tables, positions),
    ...queuedSignals(connections, tables),
    ...threads(connections, tables),
    ...items(connections, tables),
    ...ledger(connections, tables),
    ...blobs(connections, tables),
    ...schedules(connections, tables),
    async compact(part) {
      if (part === 'tables') await compactTables(connections, tables)
    },
  }
}
