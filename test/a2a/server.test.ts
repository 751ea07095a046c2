/** An agent over Agent2Agent, with the SDK's own client on the other side. */
import { TaskState } from '@a2a-js/sdk'
import { createTool, memoryStore } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, data, saying, send, serve, streamed, text, textsOf } from './served.ts'

test('a message begins a run with the id of the task, and the answer is its artifact', async () => {
  const served = serve(worker('poet', ['Snow falls.']).agent)
  const client = await clientOf(served)
  expect(await client.getAgentCard()).toMatchObject({
    name: 'poet',
    description: 'Does poet work.',
    skills: [{ id: 'poet' }],
  })
  const task = await send(client, [text('A haiku.')])
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(task.artifacts.map(({ parts }) => textsOf(parts))).toEqual([['Snow falls.']])
  expect((await served.troupe.runs({ runId: task.id })).items).toMatchObject([{ outcome: 'completed' }])
  expect(await client.getTask({ id: task.id, tenant: '' })).toMatchObject({ id: task.id })
})

test('a stream tells of the work, and ends with the answer', async () => {
  const poet = worker('poet', ['Snow falls.']).agent
  const { agent } = lead('editor', [calls(to('poet', 'A haiku.')), 'Snow falls, they say.'], {
    agents: { poet },
  })
  const client = await clientOf(serve(agent))
  const told = await streamed(client.sendMessageStream(saying([text('A poem.')])))
  expect(
    told.map((payload) => {
      switch (payload?.$case) {
        case 'task':
          return 'task'
        case 'statusUpdate': {
          const { state, message } = payload.value.status ?? {}
          return [TaskState[state ?? 0]?.replace('TASK_STATE_', ''), ...textsOf(message?.parts)].join(': ')
        }
        case 'artifactUpdate':
          return textsOf(payload.value.artifact?.parts).join()
        default:
          return payload?.$case
      }
    }),
  ).toEqual([
    'task',
    'WORKING',
    'WORKING: editor asks poet',
    'WORKING: poet has ended: succeeded',
    'Snow falls, they say.',
    'COMPLETED',
  ])
})

test.each([
  ['a text', [text('Yes')], '20 euros are on their way', 'approved'],
  ['data', [data({ approve: true, note: 'By the book.' })], '20 euros are on their way', 'approved'],
  ['a refusal', [data({ approve: false, reason: 'Too much.' })], 'Tool call denied: Too much.', 'denied'],
])('a question is answered by %s', async (_, parts, answer) => {
  const served = serve(cashier(), { answeredBy: ({ contextId }) => `context ${contextId}` })
  const client = await clientOf(served)
  const asked = await send(client, [text('Pay back.')])
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  expect(textsOf(asked.status?.message?.parts)).toEqual([
    'The agent "cashier" wants to call refund {"euros":20}. May it? Answer yes or no.',
  ])
  expect(asked.status?.message?.parts[1]?.content).toMatchObject({
    $case: 'data',
    value: { questions: [{ type: 'approval', toolName: 'refund', args: { euros: 20 } }] },
  })
  const ended = await send(client, parts, asked)
  expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  expect(ended.artifacts.map((artifact) => textsOf(artifact.parts)).join()).toContain(answer)
  const answers = (await served.troupe.history(asked.id)).filter(({ by }) => by !== undefined)
  expect(answers).toMatchObject([{ by: `context ${asked.contextId}` }])
})

test('a reply that is no answer leaves the question open, and asks again', async () => {
  const client = await clientOf(serve(cashier()))
  const asked = await send(client, [text('Pay back.')])
  const again = await send(client, [text('Hm, yes or no?')], asked)
  expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  expect((await send(client, [text('no')], again)).status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
})

test('an answer reaches a run that another process has begun', async () => {
  const store = memoryStore()
  const before = serve(cashier(), { store })
  const asked = await send(await clientOf(before), [text('Pay back.')])
  await before.troupe.close()
  const after = serve(cashier(), { store })
  const ended = await send(await clientOf(after), [text('yes')], asked)
  expect(ended.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  await after.troupe.close()
})

test.each(['the same', 'another'])(
  'a cancel ends the run of a task that waits, in %s process',
  async (where) => {
    const store = memoryStore()
    const before = serve(cashier(), { store })
    const asked = await send(await clientOf(before), [text('Pay back.')])
    if (where === 'another') await before.troupe.close()
    const after = where === 'another' ? serve(cashier(), { store }) : before
    const client = await clientOf(after)
    const cancelled = await client.cancelTask({ id: asked.id, tenant: '', metadata: undefined })
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    await expect
      .poll(async () => (await after.troupe.runs({ runId: asked.id })).items[0]?.outcome)
      .toBe('cancelled')
    await after.troupe.close()
  },
)

test('a cancel ends a run at work, and its request', async () => {
  let aborted = false
  const wait = createTool({
    id: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    execute: (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true
          reject(signal.reason ?? new Error('aborted'))
        })
      }),
  })
  const { agent } = worker('clerk', [calls({ name: 'wait', args: {} })], { tools: { wait } })
  const client = await clientOf(serve(agent))
  const stream = client.sendMessageStream(saying([text('Go.')]))
  const first = await stream.next()
  const { payload } = first.value ?? {}
  if (payload?.$case !== 'task') throw new Error('The first event is no task.')
  for await (const event of stream) {
    if (event.payload?.$case === 'statusUpdate' && event.payload.value.status?.message !== undefined) break
  }
  const cancelled = await client.cancelTask({ id: payload.value.id, tenant: '', metadata: undefined })
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
  expect(aborted).toBe(true)
})

