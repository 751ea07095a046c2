/** What a run is told, and asks, once its store was restored to an earlier point. */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type JournalEntry,
  type OpenQuestion,
  type Problem,
  type Store,
  type Troupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../../support/agents/agents.ts'
import { recorded, type Recorded } from './copies.ts'

const leaseTtl = 1_000

const model = () =>
  scriptedModel([], {
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Done.' : calls({ name: 'pay', args: { order: 'a' } }),
  })

type ToolOptions = Partial<Parameters<typeof createTool>[0]>

interface Desk {
  readonly agent: ReturnType<typeof createAgent>
  readonly paid: string[]
}

function desk(options: ToolOptions = {}): Desk {
  const paid: string[] = []
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ order: z.string() }),
    ...options,
    execute: ({ order }: { order: string }) => {
      paid.push(order)
      return 'paid'
    },
  } as Parameters<typeof createTool>[0])
  return { agent: createAgent({ id: 'desk', instructions: '', model: model(), tools: { pay } }), paid }
}

/** The changes of a store up to the start of a run, and to its end or its first question. */
async function lived(options: ToolOptions = {}): Promise<Recorded & { readonly runId: string }> {
  const made = recorded(memoryStore())
  const { agent } = desk(options)
  const troupe = createTroupe({ agents: [agent], store: made.store, leaseTtl, passivateAfter: 0 })
  const run = await troupe.start(agent, 'Pay.')
  await run.whenIdle
  for (let tries = 0; tries < 1_000; tries++) {
    const [summary] = (await troupe.runs()).items
    if (summary?.status === 'settled' || summary?.isPassivated === true) break
    await new Promise((resolve) => void setImmediate(resolve))
  }
  await troupe.close()
  return { ...made, runId: run.id }
}

/** The store as it was after its first changes. Its owners have gone. */
async function copyOf(made: Recorded, count = 1): Promise<Store> {
  const store = memoryStore()
  await made.copyTo(store, count)
  for (const { runId } of (await store.list('runs', { status: 'unfinished' })).items) {
    await abandon(store, runId)
  }
  return store
}

/** The lease of the run has run out; a run that has left memory stays so. */
async function abandon(store: Store, runId: string): Promise<void> {
  const now = Date.now() + 3_600_000
  const lease = await store.claim(runId, 'nobody', now, now - 3_600_001)
  const passivated = lease?.wasPassivated
  if (lease !== undefined && passivated !== undefined)
    await store.renew([{ ...lease, expiresAt: 0, passivated }])
}

const troupeOn = (
  store: Store,
  { agent }: Desk,
  more: Partial<Parameters<typeof createTroupe>[0]> = {},
): Troupe => createTroupe({ agents: [agent], store, leaseTtl, passivateAfter: 0, ...more })

async function asked(troupe: Troupe, count = 1): Promise<readonly OpenQuestion[]> {
  for (let tries = 0; tries < 5_000; tries++) {
    const { items } = await troupe.awaiting()
    if (items.length >= count) return items
    await new Promise((resolve) => void setImmediate(resolve))
  }
  throw new Error('Nobody was asked.')
}

async function doubtOf(troupe: Troupe): Promise<OpenQuestion> {
  for (let tries = 0; tries < 5_000; tries++) {
    const found = (await asked(troupe)).find(({ type }) => type === 'interruption')
    if (found !== undefined) return found
  }
  throw new Error('Nobody was asked.')
}

const answer = (troupe: Troupe, { runId, toolCallId }: OpenQuestion, data: object) =>
  troupe.signal(runId, { type: 'resume', toolCallId, data: data as never })

const restores = (journal: readonly JournalEntry[]) => journal.filter(({ type }) => type === 'run.restored')

test('a restored run says so in its journal, its events, its history and its questions', async () => {
  const made = await lived()
  const life = desk()
  const troupe = troupeOn(await copyOf(made), life)
  const { runs } = await troupe.recover({ restored: true })
  const [question] = await asked(troupe)
  expect(question).toMatchObject({
    type: 'interruption',
    toolName: 'pay',
    args: { order: 'a' },
    restored: true,
  })
  expect(life.paid).toEqual([])
  const journal = await troupe.journal(made.runId)
  expect(restores(journal)).toMatchObject([{ type: 'run.restored', epoch: 1 }])
  expect(await troupe.history(made.runId)).toContainEqual(
    expect.objectContaining({ type: 'run.restored', epoch: 1 }),
  )
  const { events } = await troupe.replay(made.runId)
  expect(events.find(({ type }) => type === 'restored')?.payload).toEqual({ epoch: 1 })
  expect(events.find(({ type }) => type === 'tool-call-suspended')?.payload).toMatchObject({
    suspendPayload: { interrupted: true, restored: true },
  })
  await answer(troupe, question as OpenQuestion, { retry: true })
  expect(await (await troupe.resume(made.runId)).result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
  })
  expect(runs.map(({ id }) => id)).toEqual([made.runId])
  expect(life.paid).toEqual(['a'])
  await troupe.close()
})

