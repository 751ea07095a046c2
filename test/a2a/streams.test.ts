/** Streams of tasks: they last to the end of the task, in any process, and no reader changes what a task is. */
import { Role, TaskState, type StreamResponse, type Task } from '@a2a-js/sdk'
import { createTool, createTroupe, memoryStore, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, saying, send, serve, streamed, text, textsOf, type Served } from './served.ts'

const got = ({ id }: Pick<Task, 'id'>) => ({ id, tenant: '' })
const shared = () => ({ store: memoryStore() })

const state = (given: TaskState = 0): string => (TaskState[given] ?? '').replace('TASK_STATE_', '')

function told({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case 'task':
      return `task ${state(payload.value.status?.state)}`
    case 'statusUpdate':
      return state(payload.value.status?.state)
    default:
      return payload?.$case ?? ''
  }
}

/** An agent that asks two people, one after the other. */
function asker() {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({ nr: z.number() }),
    execute: ({ nr }, { resumeData, suspend }) => resumeData ?? suspend(`Question ${nr}?`),
  })
  const asking = (nr: number) => calls({ name: 'ask', args: { nr } })
  return worker('asker', [asking(1), asking(2), 'Thanks.'], { tools: { ask } }).agent
}

test('a subscription lasts over the questions of a task to its end, wherever they are answered', async () => {
  const both = shared()
  const agent = asker()
  const [first, second] = [serve(agent, both), serve(agent, both)]
  const asked = await send(await clientOf(first), [text('Go.')])
  const readers = [first, first, second].map(async (served) => {
    const all: string[] = []
    for await (const event of (await clientOf(served)).resubscribeTask(got(asked))) all.push(told(event))
    return all
  })
  const again = await send(await clientOf(second), [text('One.')], asked)
  expect(state(again.status?.state)).toBe('INPUT_REQUIRED')
  await send(await clientOf(first), [text('Two.')], again)
  for (const all of await Promise.all(readers)) {
    expect(all[0]).toMatch(/^task (INPUT_REQUIRED|WORKING)$/)
    expect(all.filter((one) => one === 'INPUT_REQUIRED')).toHaveLength(1)
    expect(all.slice(-2)).toEqual(['artifactUpdate', 'COMPLETED'])
  }
})

test('a message to a task whose stream is read gets the next question, and one that is no answer the same', async () => {
  const served = serve(asker())
  const client = await clientOf(served)
  const asked = await send(client, [text('Go.')])
  const stream = client.resubscribeTask(got(asked))
  expect((await stream.next()).done).toBe(false)
  const rest = streamed(stream)
  const unclear = await send(client, [text(' ')], asked)
  expect(textsOf(unclear.status?.message?.parts).join()).toContain('still open')
  const next = await send(client, [text('One.')], unclear)
  expect(textsOf(next.status?.message?.parts).join()).toContain('Question 2?')
  const [end] = (await Promise.all([send(client, [text('Two.')], next), rest])) as [Task, unknown]
  expect(state(end.status?.state)).toBe('COMPLETED')
})

/** A cashier whose run waits, and how many readers its watches have. */
async function watched(options: Parameters<typeof serve>[1] = {}) {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent] })
  let open = 0
  const watch: Troupe['watch'] = (...args) => {
    const events = troupe.watch(...args)
    return {
      ...events,
      [Symbol.asyncIterator]() {
        open++
        const reader = events[Symbol.asyncIterator]()
        const left = async () => {
          open--
          await reader.return?.()
          return { done: true as const, value: undefined }
        }
        return { next: () => reader.next(), return: left }
      },
    }
  }
  const served = serve(agent, { ...options, troupe: { ...troupe, watch } })
  const client = await clientOf(served)
  const asked = await send(client, [text('Pay back.')])
  return { served, client, asked, open: () => open }
}

test('a stream that its client leaves while the task waits is watched no more', async () => {
  const { client, asked, open } = await watched()
  const before = open()
  const leaving = new AbortController()
  const stream = client.resubscribeTask(got(asked), { signal: leaving.signal })
  await stream.next()
  await expect.poll(open).toBe(before + 1)
  leaving.abort()
  await stream.return(undefined)
  await expect.poll(open).toBe(before)
  expect(state((await send(client, [text('yes')], asked)).status?.state)).toBe('COMPLETED')
})

