/** Releases the threads that a run has claimed, once its end is on record, with any outcome. */
import type { MemoryStorage } from '../journal/memory-storage.ts'
import type { RunState } from '../state/run-state.ts'

/** Never rejects: an end on record is final. */
export async function releaseThreads(
  { runId, mayHoldThreads, report }: Pick<RunState, 'runId' | 'mayHoldThreads' | 'report'>,
  memory: Pick<MemoryStorage, 'remove'> | undefined,
): Promise<void> {
  if (!mayHoldThreads || memory === undefined) return
  try {
    await memory.remove({ runId })
  } catch (error) {
    const message = `the threads that the run "${runId}" has claimed could not be released`
    report({ message, where: 'store', error, runId })
  }
}
