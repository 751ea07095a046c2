/**
 * The deltas that models stream, from the worker that calls the model to the readers of the run. They are not durable:
 * the text of a lost delta is in the complete message, which is durable. So nothing here waits, and nothing fails.
 */
import { is } from '../../actors/strict/checks.ts'
import type { StreamedEvent } from '../../runtime/handle/run-event.ts'

/** A delta that a worker streams. */
export type WorkerDelta = StreamedEvent & {
  /** The id of the workflow execution that streams it: deltas of the message from an earlier execution are void. */
  readonly execution: string
  /** Counts the deltas of its message and type in this execution from 0. */
  readonly index: number
}

/** Takes deltas from workers. It must not throw, and drops deltas that it cannot send. See docs/reference/deltas.md. */
export interface DeltaSink {
  publish(delta: WorkerDelta): void
}

/** Passes deltas to readers: each at most once, and those of a message in their order. It must not throw. */
export interface DeltaSource {
  /** Passes the deltas of a run to `take` from now on; returns the function that ends that. */
  subscribe(runId: string, take: (delta: WorkerDelta) => void): () => void
}

/** Deltas within one process: for workers in the process of their readers, and for tests. */
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

/** The token that a server of deltas may require of its readers. */
export const aToken = is(
  'a text that is not empty',
  (given) => typeof given === 'string' && given.trim() !== '',
  { isSecret: true },
)

/** The key of the deltas that belong together: those of a message and type, or of one call. */
export function deltaKey(event: StreamedEvent): string {
  switch (event.type) {
    case 'tool-call-delta':
    case 'tool-progress':
      return `${event.type} ${event.payload.toolCallId}`
    case 'text-delta':
    case 'reasoning-delta':
      return event.type
  }
}
