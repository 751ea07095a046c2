/** Errors that tell of a process which lets go of a run, apart from those that end one. */
import { LeaseLostError, StoreError, TroupeClosedError, TroupeDrainingError } from '../errors.ts'

/**
 * Whether work stops here only because its process lets go of the run: the troupe was closed, the lease is lost, or the store
 * failed. The run has not ended by that.
 */
export function leavesRun(reason: unknown): boolean {
  return (
    reason instanceof TroupeClosedError ||
    reason instanceof TroupeDrainingError ||
    reason instanceof LeaseLostError ||
    reason instanceof StoreError
  )
}
