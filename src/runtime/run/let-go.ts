/** Lets go of a run that this process owns. */
import { released, type Claimed, type Lease, type LeaseChange } from '../journal/store.ts'
import type { RunHost } from './run-host.ts'

type Host = Pick<RunHost, 'store' | 'report'>

/** Releases the lease. A failure is reported: a caller is told why the run was let go. */
export async function letGo(
  { store, report }: Host,
  lease: Lease,
  passivated?: LeaseChange['passivated'],
): Promise<void> {
  try {
    await store.renew([released(lease, passivated)])
  } catch (error) {
    const { runId } = lease
    const message = `the run "${runId}" is free when its lease has run out`
    report({ message, code: 'LEASE_NOT_RELEASED', where: 'store', error, runId })
  }
}

/** As `letGo`: the run is again as it was before its claim. */
export function letGoAsClaimed(host: Host, { wasPassivated, ...lease }: Claimed): Promise<void> {
  return letGo(host, lease, wasPassivated)
}
