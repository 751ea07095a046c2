/** Which runs are tasks, whose they are, and what the journal keeps of their messages. */
import { Role, TaskState, type Task } from '@a2a-js/sdk'
import { createTool, createTroupe, memoryStore } from 'troupe'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, data, saying, send, serve, serveOn, text, textsOf } from './served.ts'

const got = ({ id }: Pick<Task, 'id'>) => ({ id, tenant: '' })
const state = ({ status }: Task) => TaskState[status?.state ?? 0]?.replace('TASK_STATE_', '')
const poet = () => worker('poet', [], { otherwise: 'Snow falls.' }).agent

const lists = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: undefined,
}

test('runs of the program, of other agents and forks are no tasks', async () => {
  const agent = poet()
  const other = worker('other', [], { otherwise: 'Rain falls.' }).agent
  const troupe = createTroupe({ agents: [agent, other] })
  const client = await clientOf(serveOn(troupe, agent))
  const task = await send(client, [text('A haiku.')])
  const own = await troupe.start(agent, 'A haiku.', { conversationId: task.contextId })
  const fork = await troupe.fork(task.id, { at: 1 })
  const theirs = await send(await clientOf(serveOn(troupe, other)), [text('A haiku.')])
  await Promise.all([own.result, fork.result])
  for (const id of [own.id, fork.id, theirs.id])
    await expect(client.getTask(got({ id }))).rejects.toThrow('not found')
  expect((await client.listTasks(lists)).tasks.map(({ id }) => id)).toEqual([task.id])
  await troupe.close()
})

test('a caller is the resource of its runs, whatever runOptions gives, and lists its own tasks', async () => {
  const served = serve(poet(), {
    authenticate: ({ headers }) => ({ userName: headers.get('authorization') ?? 'nobody' }),
    runOptions: () => ({ resourceId: 'other', conversationId: 'other', threadId: 'kept' }),
  })
  const ada = await clientOf(served, 'ada')
  const { id, contextId } = await send(ada, [text('A haiku.')])
  const [run] = (await served.troupe.runs({ runId: id })).items
  expect(run).toMatchObject({
    resourceId: 'ada',
    conversationId: `a2a:${contextId}`,
    threadId: 'kept',
  })
  expect((await ada.listTasks(lists)).tasks.map((task) => task.id)).toEqual([id])
  const eve = await clientOf(served, 'eve')
  expect((await eve.listTasks({ ...lists, contextId })).tasks).toEqual([])
  const open = await clientOf(serveOn(served.troupe, poet()))
  expect((await open.listTasks(lists)).tasks).toEqual([])
  await expect(open.getTask(got({ id }))).rejects.toThrow('not found')
})

test('messages keep the ids of their senders, also one that answers two questions', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({ nr: z.number() }),
    execute: ({ nr }, { resumeData, suspend }) => resumeData ?? suspend(`Question ${nr}?`),
  })
  const both = calls({ name: 'ask', args: { nr: 1 } }, { name: 'ask', args: { nr: 2 } })
  const served = serve(worker('asker', [both, 'Thanks.'], { tools: { ask } }).agent)
  const client = await clientOf(served)
  const prompt = saying([text('Go.')])
  const asked = (await client.sendMessage(prompt)) as Task
  const questions = (await served.troupe.awaiting({ runId: asked.id })).items
  const reply = saying(
    questions.map(({ toolCallId }, nr) => data({ toolCallId, data: nr })),
    asked,
  )
  const done = (await client.sendMessage(reply)) as Task
  expect(state(done)).toBe('COMPLETED')
  const said = done.history.filter(({ role }) => role === Role.ROLE_USER)
  expect([...new Set(said.map(({ messageId }) => messageId))]).toEqual([
    prompt.message.messageId,
    reply.message.messageId,
  ])
  expect(said.flatMap(({ parts }) => parts)).toHaveLength(3)
})

