/** The limits of number: of a message, and of what a task keeps of its work. */
import type { Task } from '@a2a-js/sdk'
import { InMemoryTaskStore } from '@a2a-js/sdk/server'
import { createAgent, createTool } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, send, serve, text } from './served.ts'

const poet = createAgent({
  id: 'poet',
  description: 'Writes poems.',
  instructions: '',
  model: scriptedModel([], { otherwise: 'Snow falls.' }),
})

/** Counts the messages that are written: the work of a store. */
class CountingStore extends InMemoryTaskStore {
  written = 0
  override async save(...[task, context]: Parameters<InMemoryTaskStore['save']>): Promise<void> {
    this.written += task.history.length
    await super.save(task, context)
  }
}

async function work(calls: number): Promise<{ readonly written: number; readonly task: Task }> {
  const tool = createTool({ id: 'look', description: 'd', inputSchema: z.object({}), execute: () => 'ok' })
  const asked = Array.from({ length: calls }, (_, at) => ({ id: `c${at}`, name: 'look', args: {} }))
  const agent = createAgent({
    id: 'looker',
    description: 'Looks.',
    instructions: '',
    tools: { look: tool },
    model: scriptedModel([{ toolCalls: asked }, 'Done.']),
  })
  const tasks = new CountingStore()
  const served = serve(agent, { tasks })
  const task = await send(await clientOf(served), [text('Look.')])
  await served.troupe.close()
  return { written: tasks.written, task }
}

test('what a task writes grows with its calls, and not with their square', async () => {
  const [few, many] = [await work(40), await work(160)]
  expect(many.task.status?.state).toBe(few.task.status?.state)
  expect(many.task.history.length).toBe(few.task.history.length)
  expect(many.written / few.written).toBeLessThan(5)
})

test('a task keeps what its client said, and the last lines of its work', async () => {
  const { history } = (await work(40)).task
  expect(history[0]?.parts).toMatchObject([{ content: { value: 'Look.' } }])
  expect(history).toHaveLength(11)
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
