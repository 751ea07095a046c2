/** The events of a run up to the first question that still waits: where a stream of a page ends, so that the page can answer. */
import { sleep } from '../../actors/values/timer.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { ServedRun } from '../access/authorize.ts'

type Suspended = Extract<RunEvent, { type: 'suspended' }>

/** Milliseconds between two looks at the index, which may be behind the events. */
const pause = 50

/**
 * Ends with the event `suspended` of a run that waits. One that the run has left behind, because its questions were answered
 * here or elsewhere, is left out. `find`: the run as lists have it.
 */
export async function* untilWaiting(
  events: AsyncIterable<RunEvent>,
  find: () => Promise<ServedRun | undefined>,
): AsyncGenerator<RunEvent, void> {
  const iterator = events[Symbol.asyncIterator]()
  let coming = iterator.next()
  for (let next = await coming; next.done !== true; next = await coming) {
    const event = next.value
    if (event.type !== 'suspended') {
      yield event
      coming = iterator.next()
      continue
    }
    coming = iterator.next()
    if (!(await isWaiting(event, coming, find))) continue
    yield event
    return
  }
}

/** Whether the run waits for an answer, and has not gone on. `coming`: settles with what follows the event. */
async function isWaiting(
  { payload: { awaiting } }: Suspended,
  coming: Promise<unknown>,
  find: () => Promise<ServedRun | undefined>,
): Promise<boolean> {
  const goneOn = coming.then(
    () => 'gone on' as const,
    () => 'gone on' as const, // the reader gets the error
  )
  const looked = async (): Promise<'asked' | 'unlisted'> => {
    const open = (await find())?.awaiting ?? []
    const isAsked = awaiting.some(({ toolCallId }) => open.some((asked) => asked.toolCallId === toolCallId))
    return isAsked ? 'asked' : 'unlisted'
  }
  for (;;) {
    const seen = await Promise.race([goneOn, looked()])
    if (seen !== 'unlisted') return seen === 'asked'
    if ((await Promise.race([goneOn, sleep(pause)])) === 'gone on') return false
  }
}
