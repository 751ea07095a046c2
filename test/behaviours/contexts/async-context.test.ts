/** Functions of a user run in the async context of whoever started the run, on every store, and never in another's. */
import { PGlite } from '@electric-sql/pglite'
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  throttled,
  type Run,
  type WholeStore,
  type Troupe,
} from 'troupe'
import { mcpConnection } from 'troupe/mcp'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createActor } from 'xstate'
import { z } from 'zod'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { allBy, Desk, modelOf, user } from './desk.ts'

const folder = temporaryFolder()
const database = new PGlite()
beforeAll(() => database.waitReady)
afterAll(async () => {
  await database.close()
  folder[Symbol.dispose]()
})

let opened = 0

const stores: Readonly<Record<string, () => WholeStore & { close?: () => Promise<void> }>> = {
  'in memory': () => memoryStore(),
  SQLite: () => sqliteStore(folder.file(`${++opened}.db`), { synchronous: 'normal' }),
  'SQLite in a worker': () =>
    sqliteStore(folder.file(`${++opened}.db`), { synchronous: 'normal', worker: true }),
  Postgres: () => postgresStore({ pool: pglitePool(database), schema: `contexts_${++opened}` }),
}

/** Other people's runs, which share the loops of the troupe. */
const crowd = createAgent({ id: 'crowd', model: modelOf('crowd', []) })

async function among<Value>(troupe: Troupe, act: () => Promise<Value>): Promise<Value> {
  const others = (): Promise<unknown>[] =>
    ['eve', 'fay'].map((name) => user.run(name, async () => (await troupe.start(crowd, name)).result))
  const before = others()
  const value = await act()
  await Promise.all([...before, ...others()])
  return value
}

const paid = 'desk/call:1.1'

/** `ann` starts it, and `bob` approves a call of it with other arguments. */
async function startedAndApproved(troupe: Troupe, desk: Desk): Promise<Run> {
  const options = { threadId: `t${++opened}`, onError: desk.onError }
  const run = await user.run('ann', () => troupe.start(desk.agent, 'Go', options))
  await user.run('bob', () => run.whenIdle)
  await among(troupe, () => user.run('bob', () => run.approve(paid, { args: { sum: 2 } })))
  return run
}

describe.each(Object.entries(stores))('%s', (_, open) => {
  test('every function runs in the context of the starter, also after another person has approved', async () => {
    const desk = new Desk()
    const store = open()
    const troupe = createTroupe({
      agents: [desk.agent, crowd],
      store: desk.noting(store),
      around: desk.observer,
    })
    const run = await among(troupe, () => startedAndApproved(troupe, desk))
    expect((await run.result).outcome).toBe('completed')
    const eachRun = ['traceparent', 'around', 'observer', 'end of the observer']
    const ofCrowd = ['eve', 'fay'].flatMap((who) => eachRun.map((kind) => `${kind}: ${who}`))
    expect(desk.seen).toEqual(new Set([...allBy('ann'), ...ofCrowd]))
    await troupe.close()
    await store.close?.()
  })

  test('after a recovery they run in no context, whoever recovers and approves', async () => {
    const before = new Desk()
    const store = open()
    const first = createTroupe({ agents: [before.agent], store })
    const { id, whenIdle } = await user.run('ann', () => first.start(before.agent, 'Go', { threadId: 't' }))
    await whenIdle
    await first.close()
    const desk = new Desk()
    const troupe = createTroupe({ agents: [desk.agent, crowd], store, onError: desk.onError })
    await user.run('cron', () => troupe.recover())
    const run = await user.run('eve', () => troupe.resume(id))
    await user.run('bob', () => run.approve(paid, { args: { sum: 2 } }))
    expect((await run.result).outcome).toBe('completed')
    expect([...desk.seen].filter((seen) => !seen.endsWith(': nobody'))).toEqual([])
    expect(desk.seen).toContain('tool: nobody')
    expect(desk.seen).toContain('onError: nobody')
    await troupe.close()
    await store.close?.()
  })
})

