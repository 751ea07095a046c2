/** The contract of stores: what the runtime expects of each `Store`, as cases for any test runner. */
import { aFunction, listOf, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import type { ContractCase } from '../contract/subject.ts'
import { blobRemovalPlans, threadBlobPlans } from './blob-removal.ts'
import { blobPlans } from './blobs.ts'
import { censusPlans } from './census.ts'
import { claimPlans } from './claims.ts'
import { configPlans } from './config-items.ts'
import { deletionPlans, expiryPlans, threadDeletionPlans, threadExpiryPlans } from './deletion.ts'
import { erasedBlobPlans, erasedFilePlans, erasurePlans, originPlans } from './erasure.ts'
import { fencingPlans } from './fencing.ts'
import { journalPlans } from './journals.ts'
import { ledgerPlans } from './ledger.ts'
import { leasePlans } from './leases.ts'
import { contextPlans, listenerPlans } from './listeners.ts'
import { pagePlans } from './pages.ts'
import { caseOf } from './plan.ts'
import { questionPlans } from './questions.ts'
import { runIndexPlans, taskPlans } from './run-index.ts'
import { schedulePlans } from './schedules.ts'
import { signalPlans } from './signals.ts'
import type { StoreSubject } from './subject.ts'
import { threadOwnerPlans } from './thread-owners.ts'
import { threadPlans } from './threads.ts'

const fields: Fields<StoreSubject> = {
  open: required(aFunction),
  lacks: optional(
    listOf(
      oneOf('memory', 'config', 'blobs', 'blobRemoval', 'erasure', 'census', 'ledger', 'schedules', 'tasks'),
    ),
  ),
}

const all = [
  ...journalPlans,
  ...fencingPlans,
  ...runIndexPlans,
  ...taskPlans,
  ...pagePlans,
  ...questionPlans,
  ...censusPlans,
  ...deletionPlans,
  ...threadDeletionPlans,
  ...expiryPlans,
  ...threadExpiryPlans,
  ...leasePlans,
  ...signalPlans,
  ...claimPlans,
  ...listenerPlans,
  ...threadPlans,
  ...threadOwnerPlans,
  ...configPlans,
  ...ledgerPlans,
  ...schedulePlans,
  ...blobPlans,
  ...blobRemovalPlans,
  ...threadBlobPlans,
  ...erasurePlans,
  ...erasedBlobPlans,
  ...erasedFilePlans,
  ...originPlans,
  ...contextPlans,
]

/**
 * The cases that a store must pass: `for (const { name, run } of storeContract({ open })) test(name, run)`. Each case
 * opens a new, empty store. A case rejects with the error `CONTRACT_BROKEN`, which names the expectation. Throws a
 * `ConfigurationError` for an unknown option.
 */
export function storeContract(subject: StoreSubject): readonly ContractCase[] {
  const read = readOptions<StoreSubject>(subject, 'storeContract', fields)
  const lacks = new Set(read.lacks)
  if (lacks.has('blobs')) lacks.add('blobRemoval')
  return all.filter(({ needs }) => !needs.some((part) => lacks.has(part))).map((plan) => caseOf(plan, read))
}
