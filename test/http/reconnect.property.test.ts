/**
 * Behaviour 81: a reader that loses its stream any number of times, over restarts of the server, has in the end each event on
 * record once and in order, and each text whole.
 */
import fc from 'fast-check'
import { createTool, createTroupe, type RunEvent, type Troupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Client, framesOf } from './support/client.ts'

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({ n: z.number() }),
  requireApproval: true,
  execute: ({ n }) => n,
})

function company() {
  const results = (messages: readonly { readonly role: string }[]) =>
    messages.filter(({ role }) => role === 'tool').length
  return lead('lead', [], {
    otherwise: ({ messages }) => {
      switch (results(messages)) {
        case 0:
          return { text: 'I ask a helper first.', ...calls(to('helper', 'Help')) }
        case 1:
          return { text: 'Now I ask a person.', ...calls({ name: 'ask', args: { n: 1 } }) }
        default:
          return 'That is the answer, at length and in several words.'
      }
    },
    tools: { ask },
    agents: {
      helper: worker('helper', [], {
        otherwise: ({ messages }) =>
          results(messages) === 0 ? calls({ name: 'ask', args: { n: 0 } }) : 'Helped, as I was asked to.',
        tools: { ask },
      }).agent,
    },
  }).agent
}

/** After so many events the reader leaves; with a restart the server does, too. */
const cut = fc.record({ events: fc.nat({ max: 9 }), isRestart: fc.boolean() })

test('the parts of a stream are the stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 8 }), async (cuts) => {
      using folder = temporaryFolder()
      const store = sqliteStore(folder.file('runs.db'))
      const agent = company()
      const open = (): Troupe => createTroupe({ agents: [agent], store })
      let troupe = open()
      const client = () =>
        new Client(
          createHandler(troupe, { authorize: 'everybody', agents: [agent], onError: () => undefined }),
        )
      await client().post('/agents/lead/runs', { prompt: 'Go', runId: 'r' })

      const seen: RunEvent[] = []
      let lastId: string | undefined
      const read = async (most: number): Promise<void> => {
        const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
        const response = await client().response('GET', '/runs/r/events', { headers })
        let count = 0
        for await (const { id, data } of framesOf(response.body)) {
          if (data === undefined) continue
          seen.push(data)
          lastId = id
          if (data.type === 'tool-call-approval') {
            const { toolCallId } = data.payload
            const answer = await client().post('/runs/r/answers', { type: 'approve', toolCallId })
            expect([204, 409]).toContain(answer.status)
          }
          if (++count >= most) return
        }
      }
      for (const { events, isRestart } of cuts) {
        await read(events)
        if (!isRestart) continue
        await troupe.close()
        troupe = open()
        await troupe.recover()
      }
      while (seen.at(-1)?.final !== true) await read(Number.POSITIVE_INFINITY)

      const whole: RunEvent[] = []
      for await (const { data } of framesOf((await client().response('GET', '/runs/r/events')).body)) {
        if (data !== undefined) whole.push(data)
      }
      const numbers = (events: readonly RunEvent[]) =>
        events.flatMap(({ seq, type }) =>
          seq === undefined || type === 'text-start' || type === 'text-delta' ? [] : [`${seq} ${type}`],
        )
      expect(numbers(seen)).toEqual(numbers(whole))
      expect(texts(seen)).toEqual(texts(whole))
      await troupe.close()
      await store.close()
    }),
    { numRuns: 12 },
  )
})

/** The text of each message from its pieces; a later attempt makes those before it void. */
function texts(events: readonly RunEvent[]): Readonly<Record<string, string>> {
  const attempts: Record<string, { attempt: number; text: string }> = {}
  for (const { type, messageId = '', attempt = 1, payload } of events) {
    if (type !== 'text-delta') continue
    const before = attempts[messageId]
    attempts[messageId] =
      before?.attempt === attempt
        ? { attempt, text: before.text + payload.text }
        : { attempt, text: payload.text }
  }
  return Object.fromEntries(Object.entries(attempts).map(([id, { text }]) => [id, text]))
}