test('without that, a copy goes on as after a crash', async () => {
  const made = await lived()
  const life = desk()
  const troupe = troupeOn(await copyOf(made), life)
  const { runs } = await troupe.recover()
  expect(await runs[0]?.result).toMatchObject({ outcome: 'completed' })
  expect(life.paid).toEqual(['a'])
  await troupe.close()
})

test.each<[string, ToolOptions, object, string, number, object]>([
  ['runs again where a person says so', {}, { retry: true }, 'succeeded', 1, {}],
  [
    'has the result that a person gives',
    {},
    { result: 'paid before' },
    'succeeded',
    0,
    { value: 'paid before' },
  ],
  ['is not asked about where it is repeatable', { repeatable: true }, {}, 'succeeded', 1, {}],
  ['fails where it fails when interrupted', { onInterrupted: 'fail' }, {}, 'failed', 0, {}],
  ['asks where a retry is the policy', { onInterrupted: 'retry' }, { retry: true }, 'succeeded', 1, {}],
  ['asks where asking is the policy', { onInterrupted: 'ask' }, { retry: true }, 'succeeded', 1, {}],
])('a call %s', async (_what, options, verdict, outcome, times, more) => {
  const made = await lived(options)
  const life = desk(options)
  const troupe = troupeOn(await copyOf(made), life)
  const { runs } = await troupe.recover({ restored: true })
  if (Object.keys(verdict).length > 0) {
    const [question] = await asked(troupe)
    await answer(troupe, question as OpenQuestion, verdict)
  }
  const result = await (await troupe.resume(made.runId)).result
  expect(result.steps[0]?.toolResults).toMatchObject([{ outcome, ...more }])
  expect(life.paid).toHaveLength(times)
  expect(runs).toHaveLength(1)
  await troupe.close()
})

test('a call that a person denies is not made, and its model reads that', async () => {
  const made = await lived()
  const life = desk()
  const troupe = troupeOn(await copyOf(made), life)
  await troupe.recover({ restored: true })
  const [question] = await asked(troupe)
  const { toolCallId, runId } = question as OpenQuestion
  await troupe.signal(runId, { type: 'deny', toolCallId, reason: 'It was paid.' })
  const result = await (await troupe.resume(runId)).result
  expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'denied' }])
  expect(life.paid).toEqual([])
  await troupe.close()
})

test('an answer that was given after the copy is asked for again, and then whether to call', async () => {
  const made = await lived({ requireApproval: true })
  const life = desk({ requireApproval: true })
  const store = await copyOf(made, made.changes())
  const troupe = troupeOn(store, life)
  const { runs } = await troupe.recover({ restored: true })
  expect(runs).toEqual([]) // it waits in the store
  const [approval] = await asked(troupe)
  expect(approval).toMatchObject({ type: 'approval', restored: true })
  const [summary] = (await troupe.runs()).items
  expect(summary).toMatchObject({ status: 'suspended', isPassivated: true, awaiting: [{ restored: true }] })
  expect(restores(await troupe.journal(made.runId))).toHaveLength(1)
  await troupe.signal(made.runId, { type: 'approve', toolCallId: approval?.toolCallId ?? '' })
  const doubt = await doubtOf(troupe)
  expect(doubt).toMatchObject({ restored: true })
  expect(life.paid).toEqual([])
  await answer(troupe, doubt, { retry: true })
  await (
    await troupe.resume(made.runId)
  ).result
  expect(life.paid).toEqual(['a'])
  await troupe.close()
})

test('a second restore asks again about a call that was confirmed before', async () => {
  const made = await lived()
  const second = recorded(await copyOf(made))
  const confirming = desk()
  const troupe = troupeOn(second.store, confirming)
  await troupe.recover({ restored: true })
  const [question] = await asked(troupe)
  const silent = second.changes()
  await answer(troupe, question as OpenQuestion, { retry: true })
  await (
    await troupe.resume(made.runId)
  ).result
  await troupe.close()
  for (let count = silent; count <= second.changes(); count++) {
    const again = await copyOf(made)
    await second.copyTo(again, count)
    const [summary] = (await again.list('runs', {})).items
    if (summary?.status === 'settled') continue
    await abandon(again, made.runId)
    const life = desk()
    const third = troupeOn(again, life)
    await third.recover({ restored: true })
    const journal = await third.journal(made.runId)
    const isPaid = journal.some(
      (entry) => entry.type === 'effect.settled' && isReturned(entry.settlement.value),
    )
    if (!isPaid) {
      const [doubt] = await asked(third)
      expect(doubt).toMatchObject({ type: 'interruption', restored: true })
      await answer(third, doubt as OpenQuestion, { retry: true })
    }
    await (
      await third.resume(made.runId)
    ).result
    expect(life.paid).toEqual(isPaid ? [] : ['a'])
    await third.close()
  }
})

const isReturned = (value: unknown): boolean =>
  (value as { readonly type?: unknown } | null | undefined)?.type === 'returned'

