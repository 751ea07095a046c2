/** The beginning of a task: its run is started once, wherever the process ends, and a message never begins work that has no task. */
import { TaskState, type Task } from '@a2a-js/sdk'
import { InMemoryTaskStore, type TaskStore } from '@a2a-js/sdk/server'
import { createTroupe, memoryStore, StoreError } from 'troupe'
import type { A2aTroupe } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'
import { partnerWith, standingFor } from './remote/partner.ts'
import { clientOf, saying, send, serve, streamed, text, textsOf } from './served.ts'

const never = new Promise<never>(() => undefined)
const got = ({ id }: Pick<Task, 'id'>) => ({ id, tenant: '' })
const state = ({ status }: Task) => TaskState[status?.state ?? 0]?.replace('TASK_STATE_', '')
const poet = () => worker('poet', [], { otherwise: 'Snow falls.' }).agent
const shared = () => ({ store: memoryStore(), tasks: new InMemoryTaskStore() })

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

/** A process that ends just before, or just after, it has started the run of a task. */
async function ended(both: ReturnType<typeof shared>, when: 'before' | 'after') {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent], store: both.store })
  const reached = Promise.withResolvers<void>()
  const start: A2aTroupe['start'] = async (...args) => {
    if (when === 'after') await troupe.start(...args)
    reached.resolve()
    return never
  }
  const client = await clientOf(serve(agent, { ...both, troupe: { ...troupe, start } }))
  void client.sendMessage(saying([text('A haiku.')])).catch(() => undefined) // its process has ended
  await reached.promise
  const [task] = (await client.listTasks(lists)).tasks
  if (task === undefined) throw new Error('The task is not stored.')
  return task
}

test.each(['before', 'after'] as const)(
  'a process ends just %s the start of the run: another one goes on with it, and works once',
  async (when) => {
    const both = shared()
    const task = await ended(both, when)
    expect(state(task)).toBe('SUBMITTED')
    const served = serve(poet(), both)
    await served.troupe.recover()
    const client = await clientOf(served)
    await expect.poll(async () => state(await client.getTask(got(task)))).toBe('COMPLETED')
    const done = await client.getTask(got(task))
    expect(textsOf(done.artifacts[0]?.parts)).toEqual(['Snow falls.'])
    expect((await served.troupe.runs()).items.map(({ runId }) => runId)).toEqual([task.id])
  },
)

test.each(['a message', 'a cancel', 'a subscription'])('%s to such a task finds its run', async (what) => {
  const both = shared()
  const task = await ended(both, 'before')
  const served = serve(poet(), both)
  const client = await clientOf(served)
  switch (what) {
    case 'a message':
      await send(client, [text('And hurry.')], task).catch(() => undefined) // it may have ended already
      break
    case 'a cancel':
      await client.cancelTask({ ...got(task), metadata: undefined }).catch(() => undefined)
      break
    default:
      await streamed(client.resubscribeTask(got(task))).catch(() => undefined)
  }
  await expect.poll(async () => state(await client.getTask(got(task)))).toMatch(/COMPLETED|CANCELED/)
  expect((await served.troupe.runs()).items.map(({ runId }) => runId)).toEqual([task.id])
})

test('a client whose server ends before it has answered is served once by the next one', async () => {
  const both = shared()
  const agent = poet()
  const first = createTroupe({ agents: [agent], store: both.store })
  let isFirst = true
  const start: A2aTroupe['start'] = (...args) => {
    if (!isFirst) return first.start(...args)
    isFirst = false
    return never
  }
  const before = serve(agent, { ...both, troupe: { ...first, start } })
  const after = partnerWith(agent, both)
  let requests = 0
  const client = standingFor(
    {
      fetch: async (target, init) => {
        const request = new Request(target, init)
        const isMessage =
          request.method === 'POST' && (await request.clone().text()).includes('"SendMessage"')
        if (!isMessage || requests++ > 0) return after.fetch(request)
        return before.fetch(request)
      },
    },
    { requestTimeout: 100 },
  )
  expect(await client.generate('A haiku.')).toMatchObject({ outcome: 'completed', text: 'Snow falls.' })
  expect((await after.troupe.runs()).items).toHaveLength(1)
})

test('a task that cannot be stored begins no work', async () => {
  const tasks = new InMemoryTaskStore()
  let isOut = true
  const failing: TaskStore = {
    load: (...args) => tasks.load(...args),
    list: (...args) => tasks.list(...args),
    save: (...args) => (isOut ? Promise.reject(new StoreError('The disk is full.')) : tasks.save(...args)),
  }
  const problems: string[] = []
  const served = serve(poet(), { tasks: failing, onError: ({ message }) => problems.push(message) })
  const client = await clientOf(served)
  await expect(send(client, [text('A haiku.')])).rejects.toThrow(Error)
  expect((await served.troupe.runs()).items).toEqual([])
  expect(problems).toContain('the run of a task could not be followed')
  isOut = false
  expect(state(await send(client, [text('A haiku.')]))).toBe('COMPLETED')
})
