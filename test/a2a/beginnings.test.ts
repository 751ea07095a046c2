/** The beginning of a task is that of its run: there is a task once there is a run, and a message that is sent again finds it. */
import { TaskState, type Task } from '@a2a-js/sdk'
import { createTroupe, memoryStore, StoreError, type Store } from 'troupe'
import type { A2aTroupe } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'
import { partnerWith, standingFor } from './remote/partner.ts'
import { clientOf, saying, send, serve, text, textsOf } from './served.ts'

const never = new Promise<never>(() => undefined)
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

/** A process that ends just before, or just after, it has started the run of a task. */
async function ended(store: Store, when: 'before' | 'after'): Promise<void> {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent], store })
  const reached = Promise.withResolvers<void>()
  const start: A2aTroupe['start'] = async (...args) => {
    if (when === 'after') await troupe.start(...args)
    reached.resolve()
    return never
  }
  const client = await clientOf(serve(agent, { store, troupe: { ...troupe, start } }))
  void client.sendMessage(saying([text('A haiku.')])).catch(() => undefined) // its process has ended
  await reached.promise
  await troupe.close()
}

test('a process ends just before the start of the run: there is no task, and no work', async () => {
  const store = memoryStore()
  await ended(store, 'before')
  const served = serve(poet(), { store })
  expect((await (await clientOf(served)).listTasks(lists)).tasks).toEqual([])
  expect((await served.troupe.runs()).items).toEqual([])
})

test('a process ends just after the start of the run: another one goes on with the task, and works once', async () => {
  const store = memoryStore()
  await ended(store, 'after')
  const served = serve(poet(), { store })
  const client = await clientOf(served)
  const [task] = (await client.listTasks(lists)).tasks
  if (task === undefined) throw new Error('The task is not listed.')
  await served.troupe.recover()
  await expect.poll(async () => state(await client.getTask(got(task)))).toBe('COMPLETED')
  const done = await client.getTask(got(task))
  expect(textsOf(done.artifacts[0]?.parts)).toEqual(['Snow falls.'])
  expect((await served.troupe.runs()).items.map(({ runId }) => runId)).toEqual([task.id])
})

test('a client whose server ends before it has answered is served once by the next one', async () => {
  const store = memoryStore()
  const agent = poet()
  const first = createTroupe({ agents: [agent], store })
  let isFirst = true
  const start: A2aTroupe['start'] = (...args) => {
    if (!isFirst) return first.start(...args)
    isFirst = false
    return never
  }
  const before = serve(agent, { store, troupe: { ...first, start } })
  const after = partnerWith(agent, { store })
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

test('a run that cannot be stored begins no task', async () => {
  const store = memoryStore()
  let isOut = true
  const failing: Store = Object.assign(Object.create(store) as Store, {
    append: (...args: Parameters<Store['append']>) =>
      isOut ? Promise.reject(new StoreError('The disk at /var/secret is full.')) : store.append(...args),
  })
  const problems: string[] = []
  const served = serve(poet(), { store: failing, onError: ({ message }) => problems.push(message) })
  const client = await clientOf(served)
  await expect(send(client, [text('A haiku.')])).rejects.toThrow(
    'The agent cannot work on this: STORE_FAILED.',
  )
  expect((await served.troupe.runs()).items).toEqual([])
  expect(problems).toEqual(['a run could not be started for a task'])
  isOut = false
  expect(state(await send(client, [text('A haiku.')]))).toBe('COMPLETED')
})
