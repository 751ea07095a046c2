/** The stream of open questions: what waits, what is asked later, and what does not wait any more. */
import { expect, test } from 'vitest'
import { openDesk, toolCallId } from './support/desk.ts'
import { framesOf, type Frame } from './support/client.ts'

/** Reads one named event after the other. */
function reader(body: ReadableStream<Uint8Array> | null) {
  const frames = framesOf(body)
  return {
    async next(): Promise<Frame> {
      for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
        if (next.value.event !== undefined) return next.value
      }
      throw new Error('The stream has ended.')
    },
    leave: () => frames.return(),
  }
}

test('a reader gets the questions of its resource as they are asked and closed', async () => {
  const { troupe, client, agent } = openDesk()
  const ann = client.as('ann')
  const first = await troupe.start(agent, 'Pay', { resourceId: 'ann' })
  await troupe.start(agent, 'Pay', { resourceId: 'ben' })
  const response = await ann.response('GET', '/awaiting/events')
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const { next, leave } = reader(response.body)
  expect(await next()).toMatchObject({
    event: 'asked',
    data: { runId: first.id, toolCallId, toolName: 'pay' },
  })
  const second = await troupe.start(agent, 'Pay', { resourceId: 'ann' })
  expect(await next()).toMatchObject({ event: 'asked', data: { runId: second.id } })
  await troupe.signal(first.id, { type: 'deny', toolCallId })
  expect(await next()).toMatchObject({ event: 'closed', data: { runId: first.id, toolCallId } })
  await leave()
  await troupe.close()
})

test('a stream of questions is held to authorize and to the names of its query', async () => {
  const { troupe, client, agent } = openDesk()
  await troupe.start(agent, 'Pay', { resourceId: 'ann', conversationId: 'c' })
  expect((await client.get('/awaiting/events')).status).toBe(401)
  const ann = client.as('ann')
  expect((await ann.get('/awaiting/events?limit=3')).status).toBe(400)
  const { next, leave } = reader((await ann.response('GET', '/awaiting/events?conversationId=c')).body)
  expect(await next()).toMatchObject({ data: { toolCallId } })
  await leave()
  await troupe.close()
})