test('an inspector, and who observes the actor, are called in it too', async () => {
  const desk = new Desk()
  const troupe = createTroupe({ agents: [desk.agent], inspect: () => desk.note('inspect') })
  const run = await user.run('ann', () => troupe.start(desk.agent, 'Go', { threadId: 't' }))
  run.actor.subscribe(() => desk.note('actor'))
  await run.whenIdle
  await user.run('bob', () => run.approve(paid))
  await run.result
  expect([...desk.seen].filter((seen) => !seen.endsWith(': ann'))).toEqual([])
  expect(desk.seen).toContain('inspect: ann')
  expect(desk.seen).toContain('actor: ann')
  await troupe.close()
})

test('a run that was passivated goes on in the context of its starter while its handle is held', async () => {
  const desk = new Desk()
  const troupe = createTroupe({ agents: [desk.agent], passivateAfter: 0 })
  const run = await user.run('ann', () => troupe.start(desk.agent, 'Go', { threadId: 't' }))
  await run.whenIdle
  await expect.poll(async () => (await troupe.runs()).items[0]?.isPassivated).toBe(true)
  await user.run('bob', () => troupe.signal(run.id, { type: 'approve', toolCallId: paid }))
  expect((await run.result).outcome).toBe('completed')
  expect([...desk.seen].filter((seen) => !seen.endsWith(': ann'))).toEqual([])
  expect(desk.seen).toContain('tool: ann')
  await troupe.close()
})

describe('what ends a call', () => {
  const ways: Readonly<Record<string, (run: Run, troupe: Troupe, given: AbortController) => unknown>> = {
    'a cancel': (run) => run.cancel(),
    'a cancel by id': (run, troupe) => troupe.cancel(run.id),
    'the signal that the run was given': (_run, _troupe, given) => given.abort(),
    'a close': (_run, troupe) => troupe.close(),
  }

  test.each(Object.entries(ways))('%s tells the tool in the context of the starter', async (_, end) => {
    const began = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<string | undefined>()
    const wait = createTool({
      id: 'wait',
      description: 'Waits.',
      inputSchema: z.object({}),
      execute: (_args, { signal }) => {
        signal.addEventListener('abort', () => ended.resolve(user.getStore()))
        began.resolve()
        return new Promise<void>(() => undefined)
      },
    })
    const model = modelOf('m', [{ id: 'c1', name: 'wait', args: {} }])
    const agent = createAgent({ id: 'a', model, tools: { wait } })
    const troupe = createTroupe({ agents: [agent] })
    const given = new AbortController()
    const run = await user.run('ann', () => troupe.start(agent, 'Go', { signal: given.signal }))
    run.result.catch(() => undefined)
    await began.promise
    await user.run('bob', () => end(run, troupe, given))
    expect(await ended.promise).toBe('ann')
    await troupe.close()
  })
})

