/** Lets go of a run that this process owns. */
import type { Lease } from '../journal/store.ts'
import type { RunHost } from './run-host.ts'

/** Releases the lease. A failure is reported: a caller is told why the run was let go. */
export async function letGo(
  { store, report }: Pick<RunHost, 'store' | 'report'>,
  lease: Lease,
): Promise<void> {
  try {
    await store.release([lease])
  } catch (error) {
    const { runId } = lease
    const message = `the run "${runId}" is free when its lease has run out`
    report({ message, where: 'store', error, runId })
  }
}
