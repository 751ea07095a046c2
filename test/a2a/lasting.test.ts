/** Tasks outlive requests, processes and outages: whichever process is asked, a task is as its run is. */
import { TaskState, type StreamResponse, type Task } from '@a2a-js/sdk'
import {
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  TroupeError,
  type Store,
  type Troupe,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker, type Cast } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, saying, send, serve, streamed, text, textsOf, type Served } from './served.ts'

/** What two processes share. */
const shared = () => ({ store: memoryStore() })

const got = (task: { readonly id: string }) => ({ id: task.id, tenant: '' })
const cancelling = (task: { readonly id: string }) => ({ ...got(task), metadata: undefined })
const outcomeOf = async (troupe: Troupe, runId: string) => (await troupe.runs({ runId })).items[0]?.outcome
const state = (task: Task) => TaskState[task.status?.state ?? 0]?.replace('TASK_STATE_', '')
const told = (task: Task) => textsOf(task.status?.message?.parts).join()
const answer = (task: Task) => textsOf(task.artifacts[0]?.parts).join()

/** An agent whose tool waits for `open`. */
function waiter(steps: Parameters<typeof worker>[1] = ['Noted.']): Cast<object> & { open(): void } {
  const gate = Promise.withResolvers<string>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => gate.promise,
  })
  const cast = worker('clerk', [calls({ name: 'look', args: {} }), ...steps], { tools: { look } })
  return { ...cast, open: () => gate.resolve('There it is.') }
}

/** A task whose tool is at work, and the rest of the stream that began it. */
async function begun(served: Served, { model }: Pick<Cast<object>, 'model'>) {
  const stream = (await clientOf(served)).sendMessageStream(saying([text('Go.')]))
  const { payload } = (await stream.next()).value ?? {}
  if (payload?.$case !== 'task') throw new Error('The first event is no task.')
  const rest = streamed(stream)
  await expect.poll(() => model.calls.length).toBe(1)
  return { task: payload.value, rest }
}

const atOnce = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  historyLength: undefined,
  returnImmediately: true,
}

const statesIn = (payloads: readonly StreamResponse['payload'][]) =>
  payloads.flatMap((payload) =>
    payload?.$case === 'statusUpdate' ? [TaskState[payload.value.status?.state ?? 0]] : [],
  )

test('an answer reaches the run of a process that is at work on it', async () => {
  const both = shared()
  let paid = 0
  const agent = cashier(() => paid++)
  const [first, second] = [serve(agent, both), serve(agent, both)]
  const asked = await send(await clientOf(first), [text('Pay back.')])
  const ended = await send(await clientOf(second), [text('yes')], asked)
  expect([state(ended), paid]).toEqual(['COMPLETED', 1])
  expect(answer(await (await clientOf(first)).getTask(got(asked)))).toContain('on their way')
})

test('a message from another process is said to the run, and its request gets the answer', async () => {
  const both = shared()
  const office = waiter()
  const [first, second] = [serve(office.agent, both), serve(office.agent, both)]
  const { task, rest } = await begun(first, office)
  const other = send(await clientOf(second), [text('And hurry.')], task)
  await expect.poll(async () => JSON.stringify(await first.troupe.journal(task.id))).toContain('And hurry.')
  office.open()
  expect(state(await other)).toBe('COMPLETED')
  expect(statesIn(await rest).at(-1)).toBe('TASK_STATE_COMPLETED')
})

test.each(['in one answer', 'as a stream'])(
  'a message that a run refuses does not end its task: %s',
  async (form) => {
    const office = waiter()
    const served = serve(office.agent)
    const { task, rest } = await begun(served, office)
    const client = await clientOf(served)
    const second = client.sendMessageStream(saying([text('  ')], task))
    const { payload } = (await second.next()).value ?? {}
    const answered =
      form === 'as a stream' && payload?.$case === 'task'
        ? payload.value
        : await client.sendMessage({ ...saying([text('  ')], task), configuration: atOnce })
    expect('status' in answered && told(answered)).toBe('The agent did not take the message: MESSAGE_EMPTY.')
    expect(await outcomeOf(served.troupe, task.id)).toBeUndefined()
    expect(told(await client.getTask(got(task)))).toBe('clerk calls look')
    office.open()
    await streamed(second)
    expect(statesIn(await rest).at(-1)).toBe('TASK_STATE_COMPLETED')
    expect(state(await client.getTask(got(task)))).toBe('COMPLETED')
  },
)

test('after a crash a task is as its run is, once the run goes on elsewhere', async () => {
  const both = shared()
  const office = waiter()
  const problems: unknown[] = []
  const first = serve(office.agent, { ...both, onError: ({ error }) => problems.push(error) })
  const { task, rest } = await begun(first, office)
  await first.troupe.close()
  expect(statesIn(await rest).at(-1)).toBe('TASK_STATE_WORKING')
  expect(problems).toMatchObject([{ code: 'TROUPE_CLOSED' }])
  const second = serve(office.agent, both)
  const client = await clientOf(second)
  expect(told(await client.getTask(got(task)))).toBe('clerk calls look')
  await second.troupe.recover()
  office.open()
  await expect.poll(() => outcomeOf(second.troupe, task.id)).toBe('completed')
  const ended = await client.getTask(got(task))
  expect([state(ended), answer(ended)]).toEqual(['COMPLETED', 'Noted.'])
})

