/** The inbox: open questions are listed without a journal and without the agents, from their opening to their end. */
import { createTool, createTroupe, memoryStore, type OpenQuestion, type Store, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const inputSchema = z.object({})
const remove = createTool({
  id: 'remove',
  description: 'Removes.',
  inputSchema,
  requireApproval: true,
  execute: () => 'removed',
})
const choose = createTool({
  id: 'choose',
  description: 'Lets a person choose.',
  inputSchema,
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ options: ['a', 'b'] }),
})

/** A lead that removes and lets choose, and whose janitor removes. */
function house(runs = 1) {
  const asks = <Step>(step: Step): Step[] => Array<Step>(runs).fill(step)
  const janitor = worker('janitor', asks(calls({ name: 'remove' })), {
    tools: { remove },
    otherwise: 'Clean.',
  })
  return lead('lead', asks(calls({ name: 'remove' }, { name: 'choose' }, to('janitor', 'Clean up'))), {
    tools: { remove, choose },
    agents: { janitor: janitor.agent },
    otherwise: 'Done.',
  })
}

/** A troupe that has none of the agents of the runs in its store. */
const stranger = (store: Store): Troupe => createTroupe({ agents: [worker('stranger', []).agent], store })

const calledOf = (questions: readonly OpenQuestion[]): string[] =>
  questions.map(({ toolCallId }) => toolCallId).toSorted()

const [first, second, below] = ['lead/call:1.1', 'lead/call:1.2', 'lead/delegation:1.3/janitor/call:1.1']

test('a run that has come to rest is listed as suspended, also after what has not ended its suspension', async () => {
  const memory = memoryStore()
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  const store: Store = {
    ...memory,
    async append(appends) {
      await turn()
      return memory.append(appends)
    },
  }
  const { agent } = house()
  const troupe = createTroupe({ agents: [agent], store, passivateAfter: Infinity })
  const run = await troupe.start(agent, 'Go')
  const listed = async (): Promise<string | undefined> => {
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    return (await troupe.runs({ status: 'suspended' })).items[0]?.runId
  }
  expect(await listed()).toBe(run.id)
  await run.say('Be quick.')
  expect(await listed()).toBe(run.id)
  await run.approve(first)
  expect(await listed()).toBe(run.id)
  await run.say('Be quicker.')
  await run.cancel()
  expect(await run.whenIdle).toMatchObject({ outcome: 'cancelled' })
  expect((await troupe.runs({ status: 'settled' })).items).toHaveLength(1)
  await troupe.close()
})

describe.each(['memory', 'SQLite'] as const)('in %s', (kind) => {
  const open = (folder: { file(name: string): string }): Store =>
    kind === 'memory' ? memoryStore() : sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })

  test('every held call is listed when the run is suspended, in lists and summaries, also without its agents', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = house()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go', { resourceId: 'ann', conversationId: 'talk' })
    const idle = await run.whenIdle
    const { items } = await stranger(store).awaiting()
    expect(calledOf(items)).toEqual([first, second, below])
    const journal = await troupe.journal(run.id)
    for (const { runId, since, asOf } of items) {
      expect(runId).toBe(run.id)
      expect(journal[asOf - 1]?.at).toBe(since)
    }
    expect(items.find(({ toolCallId }) => toolCallId === second)).toMatchObject({
      type: 'suspension',
      agent: 'lead',
      path: 'lead',
      toolName: 'choose',
      args: {},
      payload: { options: ['a', 'b'] },
    })
    expect(items.find(({ toolCallId }) => toolCallId === below)).toMatchObject({
      type: 'approval',
      agent: 'janitor',
      path: 'lead/delegation:1.3/janitor',
    })
    expect((await stranger(store).runs({ resourceId: 'ann' })).items[0]?.awaiting).toEqual(items)
    expect(idle).toMatchObject({ outcome: 'suspended' })
    expect(calledOf((await troupe.awaiting({ agent: 'janitor', conversationId: 'talk' })).items)).toEqual([
      below,
    ])
    expect((await troupe.awaiting({ resourceId: 'bob' })).items).toEqual([])
    await run.cancel()
    await run.result
    await troupe.close()
    await store.close?.()
  })

  test('an answer, a cancel of a delegation and the end remove their questions before they are told', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = house()
    const troupe = createTroupe({ agents: [agent], store, passivateAfter: Infinity })
    const run = await troupe.start(agent, 'Go')
    const left = async () => calledOf((await troupe.awaiting()).items)
    await run.whenIdle
    await run.approve(first)
    expect(await left()).toEqual([second, below])
    await run.cancel('enough', { delegationId: 'lead/delegation:1.3' })
    expect(await left()).toEqual([second])
    await run.resume(second, 'a')
    expect(await left()).toEqual([])
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(await left()).toEqual([])
    await troupe.close()
    await store.close?.()
  })

  test('a run is listed as suspended as soon as it only waits, also after an entry that it does not go on with', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = house()
    const troupe = createTroupe({ agents: [agent], store, passivateAfter: Infinity })
    const run = await troupe.start(agent, 'Go')
    const listed = async () => (await stranger(store).runs()).items[0]
    await run.whenIdle
    expect(await listed()).toMatchObject({ status: 'suspended' })
    expect(await listed()).not.toHaveProperty('isPassivated')
    expect((await troupe.runs({ status: 'running' })).items).toEqual([])
    const { length } = await troupe.journal(run.id)
    await run.say('Hurry up.')
    await expect.poll(listed).toMatchObject({ status: 'suspended', entries: length + 1 })
    for (const call of [first, below]) await run.approve(call)
    await run.resume(second, 'a')
    await run.result
    expect(await listed()).toMatchObject({ status: 'settled' })
    await troupe.close()
    await store.close?.()
  })

  test('a cancel removes all, and a question of another run stays', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = house(2)
    const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0 })
    const [run, other] = [await troupe.start(agent, 'Go'), await troupe.start(agent, 'Go')]
    await Promise.all([run.whenIdle, other.whenIdle])
    await troupe.cancel(run.id)
    expect((await troupe.awaiting({ runId: run.id })).items).toEqual([])
    expect((await troupe.awaiting()).items.map(({ runId }) => runId)).toEqual([other.id, other.id, other.id])
    await troupe.cancel(other.id)
    await troupe.close()
    await store.close?.()
  })
})

