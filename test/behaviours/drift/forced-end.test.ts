/** A run that cannot go on is ended, deleted and read: by every reader, with or without the agents that it began with. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type RunEvent,
  type Store,
  type ToolExecution,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { leftWork } from '../../../src/runtime/journal/left-work.ts'
import type { JournalEntry } from '../../../src/runtime/journal/journal.ts'
import { firstLease } from '../../../src/runtime/journal/store.ts'
import { calls, to } from '../../support/agents/agents.ts'

const refund = () =>
  createTool({
    id: 'refund',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })

const another = (id: string): AnyAgent => createAgent({ id, model: scriptedModel([], { otherwise: 'No.' }) })

/** A desk whose clerk waits for an approval, in a store that its process has left. */
async function waiting(store: Store = memoryStore()): Promise<{ store: Store; runId: string }> {
  const clerk = createAgent({
    id: 'clerk',
    description: 'Clerk.',
    model: scriptedModel([calls({ name: 'refund' }), 'Done.']),
    tools: { refund: refund() },
  })
  const desk = createSupervisor({
    id: 'desk',
    model: scriptedModel([calls(to('clerk', 'x')), 'End.']),
    agents: { clerk },
  })
  const troupe = createTroupe({ agents: [desk], store })
  const run = await troupe.start(desk, 'x')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await troupe.close()
  return { store, runId: run.id }
}

async function ended(agents: readonly AnyAgent[]) {
  const { store, runId } = await waiting()
  const troupe = createTroupe({ agents, store })
  await troupe.cancel(runId, 'gone', { force: true })
  return { troupe, store, runId, journal: await troupe.journal(runId) }
}

async function read(watch: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of watch) events.push(event)
  return events
}

const readers: readonly (readonly [string, readonly AnyAgent[], number])[] = [
  ['agents of another pattern', [another('desk')], 3],
  ['no agents of the run', [another('else')], 1],
]

describe.each(readers)('a reader with %s', (_name, agents, least) => {
  test('has a trail of all entries, and the forced end with its reason', async () => {
    const { troupe, runId, journal } = await ended(agents)
    const trail = await troupe.trail(runId)
    expect(trail.entries.map(({ entry, recorded }) => [entry, recorded])).toEqual([...journal.entries()])
    const last = trail.entries.at(-1)
    expect(last?.events).toMatchObject([
      { type: 'run-finish', final: true, payload: { reason: 'gone', forced: true } },
    ])
    expect(trail.entries.filter(({ events }) => events.length > 0).length).toBeGreaterThanOrEqual(2)
    expect(trail.length).toBe(journal.length)
    expect(() => trail.view(journal.length)).not.toThrow()
    expect(() => trail.view(journal.length + 1)).toThrow('view: entries')
  })

  test('has the same trail in parts', async () => {
    const { troupe, runId, journal } = await ended(agents)
    const whole = await troupe.trail(runId)
    let part = await troupe.trail(runId, { limit: 2 })
    expect(part.length).toBe(2)
    while (part.length < journal.length) part = await part.more()
    expect(part.entries).toEqual(whole.entries)
    expect(part.diverged).toEqual(whole.diverged)
    expect((await part.more()).length).toBe(journal.length)
  })

  test('has the events up to the end by a watch, a replay and the history, with the same cursors', async () => {
    const { troupe, runId, journal } = await ended(agents)
    const watch = troupe.watch(runId)
    await watch.ready
    const events = await read(watch)
    expect(events[0]).toMatchObject({ type: 'run-start', payload: { task: 'x' } })
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, payload: { reason: 'gone' } })
    const replay = await troupe.replay(runId)
    expect(replay).toMatchObject({
      entries: journal.length,
      result: { outcome: 'cancelled', reason: 'gone' },
    })
    expect(replay.events.map(({ cursor }) => cursor)).toEqual(events.map(({ cursor }) => cursor))
    const trail = await troupe.trail(runId)
    expect(trail.entries.flatMap((entry) => entry.events).map(({ cursor }) => cursor)).toEqual(
      events.map(({ cursor }) => cursor),
    )
    const cursor = events[0]?.cursor
    const rest = await read(troupe.watch(runId, cursor === undefined ? {} : { after: cursor }))
    expect(rest).toEqual(events.slice(1))
    expect(await troupe.history(runId)).toHaveLength(journal.length)
    expect(events.length).toBeGreaterThan(least)
  })
})