test('a task whose agent is not here is as the list of runs has it', async () => {
  const store = memoryStore()
  const agent = cashier()
  const served = serve(agent, { store })
  const client = await clientOf(served)
  const [asked, ended, cancelled] = [
    await send(client, [text('Pay back.')]),
    await send(client, [text('Pay back.')]),
    await send(client, [text('Pay back.')]),
  ]
  await send(client, [text('yes')], ended)
  await client.cancelTask({ ...got(cancelled), metadata: undefined })
  await served.troupe.close()
  const troupe = createTroupe({ agents: [poet()], store })
  const later = await clientOf(serveOn(troupe, agent))
  const [waits, unread, gone] = await Promise.all(
    [asked, ended, cancelled].map((task) => later.getTask(got(task))),
  )
  expect(waits && [state(waits), waits.contextId, waits.status?.message?.parts]).toEqual([
    'INPUT_REQUIRED',
    asked.contextId,
    asked.status?.message?.parts,
  ])
  expect(unread && [state(unread), textsOf(unread.status?.message?.parts)]).toEqual([
    'FAILED',
    ['The answer of the agent cannot be read: AGENT_NOT_HERE.'],
  ])
  expect(gone && state(gone)).toBe('CANCELED')
  // The index knows the outcome of its run, and not that its answer cannot be read.
  expect((await later.listTasks({ ...lists, status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([])
  expect((await later.listTasks({ ...lists, status: TaskState.TASK_STATE_COMPLETED })).tasks).toEqual([])
  await troupe.close()
})

test('a run within a run is no task, though it is of the same agent and conversation', async () => {
  const nested: string[] = []
  const think = createTool({
    id: 'think',
    description: 'Thinks.',
    inputSchema: z.object({}),
    execute: async (_, { start }) => {
      const { runId, text: answer } = await start(agent, 'Once more.')
      nested.push(runId)
      return answer
    },
  })
  const { agent } = worker('thinker', [], {
    tools: { think },
    otherwise: ({ messages }) => {
      const isNested = JSON.stringify(messages).includes('Once more.')
      return isNested || messages.at(-1)?.role === 'tool' ? 'Done.' : calls({ name: 'think', args: {} })
    },
  })
  const served = serve(agent)
  const client = await clientOf(served)
  const task = await send(client, [text('Go.')])
  expect(state(task)).toBe('COMPLETED')
  expect(nested).toHaveLength(1)
  expect((await served.troupe.runs()).items).toHaveLength(2)
  const listed = await client.listTasks(lists)
  expect([listed.tasks.map(({ id }) => id), listed.totalSize]).toEqual([[task.id], 1])
  await expect(client.getTask(got({ id: nested[0] ?? '' }))).rejects.toThrow('not found')
})

test('a list by state reads the tasks of its page, and no others', async () => {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent] })
  const replay = vi.fn<typeof troupe.replay>((runId) => troupe.replay(runId))
  const client = await clientOf(serveOn({ ...troupe, replay }, agent))
  const states = ['COMPLETED', 'INPUT_REQUIRED', 'CANCELED'] as const
  for (let nr = 0; nr < 12; nr++) {
    const task = await send(client, [text('Pay back.')])
    if (nr % 3 === 0) await send(client, [text('yes')], task)
    if (nr % 3 === 2) await client.cancelTask({ ...got(task), metadata: undefined })
  }
  for (const name of [...states, 'WORKING', 'FAILED', 'SUBMITTED', 'REJECTED'] as const) {
    replay.mockClear()
    const filter = { ...lists, status: TaskState[`TASK_STATE_${name}`], pageSize: 3 }
    const found = await client.listTasks(filter)
    const expected = states.some((one) => one === name) ? 4 : 0
    expect([name, found.totalSize, found.tasks.length]).toEqual([name, expected, Math.min(3, expected)])
    expect(found.tasks.every((task) => state(task) === name)).toBe(true)
    expect(replay.mock.calls.length).toBe(found.tasks.length)
  }
  await troupe.close()
})