test('a task that no request follows is brought up to date when it is asked for', async () => {
  const both = shared()
  const served = serve(cashier(), both)
  const client = await clientOf(served)
  const asked = await send(client, [text('Pay back.')])
  const [question] = (await served.troupe.awaiting()).items
  await served.troupe.signal(asked.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
  await expect.poll(() => outcomeOf(served.troupe, asked.id)).toBe('completed')
  expect(await client.getTask(got(asked))).toMatchObject({
    status: { state: TaskState.TASK_STATE_COMPLETED },
    artifacts: [{ name: 'Answer' }],
  })
  await expect(client.cancelTask(cancelling(asked))).rejects.toThrow('not cancelable')
})

test('a task ends where its client has left the stream', async () => {
  const both = shared()
  const office = waiter()
  const served = serve(office.agent, both)
  const client = await clientOf(served)
  const leaving = new AbortController()
  const stream = client.sendMessageStream(saying([text('Go.')]), { signal: leaving.signal })
  const { payload } = (await stream.next()).value ?? {}
  if (payload?.$case !== 'task') throw new Error('The first event is no task.')
  leaving.abort()
  await stream.return(undefined)
  office.open()
  await expect
    .poll(async () =>
      state(
        (await client.listTasks({ ...lists, contextId: payload.value.contextId })).tasks[0] ?? payload.value,
      ),
    )
    .toBe('COMPLETED')
})

const lists = {
  tenant: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageSize: undefined,
  pageToken: '',
  historyLength: undefined,
  statusTimestampAfter: undefined,
  includeArtifacts: undefined,
}

test('a reader comes back in another process, and sees the work to its end', async () => {
  const both = shared()
  const office = waiter()
  const [first, second] = [serve(office.agent, both), serve(office.agent, both)]
  const { task, rest } = await begun(first, office)
  const readers = [first, second].map(async (served) => {
    const stream = (await clientOf(served)).resubscribeTask(got(task))
    expect((await stream.next()).value?.payload?.$case).toBe('task')
    return statesIn(await streamed(stream)).at(-1)
  })
  const gone = (await clientOf(first)).resubscribeTask(got(task))
  await gone.next()
  await gone.return(undefined)
  office.open()
  expect(await Promise.all(readers)).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED'])
  await rest
})

/** A store that fails while `isOut`. */
function failing(store: Store) {
  const outage = { isOut: false }
  const list: Store['list'] = (...given) => {
    if (outage.isOut) return Promise.reject(new StoreError('The disk at /var/secret is full.'))
    return store.list(...given)
  }
  const failingStore: Store = Object.assign(Object.create(store) as Store, { list })
  return { outage, failingStore }
}

test('an outage of the store leaves the question open, and is named by its code alone', async () => {
  const problems: string[] = []
  const { outage, failingStore } = failing(memoryStore())
  const served = serve(cashier(), {
    store: failingStore,
    onError: ({ message }) => problems.push(message),
  })
  const client = await clientOf(served)
  const asked = await send(client, [text('Pay back.')])
  outage.isOut = true
  const outOfOrder = 'The task cannot be read at the moment: STORE_FAILED.'
  await expect(send(client, [text('yes')], asked)).rejects.toThrow(outOfOrder)
  await expect(client.getTask(got(asked))).rejects.toThrow(outOfOrder)
  const unread = 'the run of a task could not be looked up'
  expect(problems).toEqual([unread, unread])
  outage.isOut = false
  expect(await client.getTask(got(asked))).toEqual(asked)
  expect(state(await send(client, [text('yes')], asked))).toBe('COMPLETED')
})

test('an answer that cannot be delivered leaves the question open', async () => {
  const both = shared()
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], store: both.store })
  let isOut = true
  const signal: Troupe['signal'] = (...args) =>
    isOut ? Promise.reject(new StoreError('The disk at /var/secret is full.')) : troupe.signal(...args)
  const problems: string[] = []
  const client = await clientOf(
    serve(agent, {
      ...both,
      troupe: { ...troupe, signal },
      onError: ({ message }) => problems.push(message),
    }),
  )
  const asked = await send(client, [text('Pay back.')])
  const again = await send(client, [text('yes')], asked)
  expect([state(again), told(again)]).toEqual([
    'INPUT_REQUIRED',
    'The message could not be delivered: STORE_FAILED. Send it again.\n' +
      'The agent "cashier" wants to call refund {"euros":20}. May it? Answer yes or no.',
  ])
  expect(await client.getTask(got(asked))).toEqual(asked)
  expect(problems).toEqual(['a message could not be delivered to the run of its task'])
  isOut = false
  expect(state(await send(client, [text('yes')], again))).toBe('COMPLETED')
})