test('a trail with edited agents names the first difference, and ends as it was replayed', async () => {
  const { troupe, runId, journal } = await ended([another('desk')])
  const { diverged, entries, view } = await troupe.trail(runId)
  expect(diverged?.entry).toBeGreaterThan(0)
  expect(entries.at(-2)).toMatchObject({ transitions: [], events: [] })
  expect(view(journal.length - 1)).toMatchObject([{ path: 'desk' }])
  expect((await troupe.replay(runId)).diverged).toEqual(diverged)
})

test('a run of another release is ended, read and deleted', async () => {
  const { store, runId } = await waiting()
  const [started, ...rest] = (await store.read(runId)) ?? []
  if (started?.type !== 'run.started') throw new Error('There is no run.')
  const old = memoryStore()
  const entries: JournalEntry[] = [{ ...started, protocol: 1 }, ...rest]
  const lease = { ...firstLease(runId), expiresAt: 0 }
  await old.append(entries.map((entry) => ({ runId, entry, lease })))
  const troupe = createTroupe({ agents: [another('desk')], store: old })
  await expect(troupe.trail(runId)).rejects.toThrow('force: true')
  await troupe.cancel(runId, 'old', { force: true })
  const events = await read(troupe.watch(runId))
  expect(events.map(({ type }) => type)).toEqual(['run-start', 'run-finish'])
  expect((await troupe.trail(runId)).entries.at(-1)?.events).toMatchObject([{ payload: { reason: 'old' } }])
  expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'cancelled', reason: 'old' })
  await troupe.delete(runId)
})

