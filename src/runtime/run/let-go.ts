/** Lets go of a run that this process owns. */
import type { LeaseChange } from '../journal/store.ts'
import type { RunHost } from './run-host.ts'

/** `change`: releases the lease. A failure is reported: a caller is told why the run was let go. */
export async function letGo(
  { store, report }: Pick<RunHost, 'store' | 'report'>,
  change: LeaseChange,
): Promise<void> {
  try {
    await store.renew([change])
  } catch (error) {
    const { runId } = change
    const message = `the run "${runId}" is free when its lease has run out`
    report({ message, where: 'store', error, runId })
  }
}
