/** The text of a run as a plain sequence. It cannot retract text: see `Speech`. */
import { errorOf, type ErrorData } from '../../errors.ts'
import type { RunEvent } from './run-event.ts'
import { leavable } from './leavable.ts'
import type { FinalResult } from './result.ts'
import { Speech } from './speech.ts'

/** The end of a run, as far as its text needs it. */
type TextEnd = Pick<FinalResult, 'runId' | 'outcome' | 'text'> & { readonly error?: ErrorData }

/**
 * The text of the root agent among the events of a run; after a bail, the bailing agent's. At its end it throws the
 * error that `result` rejects with, and the error of a run that has `failed`. `speech`: the text before the first event.
 */
export function textOf(
  events: AsyncIterable<RunEvent>,
  result: () => Promise<TextEnd | undefined>,
  speech = new Speech(),
): AsyncIterableIterator<string> {
  const reader = events[Symbol.asyncIterator]()
  let hasLeft = false
  const end = async (): Promise<TextEnd | undefined> => (hasLeft ? undefined : result())
  const text = spoken({ [Symbol.asyncIterator]: () => reader }, end, speech)
  return leavable(text, () => {
    hasLeft = true
    return reader.return?.()
  })
}

async function* spoken(
  events: AsyncIterable<RunEvent>,
  result: () => Promise<TextEnd | undefined>,
  speech: Speech,
): AsyncGenerator<string, void> {
  for await (const event of events) {
    const text = event.delegationId === undefined ? speech.take(event) : ''
    if (text !== '') yield text
  }
  const end = await result()
  if (end?.outcome === 'bailed') yield end.text
  if (end?.outcome === 'failed' && end.error !== undefined) throw errorOf(end.error, end.runId)
}
