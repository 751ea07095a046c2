/**
 * The wire of AG-UI against the protocol's own client: each event of random runs fits `EventSchemas` of `@ag-ui/core`, and
 * `verifyEvents` of `@ag-ui/client` takes their order. Nothing is left out.
 */
import { HttpAgent, verifyEvents, type BaseEvent } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import fc from 'fast-check'
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { toEvents } from '../../src/http/ag-ui-wire/to-events.ts'
import { ClientCalls } from '../../src/http/serving/client-tools.ts'
import { runNested } from '../properties/nested-patterns.ts'
import { runRandomly } from '../properties/random-troupe.ts'
import { whole } from './support/whole.ts'

const client = { threadId: 't', runId: 'r' }

/** What a page gets that comes when all is over. */
async function* late(events: readonly RunEvent[]): AsyncGenerator<RunEvent, void> {
  yield* events.filter(({ type }) => type !== 'suspended')
}

async function sentOf(events: readonly RunEvent[]): Promise<readonly unknown[]> {
  const [first] = events
  const options = {
    runId: first?.runId ?? '',
    client,
    clientCalls: new ClientCalls(),
    hasResult: () => false,
  }
  const sent: unknown[] = []
  for await (const event of toEvents(late(events), options)) sent.push(JSON.parse(JSON.stringify(event)))
  return sent
}

/** The number of events that the client has taken; rejects where it refuses one. */
function verified(sent: readonly unknown[]): Promise<number> {
  const text = sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const headers = { 'content-type': 'text/event-stream' }
  const agent = new HttpAgent({
    url: 'http://server.test',
    fetch: async () => new Response(text, { headers }),
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const taken: BaseEvent[] = []
  verifyEvents()(agent.run({ ...client, messages: [], tools: [], context: [] })).subscribe({
    next: (event) => taken.push(event),
    error: reject,
    complete: () => resolve(taken.length),
  })
  return promise
}

const numbers = fc.array(fc.nat({ max: 1_000 }), { minLength: 200, maxLength: 400, size: 'max' })

test.each([
  ['with every kind of end', runRandomly],
  ['of every pattern below every other', runNested],
] as const)('each event of random runs %s fits the schema, and is taken in its place', async (_, run) => {
  await fc.assert(
    fc.asyncProperty(numbers, async (choices) => {
      const { along } = await run(choices)
      const sent = await sentOf(along)
      for (const event of sent) expect(EventSchemas.safeParse(event)).toMatchObject({ success: true })
      expect(await verified(sent)).toBe(sent.length)
    }),
    { numRuns: whole ? 200 : 5 },
  )
})
