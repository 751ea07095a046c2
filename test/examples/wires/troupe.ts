/** The wire of the library, read into a view. */
import type { Handler } from 'troupe/http'
import { emptyView, nextView } from 'troupe/view'
import { Client, framesOf } from '../../http/support/client.ts'
import type { Reading } from './read.ts'

export async function readByTroupe(handler: Handler, { runId, answer }: Reading): Promise<string> {
  const client = new Client(handler)
  let view = emptyView
  for await (const { data, event, id } of framesOf(
    (await client.response('GET', `/runs/${runId}/events`)).body,
  )) {
    if (event !== undefined) throw new Error(`The stream has ended with ${JSON.stringify(data)}.`)
    if (data === undefined) continue
    view = nextView(view, { ...data, ...(id === undefined ? {} : { cursor: id }) })
    if (data.type !== 'suspended') continue
    for (const question of data.payload.awaiting) {
      const { status, body } = await client.post(`/runs/${runId}/answers`, answer(question))
      if (status !== 204 && status !== 409) throw new Error(`An answer was refused: ${JSON.stringify(body)}`)
    }
  }
  if (view.status !== 'settled') throw new Error(`The view is ${view.status} at the end of the stream.`)
  return view.text
}
