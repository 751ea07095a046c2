import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverSentEvents, type ServerSentEvent } from '../../src/react/source/server-sent-events.ts'

async function eventsOf(
  pieces: readonly Uint8Array[],
): Promise<readonly [ServerSentEvent[], number | undefined]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const { groups, retryIn } = serverSentEvents(body)
  const events: ServerSentEvent[] = []
  for await (const group of groups) events.push(...group)
  return [events, retryIn()]
}

/** The bytes of a text, cut at these places. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text)
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.slice(ends[index - 1] ?? 0, end))
}

test('a stream is read alike wherever it is cut, with each kind of line break', async () => {
  const data = fc.stringMatching(/^[^\r\n]{1,20}$/)
  const event = fc.record({
    id: fc.stringMatching(/^\w{1,5}$/),
    data: fc.array(data, { minLength: 1, maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat({ max: 400 }), { maxLength: 8 }),
      async (events, end, places) => {
        const lines = events.flatMap(({ id, data }) => [
          ':',
          `id: ${id}`,
          ...data.map((line) => `data: ${line}`),
          'unknown: field',
          '',
        ])
        const text = ['retry: 20', '', ...lines, 'data: without an end'].join(end)
        const [read, retryIn] = await eventsOf(cut(text, places))
        expect(read).toEqual(events.map(({ id, data }) => ({ id, event: 'message', data: data.join('\n') })))
        expect(retryIn).toBe(20)
      },
    ),
    { numRuns: 150 },
  )
})

test('an event has a name, and the id of the one before where it has none', async () => {
  const text = 'id: 7\nevent: first\ndata:a\n\ndata\n\nretry: soon\nevent: none\n\ndata: b\n\n'
  expect(await eventsOf([new TextEncoder().encode(text)])).toEqual([
    [
      { id: '7', event: 'first', data: 'a' },
      { id: '7', event: 'message', data: '' },
      { id: '7', event: 'message', data: 'b' },
    ],
    undefined,
  ])
})