/** The stream of a task, as a client that speaks the protocol itself reads it. */
async function subscribed({ fetch }: Pick<Served, 'fetch'>, task: Task, signal?: AbortSignal) {
  const request = new Request('http://localhost/a2a', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: task.id } }),
    ...(signal === undefined ? {} : { signal }),
  })
  const reader = (await fetch(request)).body?.getReader()
  if (reader === undefined) throw new Error('There is no stream.')
  return { reader, read: async () => new TextDecoder().decode((await reader.read()).value) }
}

test('a client that takes nothing of a stream is cut off, watched no more, and subscribes anew', async () => {
  const { served, client, asked, open } = await watched({ readerTimeout: 20 })
  const before = open()
  const { reader } = await subscribed(served, asked)
  await expect(reader.closed).rejects.toMatchObject({ code: 'READER_TIMEOUT' })
  await expect.poll(open).toBe(before)
  const again = streamed(client.resubscribeTask(got(asked)))
  await send(client, [text('yes')], asked)
  expect((await again).map((payload) => payload?.$case).slice(-2)).toEqual(['artifactUpdate', 'statusUpdate'])
})

test('a quiet stream has comments, and one whose request is aborted is watched no more', async () => {
  const { served, asked, open } = await watched({ heartbeat: 1 })
  const before = open()
  const leaving = new AbortController()
  const { reader, read } = await subscribed(served, asked, leaving.signal)
  expect(await read()).toContain('TASK_STATE_INPUT_REQUIRED')
  expect(await read()).toBe(':\n\n')
  await expect.poll(open).toBe(before + 1)
  leaving.abort()
  await reader.closed
  await expect.poll(open).toBe(before)
})

const all = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: undefined,
}

test('a reader that is slow brings no old state of the task back', async () => {
  const served = serve(asker())
  const client = await clientOf(served)
  const slow = client.sendMessageStream(saying([text('Go.')]))
  const { payload } = (await slow.next()).value ?? {}
  if (payload?.$case !== 'task') throw new Error('The first event is no task.')
  const stored = async () => (await client.listTasks(all)).tasks[0]
  await expect.poll(async () => state((await stored())?.status?.state)).toBe('INPUT_REQUIRED')
  const next = await send(client, [text('One.')], (await stored()) ?? payload.value)
  expect(textsOf(next.status?.message?.parts).join()).toContain('Question 2?')
  await streamed(slow)
  expect((await stored())?.status).toEqual(next.status)
})

test('a message that waits for nothing finds the task at work, and its history has each message once', async () => {
  const gate = Promise.withResolvers<string>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: (_, { resumeData, suspend }) => (resumeData === undefined ? suspend('Which?') : gate.promise),
  })
  const { agent } = worker('clerk', [calls({ name: 'look', args: {} }), 'Done.'], { tools: { look } })
  const client = await clientOf(serve(agent))
  const asked = await send(client, [text('Go.')])
  const answer = saying([text('This one.')], asked)
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately: true,
  }
  const reply = await client.sendMessage({ ...answer, configuration })
  expect('status' in reply ? state(reply.status?.state) : reply).toBe('WORKING')
  gate.resolve('There it is.')
  const end = async () => client.getTask(got(asked))
  await expect.poll(async () => state((await end()).status?.state)).toBe('COMPLETED')
  const said = (await end()).history.filter(({ role }) => role === Role.ROLE_USER)
  expect(said.map(({ parts }) => textsOf(parts).join())).toEqual(['Go.', 'This one.'])
})

test('two messages with one id are both kept, and one that is sent again once', async () => {
  const client = await clientOf(serve(asker()))
  const asked = await send(client, [text('Go.')])
  const same = { ...saying([text('One.')], asked).message, messageId: 'm' }
  const request = (parts: Parameters<typeof saying>[0]) => ({
    ...saying(parts, asked),
    message: { ...same, parts: [...parts] },
  })
  await Promise.all([
    client.sendMessage(request([text('One.')])),
    client.sendMessage(request([text('One.')])),
  ])
  await client.sendMessage(request([text('Two.')]))
  const said = (await client.getTask(got(asked))).history.filter(({ messageId }) => messageId === 'm')
  expect(said.map(({ parts }) => textsOf(parts).join())).toEqual(['One.', 'Two.'])
})

test('the stream of an answer begins with the task at work, and tells so', async () => {
  const client = await clientOf(serve(cashier()))
  const asked = await send(client, [text('Pay back.')])
  const all: string[] = []
  for await (const event of client.sendMessageStream(saying([text('yes')], asked))) all.push(told(event))
  expect(all).toEqual(['task WORKING', 'WORKING', 'artifactUpdate', 'COMPLETED'])
})
