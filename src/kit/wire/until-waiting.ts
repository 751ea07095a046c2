/** The events of a run up to the first suspension that lasts: where a reader stops that has to answer. */
import { unobserved } from '../../runtime/quietly.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { OpenQuestion, Page } from '../../runtime/journal/run-index.ts'

interface Inbox {
  awaiting(filter: { readonly runId: string }): Promise<Page<OpenQuestion>>
}

/**
 * Ends with the event `suspended` of a run that waits. One that the run has left behind, because its questions were answered
 * here or elsewhere, is left out.
 */
export async function* untilWaiting(
  events: AsyncIterable<RunEvent>,
  inbox: Inbox,
): AsyncGenerator<RunEvent, void> {
  const iterator = events[Symbol.asyncIterator]()
  try {
    let coming = iterator.next()
    for (let next = await coming; next.done !== true; next = await coming) {
      const event = next.value
      coming = unobserved(iterator.next())
      if (event.type !== 'suspended') yield event
      else if (await isWaiting(event, coming, inbox)) {
        yield event
        return
      }
    }
  } finally {
    const left = iterator.return?.()
    if (left !== undefined) void unobserved(left) // it may wait for an event that comes late
  }
}

/** Whether the run waits for all that the event asks, and has not gone on. `coming`: settles with what follows the event. */
async function isWaiting(
  { runId, payload: { awaiting } }: Extract<RunEvent, { readonly type: 'suspended' }>,
  coming: Promise<unknown>,
  inbox: Inbox,
): Promise<boolean> {
  const goneOn = coming.then(
    () => false,
    () => false, // the reader gets the error
  )
  const asks = async (): Promise<boolean> => {
    const { items } = await inbox.awaiting({ runId })
    const open = new Set(items.map(({ toolCallId }) => toolCallId))
    return awaiting.every(({ toolCallId }) => open.has(toolCallId))
  }
  return Promise.race([goneOn, asks()])
}
