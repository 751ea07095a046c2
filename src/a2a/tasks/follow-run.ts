/** Follows the run of a task, in whichever process it is. */
import { ConfigurationError, type RunEvent, RunNotEndedError, type RunWatch } from '../../index.ts'
import { afterTurn } from '../../kit/index.ts'
import { unobserved, untilWaiting } from '../../kit/wire/index.ts'
import type { A2aTroupe } from './troupe.ts'
import { endOf, updatesOfEnd } from './run-end.ts'
import { updateOf, type TaskUpdate } from './task-of.ts'

export interface FollowOptions {
  /** The cursor of the last event that is known. `undefined`: none is. */
  readonly after: string | undefined
  /** Whether the client waits for the next question too, and not for the end alone. */
  readonly isAskable: boolean
  /** Fires when the client has left. */
  readonly left?: AbortSignal | undefined
}

/** A change of a task, and the position of the event in its run that it comes from. */
export interface PlacedUpdate {
  readonly update: TaskUpdate
  readonly position: number
}

/** Ends with the task, or where it waits for an answer and the client waits for questions. Rejects as `troupe.watch`. */
export async function* updatesAfter(
  troupe: A2aTroupe,
  runId: string,
  options: FollowOptions,
): AsyncGenerator<TaskUpdate, void> {
  for await (const { update } of placedUpdates(troupe, runId, options)) yield update
}

/** As `updatesAfter`, with the positions of the updates. */
export async function* placedUpdates(
  troupe: A2aTroupe,
  runId: string,
  { after, isAskable, left }: FollowOptions,
): AsyncGenerator<PlacedUpdate, void> {
  const events = watchFrom(troupe, runId, after)[Symbol.asyncIterator]()
  const leave = (): void => {
    const gone = events.return?.()
    if (gone !== undefined) void unobserved(gone) // the reader of the watch is told of its errors
  }
  left?.addEventListener('abort', leave)
  if (left?.aborted === true) leave()
  let count = 0
  try {
    const watched = { [Symbol.asyncIterator]: () => events }
    for await (const event of isAskable ? untilWaiting(watched, troupe) : watched) {
      if (++count % slice === 0) await turnEnded() // the store may be in memory: other requests have their turn
      const update = updateOf(event)
      const position = event.seq ?? -1
      if (update !== undefined) yield { update, position }
      if (event.final !== true) continue
      for (const last of await updatesOf(troupe, event)) yield { update: last, position }
    }
  } finally {
    left?.removeEventListener('abort', leave)
  }
}

async function updatesOf(troupe: A2aTroupe, last: RunEvent): Promise<readonly TaskUpdate[]> {
  const { result } = await troupe.replay(last.runId)
  if (result === undefined) throw new RunNotEndedError(last.runId)
  return updatesOfEnd(await endOf(troupe, result, last), last)
}

/** Events between two turns of other requests. */
const slice = 32

function turnEnded(): Promise<void> {
  return new Promise((resolve) => void afterTurn(resolve))
}

/** A cursor of another release begins the watch anew: work is then told again, and nothing is lost. */
function watchFrom(troupe: A2aTroupe, runId: string, after: string | undefined): RunWatch {
  if (after === undefined) return troupe.watch(runId)
  try {
    return troupe.watch(runId, { after })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return troupe.watch(runId)
  }
}