test('a message to a task at work is said to its run', async () => {
  const gate = Promise.withResolvers<string>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => gate.promise,
  })
  const { agent, model } = worker('clerk', [calls({ name: 'look', args: {} }), 'Noted.'], { tools: { look } })
  const served = serve(agent)
  const client = await clientOf(served)
  const stream = client.sendMessageStream(saying([text('Go.')]))
  const { payload } = (await stream.next()).value ?? {}
  if (payload?.$case !== 'task') throw new Error('The first event is no task.')
  const rest = streamed(stream)
  await expect.poll(() => model.calls.length).toBe(1)
  const second = client.sendMessage(saying([text('And hurry.')], payload.value))
  await expect
    .poll(async () => JSON.stringify(await served.troupe.journal(payload.value.id)))
    .toContain('And hurry.')
  gate.resolve('There it is.')
  expect(await second).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } })
  await rest
  expect(JSON.stringify(model.calls[1]?.request.messages)).toContain('And hurry.')
})

test('failures are named by their codes, and an empty message is rejected', async () => {
  const failing = worker('poet', [{ error: new Error('the key is sk-1') }]).agent
  const failed = await send(await clientOf(serve(failing)), [text('Go.')])
  expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED)
  expect(textsOf(failed.status?.message?.parts)).toEqual(['The agent failed: MODEL_FAILED.'])
  const empty = await send(await clientOf(serve(worker('poet', []).agent)), [text(' ')])
  expect(empty.status?.state).toBe(TaskState.TASK_STATE_REJECTED)
  expect(textsOf(empty.status?.message?.parts)).toEqual(['The agent cannot work on this: MESSAGE_EMPTY.'])
})

test('objects are data, and files of a message reach the model', async () => {
  const { agent, model } = worker('meteorologist', ['{"city":"Oslo"}'], {
    structuredOutput: { schema: z.object({ city: z.string() }) },
  })
  const picture = { content: { $case: 'raw', value: Buffer.from('png') }, mediaType: 'image/png' } as const
  const task = await send(await clientOf(serve(agent)), [
    text('Where is this?'),
    { ...picture, filename: 'sky.png', metadata: undefined },
  ])
  expect(task.artifacts[0]?.parts[1]?.content).toEqual({ $case: 'data', value: { city: 'Oslo' } })
  expect(model.calls[0]?.request.messages.at(-1)?.content).toMatchObject([
    { type: 'text', text: 'Where is this?' },
    { type: 'file', mediaType: 'image/png', name: 'sky.png' },
  ])
})

test('a caller sees its own tasks alone', async () => {
  const served = serve(cashier(), {
    authenticate: ({ headers }) => {
      const userName = headers.get('authorization')
      return userName === null ? undefined : { userName }
    },
  })
  const ada = await clientOf(served, 'ada')
  const eve = await clientOf(served, 'eve')
  const asked = await send(ada, [text('Pay back.')])
  await expect(eve.getTask({ id: asked.id, tenant: '' })).rejects.toThrow('not found')
  await expect(eve.cancelTask({ id: asked.id, tenant: '', metadata: undefined })).rejects.toThrow('not found')
  await expect(send(eve, [text('yes')], asked)).rejects.toThrow('not found')
  await expect(send(await clientOf(served), [text('Pay back.')])).rejects.toThrow('401')
  await send(ada, [text('yes')], asked)
  const answers = (await served.troupe.history(asked.id)).filter(({ by }) => by !== undefined)
  expect(answers).toMatchObject([{ by: 'ada' }])
})

test('options are checked', () => {
  const { agent } = worker('poet', [])
  const endpoints = [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }]
  const card = agentCard(agent, { endpoints })
  const { troupe } = serve(agent)
  expect(() => agentCard(agent, { endpoints: [] })).toThrow(
    'agentCard: endpoints must be a list of at least one endpoint',
  )
  expect(() => a2aHandler(agent, { troupe: {} as never, card })).toThrow(
    'a2aHandler: troupe must be a troupe',
  )
  const handler = a2aHandler(agent, { troupe, card })
  expect(() => a2aFetch(handler, {} as never)).toThrow('a2aFetch: authenticate')
})
