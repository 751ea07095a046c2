/**
 * What models stream, on its way from the worker that calls them to whoever reads along. It is not durable: a delta that
 * is lost is in the complete message, which is. So nothing here waits, and nothing fails.
 */
import { is } from '../../actors/strict/checks.ts'
import type { StreamedDelta } from '../../runtime/handle/event-log.ts'

export type WorkerDelta = StreamedDelta & {
  /** Names the execution of the workflow that streams it: what one before has streamed of the message is void. */
  readonly execution: string
  /** Counts the deltas of its message and type in this execution from 0. */
  readonly index: number
}

/** Where workers put deltas. It must not throw, and drops what it cannot send. See docs/reference/deltas.md. */
export interface DeltaSink {
  publish(delta: WorkerDelta): void
}

/** Where readers get them: each at most once, and those of a message in their order. It must not throw. */
export interface DeltaSource {
  /** Hands over the deltas of a run from now on; gives the way to end that. */
  subscribe(runId: string, take: (delta: WorkerDelta) => void): () => void
}

/** Deltas within one process: for workers that live where their readers do, and for tests. */
export function memoryDeltas(): DeltaSink & DeltaSource {
  const takers = new Map<string, Set<(delta: WorkerDelta) => void>>()
  return {
    publish: (delta) => takers.get(delta.runId)?.forEach((take) => take(delta)),
    subscribe(runId, take) {
      const those = takers.get(runId) ?? new Set()
      takers.set(runId, those)
      those.add(take)
      return () => {
        those.delete(take)
        if (those.size === 0) takers.delete(runId)
      }
    },
  }
}

/** What a server of deltas may ask its readers for. */
export const aToken = is(
  'a text that is not empty',
  (given) => typeof given === 'string' && given.trim() !== '',
  { isSecret: true },
)
