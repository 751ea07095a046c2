/** The limits of number of a message, and the cost of a task. */
import type { Task } from '@a2a-js/sdk'
import { createAgent, createTool, createTroupe, type RunWatch, type Troupe } from 'troupe'
import type { A2aTroupe } from 'troupe/a2a'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, send, serve, serveOn, text } from './served.ts'

const poet = createAgent({
  id: 'poet',
  description: 'Writes poems.',
  instructions: '',
  model: scriptedModel([], { otherwise: 'Snow falls.' }),
})

/** Counts the events that tasks are made of, by replays and by watches. */
function counting(troupe: Troupe): { readonly counted: A2aTroupe; read(): number } {
  let count = 0
  const counted: A2aTroupe = {
    ...troupe,
    async replay(runId) {
      const replay = await troupe.replay(runId)
      count += replay.events.length
      return replay
    },
    watch(...args) {
      const watched = troupe.watch(...args)
      async function* events() {
        for await (const event of watched) {
          count++
          yield event
        }
      }
      return Object.assign(Object.create(watched) as RunWatch, { [Symbol.asyncIterator]: events })
    },
  }
  return { counted, read: () => count }
}

async function work(calls: number): Promise<{ readonly read: number; readonly task: Task }> {
  const tool = createTool({ id: 'look', description: 'd', inputSchema: z.object({}), execute: () => 'ok' })
  const asked = Array.from({ length: calls }, (_, at) => ({ id: `c${at}`, name: 'look', args: {} }))
  const agent = createAgent({
    id: 'looker',
    description: 'Looks.',
    instructions: '',
    tools: { look: tool },
    maxToolCallsPerStep: calls,
    model: scriptedModel([{ toolCalls: asked }, 'Done.']),
  })
  const troupe = createTroupe({ agents: [agent] })
  const { counted, read } = counting(troupe)
  const client = await clientOf(serveOn(counted, agent))
  const task = await send(client, [text('Look.')])
  expect(await client.getTask({ id: task.id, tenant: '' })).toEqual(task)
  await troupe.close()
  return { read: read(), task }
}

test('the work for a task grows with its calls, and not with their square', async () => {
  const [few, many] = [await work(40), await work(160)]
  expect(many.task.status?.state).toBe(few.task.status?.state)
  expect(many.read / few.read).toBeLessThan(4.5)
})

test('a task has what its client said, and each line of its work', async () => {
  const { history } = (await work(40)).task
  expect(history[0]?.parts).toMatchObject([{ content: { value: 'Look.' } }])
  expect(history).toHaveLength(41)
  expect(new Set(history.map(({ messageId }) => messageId)).size).toBe(41)
})

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const messageWith = (parts: string): string =>
  `{"jsonrpc":"2.0","id":"r1","method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":${parts}}}}`
const list = (length: number): string => JSON.stringify(Array.from({ length }, () => ({ text: 'x' })))

const limits: readonly (readonly [what: string, parts: string, code: number | undefined])[] = [
  ['1000 parts', list(1_000), undefined],
  ['1001 parts', list(1_001), -32_602],
  ['128 000 parts', list(128_000), -32_600],
  ['data of 300 levels', `[{"data":${nested(300)}}]`, undefined],
  ['data of 1500 levels', `[{"data":${nested(1_500)}}]`, -32_600],
  ['data of 100 000 levels', `[{"data":${nested(100_000)}}]`, -32_600],
  [
    'data of 100 000 items',
    `[{"data":${JSON.stringify(Array.from({ length: 100_000 }, () => 1))}}]`,
    -32_600,
  ],
]

test.each(limits)('a message with %s', async (_, parts, code) => {
  const { fetch, troupe } = serve(poet)
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const response = await fetch(
    new Request('http://localhost/a2a', { method: 'POST', body: messageWith(parts), headers }),
  )
  const answer = (await response.json()) as { error?: { code: number; message: string } }
  expect(answer.error?.code).toBe(code)
  if (code !== undefined) expect(answer.error?.message).toMatch(/more than|at most/)
  await troupe.close()
})
