/** What watches tell of a run that has ended: from the first event on, and from behind the event in the middle. */
import type { RunEvent, RunWatch, WatchOptions } from 'troupe'
import { allOf } from '../../support/all-of.ts'

interface Watchable {
  watch(runId: string, options?: WatchOptions): RunWatch
}

/** The order between agents depends on the engine and on when it reads; the order of one agent does not. */
function contentByPath(events: readonly RunEvent[]): string {
  const paths = [...new Set(events.map(({ path }) => path))].toSorted()
  const content = paths.map((of) =>
    events.flatMap(({ path, type, payload }) => (path === of ? [{ path, type, payload }] : [])),
  )
  return JSON.stringify(content)
}

/** Returns the events of a watch. Throws unless both watches have those of a replay, by the path of their agent. */
export async function watched(
  troupe: Watchable,
  runId: string,
  replayed: readonly RunEvent[],
): Promise<readonly RunEvent[]> {
  const whole = await allOf(troupe.watch(runId))
  const middle = Math.floor(whole.length / 2)
  const after = whole[middle]?.cursor
  if (after === undefined)
    throw new Error(`The watch has ${whole.length} events, and no cursor in their middle.`)
  const rest = await allOf(troupe.watch(runId, { after }))
  const expected = contentByPath(replayed)
  for (const events of [whole, [...whole.slice(0, middle + 1), ...rest]]) {
    const content = contentByPath(events)
    if (content !== expected) throw new Error(`A watch has told otherwise: ${content} and not ${expected}`)
  }
  return whole
}