test('the event `suspended` is told, and the promise resolved, when the inbox has the questions', async () => {
  const inner = memoryStore()
  const gate = Promise.withResolvers<void>()
  let written = 0
  const store: Store = {
    ...inner,
    async append(appends) {
      if (appends.some(({ questions }) => questions !== undefined)) {
        written++
        await gate.promise
      }
      return inner.append(appends)
    },
  }
  const { agent } = worker('solo', [calls({ name: 'remove' })], { tools: { remove }, otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  const seen: string[] = []
  const reading = (async () => {
    for await (const { type } of run.events) seen.push(type)
  })()
  let isIdle = false
  void run.whenIdle.then(() => (isIdle = true))
  await expect.poll(() => written).toBe(1)
  await new Promise(setImmediate)
  expect([seen.includes('suspended'), seen.includes('tool-call-approval'), isIdle]).toEqual([
    false,
    true,
    false,
  ])
  gate.resolve()
  await run.whenIdle
  await expect.poll(() => seen.includes('suspended')).toBe(true)
  expect((await inner.list('questions', {})).items).toHaveLength(1)
  await run.approve('solo/call:1.1')
  await run.result
  await reading
  expect(seen.filter((type) => type === 'suspended' || type === 'resumed')).toEqual(['suspended', 'resumed'])
})

test('a question comes with an append that waits anyway', async () => {
  const inner = memoryStore()
  const appended: string[][] = []
  const store: Store = {
    ...inner,
    append(appends) {
      appended.push(
        appends.map(({ entry, questions }) => entry?.type ?? `${questions?.opened.length ?? 0} questions`),
      )
      return inner.append(appends)
    },
  }
  const dig = createTool({ id: 'dig', description: 'Digs.', inputSchema, execute: () => 'earth' })
  const { agent } = worker('solo', [calls({ name: 'remove' }, { name: 'dig' })], {
    tools: { remove, dig },
    otherwise: 'Done.',
  })
  const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
  await run.whenIdle
  expect(appended.filter((batch) => batch.includes('1 questions'))).toEqual([
    ['effect.started', '1 questions'],
  ])
  await run.deny('solo/call:1.1')
  await run.result
})

test('a store that refuses the questions of a run loses the run, which can be resumed', async () => {
  const inner = memoryStore()
  let isFailing = true
  const store: Store = {
    ...inner,
    append(appends) {
      if (isFailing && appends.some(({ entry }) => entry === undefined)) throw new Error('disk full')
      return inner.append(appends)
    },
  }
  const { agent } = worker('solo', [calls({ name: 'remove' })], { tools: { remove }, otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await expect(run.whenIdle).rejects.toMatchObject({ code: 'STORE_FAILED' })
  isFailing = false
  const again = await troupe.resume(run.id)
  await again.whenIdle
  expect((await troupe.awaiting()).items).toHaveLength(1)
  await again.approve('solo/call:1.1')
  expect(await again.result).toMatchObject({ outcome: 'completed' })
})

test('a suspended run without questions in the index gets them by a recovery', async () => {
  const store = memoryStore()
  const { agent } = worker('solo', [calls({ name: 'remove' })], { tools: { remove }, otherwise: 'Done.' })
  const older: Store = {
    ...store, // as a release without the index wrote it
    append: (appends) =>
      store.append(appends.flatMap(({ questions: _, ...append }) => (append.entry ? append : []))),
  }
  const before = createTroupe({ agents: [agent], store: older, passivateAfter: 0 })
  const { id, whenIdle } = await before.start(agent, 'Go')
  await whenIdle
  await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
  await before.close()
  expect((await store.list('questions', {})).items).toEqual([])
  const troupe = createTroupe({ agents: [agent], store })
  const { runs } = await troupe.recover()
  expect(runs.map((run) => run.id)).toEqual([id])
  await runs[0]?.whenIdle
  expect((await troupe.awaiting()).items).toMatchObject([{ runId: id, toolCallId: 'solo/call:1.1' }])
  await troupe.cancel(id)
})