describe('a deletion by force', () => {
  test('ends a run that cannot go on, and deletes it', async () => {
    const { store, runId } = await waiting()
    const troupe = createTroupe({ agents: [another('desk')], store })
    await expect(troupe.delete(runId)).rejects.toThrow('troupe.delete(runId, { force: true })')
    await troupe.delete(runId, { force: true })
    await expect(troupe.journal(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(troupe.delete(runId, { force: true })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect((await troupe.awaiting()).items).toEqual([])
  })

  test('deletes a run that has ended', async () => {
    const { troupe, runId } = await ended([another('desk')])
    await troupe.delete(runId, { force: true })
    expect((await troupe.runs()).items).toEqual([])
  })

  test('takes no run that a process works on', async () => {
    const store = memoryStore()
    const agent = createAgent({
      id: 'clerk',
      model: scriptedModel([calls({ name: 'refund' }), 'Done.']),
      tools: { refund: refund() },
    })
    const owner = createTroupe({ agents: [agent], store, passivateAfter: Number.POSITIVE_INFINITY })
    const run = await owner.start(agent, 'x')
    await run.whenIdle
    await expect(owner.delete(run.id, { force: true })).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' })
    const other = createTroupe({ agents: [another('clerk')], store })
    await expect(other.delete(run.id, { force: true })).rejects.toMatchObject({ code: 'RUN_OWNED' })
    await owner.cancel(run.id)
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })

  test('refuses a wrong option', async () => {
    const { troupe, runId } = await ended([another('desk')])
    await expect(troupe.delete(runId, { forced: true } as object)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})

/** An outer run whose tool waits for the run of a clerk, which waits for an approval; their process has gone. */
async function nested() {
  const store = memoryStore()
  const clerk = createAgent({
    id: 'clerk',
    model: scriptedModel([calls({ name: 'refund' })], { otherwise: 'Done.' }),
    tools: { refund: refund() },
  })
  const outer = createAgent({
    id: 'outer',
    model: scriptedModel([calls({ name: 'nest' })], { otherwise: 'Done.' }),
    tools: {
      nest: createTool({
        id: 'nest',
        description: 'Begins a run.',
        inputSchema: z.object({}),
        execute: async (_, { start }: ToolExecution) => (await start(clerk, 'Write')).text,
      }),
    },
  })
  const first = createTroupe({ agents: [outer, clerk], store })
  const run = await first.start(outer, 'x')
  await expect.poll(async () => (await first.awaiting()).items.length).toBe(1)
  await first.close()
  const [question] = (await store.list('questions', {})).items
  return { store, clerk, outerId: run.id, innerId: question?.runId ?? '' }
}

describe('the runs within the calls of a run that is ended by force', () => {
  test('are cancelled where they can go on', async () => {
    const { store, clerk, outerId, innerId } = await nested()
    const troupe = createTroupe({ agents: [another('outer'), clerk], store })
    await troupe.cancel(outerId, 'gone', { force: true })
    const inner = await troupe.journal(innerId)
    expect(inner).toContainEqual(
      expect.objectContaining({ signal: expect.objectContaining({ type: 'cancel' }) as object }),
    )
    expect(await (await troupe.resume(innerId)).result).toMatchObject({ outcome: 'cancelled' })
    expect(inner.some(({ type }) => type === 'run.settled')).toBe(true)
    expect(inner.find(({ type }) => type === 'run.settled')).not.toHaveProperty('forced')
    const end = (await troupe.journal(outerId)).at(-1)
    expect(end).toMatchObject({ forced: true, left: [{ kind: 'tool', path: 'outer/call:1.1' }] })
    await troupe.close()
  })

  test('are ended by force where they cannot go on either, also by a second call', async () => {
    const { store, outerId, innerId } = await nested()
    const troupe = createTroupe({ agents: [another('outer')], store })
    await troupe.cancel(outerId, 'gone', { force: true })
    await troupe.cancel(outerId, 'gone', { force: true })
    expect((await troupe.journal(innerId)).at(-1)).toMatchObject({ type: 'run.settled', forced: true })
    expect((await troupe.awaiting()).items).toEqual([])
    await troupe.close()
  })

  test('are left where the run had no call under way: other runs of the store stay', async () => {
    const { store, clerk, innerId } = await nested()
    const { runId } = await waiting(store)
    const troupe = createTroupe({ agents: [another('desk'), another('outer'), clerk], store })
    await troupe.cancel(runId, 'gone', { force: true })
    expect((await troupe.awaiting()).items.map((question) => question.runId)).toEqual([innerId])
    await troupe.close()
  })
})

describe('the work that a journal has no end of', () => {
  const at = 1
  const digest = 'd'
  const task = { id: 't', contextId: 'c' }
  const begins = (key: string, kind: 'remote' | 'tool'): JournalEntry => ({
    type: 'effect.started',
    at,
    key,
    kind,
    digest,
  })
  const settles = (key: string, value: object, kind: 'remote' | 'tool' = 'remote'): JournalEntry =>
    ({ type: 'effect.settled', at, key, kind, digest, startedAt: at, settlement: { value } }) as JournalEntry
  const send = 'desk/remote:send#1'

  test.each<[string, readonly JournalEntry[], readonly object[]]>([
    ['a message without a reply', [begins(send, 'remote')], [{ kind: 'remote', path: 'desk', key: send }]],
    [
      'a task',
      [begins(send, 'remote'), settles(send, { type: 'begun', task })],
      [{ kind: 'remote', path: 'desk', key: send, task }],
    ],
    [
      'a task that was answered a question',
      [
        begins(send, 'remote'),
        settles(send, { type: 'begun', task }),
        begins('desk/remote:send#2', 'remote'),
      ],
      [{ kind: 'remote', path: 'desk', key: send, task }],
    ],
    ['an answer at once', [begins(send, 'remote'), settles(send, { type: 'answered', text: '' })], []],
    [
      'a task that has ended',
      [settles(send, { type: 'begun', task }), settles('desk/remote:follow#1', { type: 'ended' })],
      [],
    ],
    [
      'a task that was cancelled',
      [settles(send, { type: 'begun', task }), settles('desk/remote:cancel#1', { type: 'cancelled' })],
      [],
    ],
    [
      'a task at work',
      [settles(send, { type: 'begun', task }), settles('desk/remote:follow#1', { type: 'working' })],
      [{ task }],
    ],
    ['a call', [begins('desk/call:1.1/tool:x#1', 'tool')], [{ kind: 'tool', path: 'desk/call:1.1' }]],
    ['a call with an outcome', [begins('k#1', 'tool'), settles('k#1', { value: 1 }, 'tool')], []],
  ])('%s', (_name, journal, left) => {
    expect(leftWork(journal)).toMatchObject(left)
    expect(leftWork(journal)).toHaveLength(left.length)
  })

  test('a fork has made none of the calls that it shares', () => {
    const started = { type: 'run.started', forkedFrom: { runId: 'r', at: 2 } } as JournalEntry
    const shared = begins('a/call:1.1/tool#1', 'tool')
    const own = begins('a/call:1.2/tool#1', 'tool')
    expect(leftWork([started, shared, own])).toMatchObject([{ path: 'a/call:1.2' }])
  })
})