test('a name is one restore, from any process; each `true` is one of its own', async () => {
  const made = await lived()
  const store = await copyOf(made)
  const [one, other] = [troupeOn(store, desk()), troupeOn(store, desk())]
  await Promise.all([one.recover({ restored: 'incident 7' }), other.recover({ restored: 'incident 7' })])
  await other.recover({ restored: 'incident 7' })
  await asked(one)
  expect(restores(await one.journal(made.runId))).toMatchObject([{ epoch: 1 }])
  await one.close()
  await other.close()
  const third = troupeOn(store, desk())
  await third.recover({ restored: true })
  await third.recover({ restored: 'incident 8' })
  expect((await store.config?.items('troupe:epoch'))?.map(({ key }) => key)).toEqual(['1', '2', '3'])
  await third.close()
})

test('a process that dies between the epoch and the entries leaves no run that does not ask', async () => {
  const made = await lived()
  const store = await copyOf(made)
  let isDead = false
  const dying: Store = {
    ...store,
    append: (appends) => {
      if (isDead) throw new Error('dead')
      return store.append(appends)
    },
    claim: (...given) => {
      if (isDead) return Promise.reject(new Error('dead'))
      return store.claim(...given)
    },
    config: {
      items: (kind) => store.config?.items(kind) ?? Promise.resolve([]),
      async set(item) {
        await store.config?.set(item)
        isDead = true
      },
    },
  }
  const dead = troupeOn(dying, desk(), { onError: () => undefined })
  await expect(dead.recover({ restored: true })).rejects.toThrow('dead')
  await dead.close().catch(() => undefined)
  const life = desk()
  const troupe = troupeOn(store, life)
  await troupe.recover() // it does not know of the restore
  const [question] = await asked(troupe)
  expect(question).toMatchObject({ type: 'interruption', restored: true })
  expect(life.paid).toEqual([])
  await troupe.close()
})

test('a run that begins after a restore asks nothing, and neither does one that has ended', async () => {
  const made = await lived()
  const store = await copyOf(made, made.changes())
  const life = desk()
  const troupe = troupeOn(store, life)
  await troupe.recover({ restored: true })
  const run = await troupe.start(life.agent, 'Pay.')
  expect((await run.result).outcome).toBe('completed')
  expect(restores(await troupe.journal(made.runId))).toEqual([])
  await troupe.close()
  const next = troupeOn(store, desk())
  expect(await next.recover()).toMatchObject({ runs: [], refused: [] })
  await next.close()
})

test('a fork has what the entries say that it shares', async () => {
  const made = await lived()
  const store = await copyOf(made)
  const life = desk()
  const troupe = troupeOn(store, life)
  await troupe.recover({ restored: true })
  await asked(troupe)
  const journal = await troupe.journal(made.runId)
  const at = journal.findIndex(({ type }) => type === 'run.restored')
  const before = await troupe.fork(made.runId, { at })
  expect((await before.result).outcome).toBe('completed') // a fork makes its calls again, and says so by itself
  const after = await troupe.fork(made.runId, { at: at + 1 })
  const questions = (await asked(troupe, 2)).filter(({ runId }) => runId === after.id)
  expect(questions).toMatchObject([{ restored: true }])
  await troupe.close()
})

test('a live process whose store goes back under it says so, and its runs ask', async () => {
  const made = await lived({ requireApproval: true })
  let inner = memoryStore() as Store
  const store: Store = new Proxy(inner, {
    get: (_target, name) => Reflect.get(inner, name) as unknown,
  })
  await made.copyTo(inner, made.changes())
  await abandon(inner, made.runId)
  const life = desk({ requireApproval: true })
  const problems: Problem[] = []
  const troupe = troupeOn(store, life, {
    passivateAfter: Infinity,
    pollInterval: 10,
    onError: (problem) => void problems.push(problem),
  })
  const run = await troupe.resume(made.runId)
  const [approval] = await asked(troupe)
  const lost = run.result.catch((error: unknown) => error)
  const back = await copyOf(made)
  inner = back
  await run.approve(approval?.toolCallId ?? '').catch(() => undefined)
  expect(await lost).toMatchObject({ code: 'LEASE_LOST' })
  for (let tries = 0; problems.length === 0 && tries < 5_000; tries++) {
    await new Promise((resolve) => void setImmediate(resolve))
  }
  expect(problems).toMatchObject([{ where: 'store', error: { code: 'STORE_WENT_BACK' } }])
  expect((await back.config?.items('troupe:epoch'))?.map(({ key }) => key)).toEqual(['1'])
  await troupe.recover()
  const [again] = await asked(troupe)
  expect(again).toMatchObject({ type: 'approval', restored: true })
  await troupe.close()
})

test('a store without configuration cannot be told', async () => {
  const { config: _config, ...store } = memoryStore()
  const troupe = troupeOn(store, desk())
  await expect(troupe.recover({ restored: true })).rejects.toMatchObject({ code: 'STORE_LACKS_PORT' })
  for (const wrong of ['', 3, null]) {
    await expect(troupe.recover({ restored: wrong as never })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  }
  await troupe.recover({ restored: false })
  await troupe.close()
  await expect(troupe.recover({ restored: true })).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
})
