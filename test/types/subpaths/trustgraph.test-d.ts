/** The chunks of TrustGraph's protocol are those of any run's events. */
import type { Run } from 'troupe'
import type { RestateRun } from 'troupe/restate'
import { toTrustGraphChunks, type TrustGraphChunk } from 'troupe/trustgraph'
import { expectType } from '../expect-type.ts'

export function chunks(run: Run, elsewhere: RestateRun): void {
  expectType<AsyncGenerator<TrustGraphChunk>>()(toTrustGraphChunks(run.events))
  expectType<AsyncGenerator<TrustGraphChunk>>()(toTrustGraphChunks(elsewhere.events))
  // @ts-expect-error: the events, and not the run
  toTrustGraphChunks(run)
}