test('a run that cannot go on with the agents of today says so by its code, and its task stays as it is', async () => {
  const both = shared()
  const served = serve(cashier(), both)
  const asked = await send(await clientOf(served), [text('Pay back.')])
  expect(state(asked)).toBe('INPUT_REQUIRED')
  const agent = cashier()
  const refusing = createTroupe({
    agents: [agent],
    store: both.store,
    onError: () => undefined,
  })
  const signal: Troupe['signal'] = () =>
    Promise.reject(new TroupeError('PROGRAM_CHANGED', 'The instructions at /var/secret were edited.'))
  const client = await clientOf(
    serve(agent, { ...both, troupe: { ...refusing, signal }, onError: () => undefined }),
  )
  const again = await send(client, [text('yes')], asked)
  expect(state(again)).toBe('INPUT_REQUIRED')
  expect(told(again)).toContain(
    'The message could not be delivered: PROGRAM_CHANGED. The agent cannot go on with this task.',
  )
  expect(told(again)).not.toContain('secret')
})

test('a run that cannot be followed leaves its task open, and the task of a run that is deleted is gone', async () => {
  const both = shared()
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], store: both.store })
  let isOut = true
  const watch: Troupe['watch'] = (...args) => {
    if (isOut) throw new StoreError('The disk at /var/secret is full.')
    return troupe.watch(...args)
  }
  const watched = { ...troupe, watch }
  const client = await clientOf(serve(agent, { ...both, troupe: watched, onError: () => undefined }))
  const open = await send(client, [text('Pay back.')])
  expect([state(open), told(open)]).toEqual([
    'WORKING',
    'The work cannot be followed at the moment: STORE_FAILED.',
  ])
  await expect.poll(async () => (await troupe.awaiting()).items.length).toBe(1)
  await expect.poll(async () => state(await client.getTask(got(open)))).toBe('INPUT_REQUIRED')
  await troupe.cancel(open.id)
  await expect.poll(() => outcomeOf(troupe, open.id)).toBe('cancelled')
  await troupe.delete(open.id)
  isOut = false
  await expect(send(client, [text('yes')], open)).rejects.toThrow('not found')
  await expect(client.getTask(got(open))).rejects.toThrow('not found')
})

test('a cancel ends a run that another process is at work on, and the request there', async () => {
  const both = shared()
  const office = waiter()
  const [first, second] = [serve(office.agent, both), serve(office.agent, both)]
  const { task, rest } = await begun(first, office)
  expect(state(await (await clientOf(second)).cancelTask(cancelling(task)))).toBe('CANCELED')
  expect(statesIn(await rest).at(-1)).toBe('TASK_STATE_CANCELED')
  expect(await outcomeOf(first.troupe, task.id)).toBe('cancelled')
})

test('a cancel that cannot be delivered leaves the task as it is', async () => {
  const both = shared()
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], store: both.store })
  let isOut = true
  const failingCancel: Troupe['cancel'] = (...args) =>
    isOut ? Promise.reject(new StoreError('The disk at /var/secret is full.')) : troupe.cancel(...args)
  const problems: unknown[] = []
  const client = await clientOf(
    serve(agent, {
      ...both,
      troupe: { ...troupe, cancel: failingCancel },
      onError: ({ message }) => problems.push(message),
    }),
  )
  const asked = await send(client, [text('Pay back.')])
  await expect(client.cancelTask(cancelling(asked))).rejects.toThrow(
    'The task cannot be cancelled now: STORE_FAILED.',
  )
  expect(problems).toEqual(['a task could not be cancelled'])
  expect(state(await client.getTask(got(asked)))).toBe('INPUT_REQUIRED')
  isOut = false
  expect(state(await client.cancelTask(cancelling(asked)))).toBe('CANCELED')
  expect(await outcomeOf(troupe, asked.id)).toBe('cancelled')
  await expect(client.cancelTask(cancelling(asked))).resolves.toMatchObject({ id: asked.id })
})

test('an answer counts once, however often and wherever it is sent', async () => {
  const both = shared()
  let paid = 0
  const agent = cashier(() => paid++)
  const servers = [serve(agent, both), serve(agent, both)]
  const clients = await Promise.all(servers.map((served) => clientOf(served)))
  const [first] = clients
  if (first === undefined) throw new Error('There is a client.')
  const asked = await send(first, [text('Pay back.')])
  const ends = await Promise.allSettled(
    [...clients, ...clients].map((client) => send(client, [text('yes')], asked)),
  )
  const states = ends.flatMap((end) => (end.status === 'fulfilled' ? [state(end.value)] : []))
  expect([new Set(states), paid]).toEqual([new Set(['COMPLETED']), 1])
  expect(state(await first.getTask(got(asked)))).toBe('COMPLETED')
})