test('a listener of a troupe or a store is called in the context of who subscribed', async () => {
  for (const open of Object.values(stores)) {
    const store = open()
    const troupe = createTroupe({ agents: [crowd], store })
    const told = Promise.withResolvers<string | undefined>()
    const toldByStore = Promise.withResolvers<string | undefined>()
    user.run('cyd', () => troupe.subscribe(() => told.resolve(user.getStore())))
    const leave = user.run('dan', () => store.subscribe?.(() => toldByStore.resolve(user.getStore())))
    const listening = new AbortController()
    const makeChanges = async (): Promise<void> => {
      while (!listening.signal.aborted) {
        await among(troupe, async () => undefined)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const changing = makeChanges() // a store may not listen yet
    expect(await Promise.all([told.promise, toldByStore.promise])).toEqual(['cyd', 'dan'])
    listening.abort()
    await changing
    leave?.()
    await troupe.close()
    await store.close?.()
  }
})

test('readers of one watch go on in their own contexts', async () => {
  const store = memoryStore()
  const [here, there] = [createTroupe({ agents: [crowd], store }), createTroupe({ agents: [crowd], store })]
  const run = await user.run('ann', () => here.start(crowd, 'Go'))
  const read = (name: string): Promise<ReadonlySet<string | undefined>> =>
    user.run(name, async () => {
      const seen = new Set<string | undefined>()
      for await (const _ of there.watch(run.id)) seen.add(user.getStore())
      return seen
    })
  expect(await Promise.all([read('cyd'), read('dan')])).toEqual([new Set(['cyd']), new Set(['dan'])])
  await Promise.all([here.close(), there.close()])
})

test('calls that wait for their turn at a throttled model are made in their own contexts', async () => {
  const seen = new Set<unknown>()
  const noted = (): void => void seen.add(user.getStore())
  const agent = createAgent({ id: 'a', model: throttled(modelOf('m', [], noted), { concurrency: 1 }) })
  const troupe = createTroupe({ agents: [agent] })
  const names = ['ann', 'bob', 'cyd', 'dan']
  await Promise.all(names.map((name) => user.run(name, async () => (await troupe.start(agent, name)).result)))
  expect(seen).toEqual(new Set(names))
  await troupe.close()
})

test('an actor of an app works in the context in which it was started', async () => {
  const desk = new Desk()
  const troupe = createTroupe({ agents: [desk.agent] })
  const actor = user.run('nobody who starts it', () =>
    createActor(troupe.logic(desk.agent), { input: { prompt: 'Go', threadId: 't' } }),
  )
  const refused = Promise.withResolvers<string | undefined>()
  const held = Promise.withResolvers<void>()
  actor.on('signal-refused', () => refused.resolve(user.getStore()))
  actor.on('suspended', () => held.resolve())
  user.run('ann', () => actor.start())
  await held.promise
  user.run('bob', () => actor.send({ type: 'approve', toolCallId: 'desk/call:9.9' }))
  expect(await refused.promise).toBe('ann')
  user.run('bob', () => actor.send({ type: 'approve', toolCallId: paid }))
  await expect.poll(() => actor.getSnapshot().status).toBe('done')
  expect([...desk.seen].filter((seen) => !seen.endsWith(': ann'))).toEqual([])
  expect(desk.seen).toContain('tool: ann')
  await troupe.close()
})

test('a run that a tool starts works in the context of the tool, and a fork in that of who forks', async () => {
  const seen: unknown[] = []
  const inner = createAgent({
    id: 'inner',
    model: modelOf('inner', [], () => void seen.push(user.getStore())),
  })
  const troupe = createTroupe({ agents: [inner] })
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    execute: () => user.run('the tool', async () => (await troupe.start(inner, 'Go')).id),
  })
  const outer = createAgent({
    id: 'outer',
    model: modelOf('outer', [{ id: 'c1', name: 'ask', args: {} }]),
    tools: { ask },
  })
  await user.run('ann', () => outer.generate('Go'))
  const [started] = (await troupe.runs()).items
  expect(started?.agent).toBe('inner')
  await (
    await troupe.resume(started?.runId ?? '')
  ).result
  const fork = await user.run('bob', () => troupe.fork(started?.runId ?? '', { at: 1 }))
  await fork.result
  expect(seen).toEqual(['the tool', 'bob'])
  await troupe.close()
})

test('a connection that tools share is made in no context', async () => {
  const seen: unknown[] = []
  const connection = mcpConnection({
    prepare: () => void seen.push(user.getStore()),
    transport: async () => {
      seen.push(user.getStore())
      throw new Error('away')
    },
  })
  await expect(user.run('ann', () => connection.client())).rejects.toMatchObject({ code: 'MCP_REFUSED' })
  expect(seen).toEqual([undefined, undefined])
  await connection.close()
})
