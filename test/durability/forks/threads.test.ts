/**
 * Forks in threads, at every entry: live threads stay as they are, each agent of a fork recalls what the agent of its run did,
 * and the fork has the whole conversation in a thread of its own (langgraph#4987).
 */
import { PGlite } from '@electric-sql/pglite'
import {
  createTroupe,
  memoryStore,
  textOf,
  type JournalEntry,
  type TroupeMemory,
  type Run,
  type Store,
  type Troupe,
} from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import type { ScriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hastyClock } from '../crashes/crash-sweep.ts'

type Memory = Pick<TroupeMemory, 'threads' | 'messages'>

/** A desk whose helper goes on with a thread of a name, and then has one of its own, in each turn. */
function desk(resourceId: string | undefined) {
  const helper = worker('helper', [], {
    otherwise: ({ messages }) => `Help ${messages.filter(({ role }) => role === 'user').length}.`,
    memory: true,
  })
  const boss = lead('boss', [], {
    otherwise: ({ messages }) => {
      const helped = messages.filter(({ role }) => role === 'tool').length
      if (helped === 0) return calls(to('helper', 'Look', { threadId: 'notes' }))
      return helped === 1 ? calls(to('helper', 'Look anew')) : `Done after ${messages.length}.`
    },
    agents: { helper: helper.agent },
    delegation: { includeSubAgentToolResultsInModelContext: true },
    memory: true,
  })
  const ids = resourceId === undefined ? {} : { resourceId }
  return { agents: [boss.agent], boss, models: [boss.model, helper.model], ids }
}

function countsOf(models: readonly ScriptedModel[]): number[] {
  return models.map(({ calls: made }) => made.length)
}

/** What each model was shown in the calls since then. */
function shownSince(models: readonly ScriptedModel[], counts: readonly number[]): string[][] {
  return models.map(({ calls: made }, index) =>
    made
      .slice(counts[index])
      .map(({ request }) => JSON.stringify(request.messages).replaceAll(/scripted-\d+/g, 'call')),
  )
}

async function contentsOf(memory: Memory): Promise<Record<string, readonly string[]>> {
  const threads = await memory.threads()
  const contents = threads.map(async ({ id }) => [id, await textsOf(memory, id)] as const)
  return Object.fromEntries(await Promise.all(contents))
}

async function textsOf(memory: Memory, threadId: string): Promise<string[]> {
  return (await memory.messages(threadId)).map(({ role, content }) => `${role}: ${textOf(content)}`)
}

interface Turn {
  readonly runId: string
  readonly journal: readonly JournalEntry[]
  /** What each model was shown. */
  readonly shown: readonly (readonly string[])[]
  /** The thread after the turn. */
  readonly conversation: readonly string[]
}

async function conversationOn(store: Store, resourceId: string | undefined) {
  const { agents, boss, models, ids } = desk(resourceId)
  const clock = hastyClock(1_000)
  const troupe = createTroupe({ agents, store, clock })
  const turns: Turn[] = []
  for (const task of ['One', 'Two', 'Three']) {
    const counts = countsOf(models)
    const run = await troupe.start(boss.agent, task, { threadId: 'live', ...ids })
    expect(await run.result).toMatchObject({ outcome: 'completed', threadId: 'live' })
    turns.push({
      runId: run.id,
      journal: await troupe.journal(run.id),
      shown: shownSince(models, counts),
      conversation: await textsOf(troupe.memory, 'live'),
    })
    const said = { id: `app-${task}`, role: 'user', content: `Noted ${task}.`, at: clock.now() } as const
    await troupe.memory.save('live', [said], resourceId)
  }
  return { troupe, models, turns, boss, ids }
}

function lastOf(journal: readonly JournalEntry[]): number {
  return journal.findIndex(({ type }) => type === 'run.settled')
}

/** Forks the run there; returns the fork at its end, and what its models were shown. */
async function forkAt(troupe: Troupe, models: readonly ScriptedModel[], runId: string, at: number) {
  const counts = countsOf(models)
  const fork = await troupe.fork(runId, { at })
  const result = await fork.result
  return { fork, result, shown: shownSince(models, counts) }
}

const database = new PGlite()
const folder = temporaryFolder()
beforeAll(() => database.waitReady)
afterAll(async () => {
  await database.close()
  folder[Symbol.dispose]()
})

let opened = 0
const stores: Readonly<Record<string, () => Store & { close?(): Promise<void> }>> = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(folder.file(`forks-${++opened}.db`)),
  postgres: () => postgresStore({ pool: pglitePool(database), schema: `forks_${++opened}` }),
}

describe.each(Object.entries(stores))('a fork on the %s store', (name, open) => {
  test.each([['ann'], [undefined]])('at every entry of a turn, resource %s', async (resourceId) => {
    const store = open()
    const { troupe, models, turns, boss, ids } = await conversationOn(store, resourceId)
    const live = await contentsOf(troupe.memory)
    // A Postgres in this process is slow: the turn in the middle, which has turns before it and after it, is enough there.
    for (const turn of name === 'postgres' ? turns.slice(1, 2) : turns) {
      for (let at = 1; at <= lastOf(turn.journal); at++) {
        const { fork, result, shown } = await forkAt(troupe, models, turn.runId, at)
        expect(result.outcome).toBe('completed')
        // What its agents recalled is what the agents of the run had recalled.
        shown.forEach((own, index) => {
          expect(own).toEqual(turn.shown[index]?.slice(turn.shown[index].length - own.length))
        })
        expect(await textsOf(troupe.memory, result.threadId ?? '')).toEqual(turn.conversation)
        expect(await contentsOf(troupe.memory)).toMatchObject(live)
        const own = await troupe.memory.thread(result.threadId ?? '')
        expect(own).toMatchObject(resourceId === undefined ? { id: result.threadId } : { resourceId })
        expect(
          (await troupe.runs({ threadId: result.threadId ?? '' })).items.map(({ runId }) => runId),
        ).toEqual([fork.id])
        expect((await troupe.replay(fork.id)).result).toEqual(result)
      }
    }
    // The conversation goes on in the thread of a fork, and the live one as if there were none.
    const middle = turns[1] as Turn
    const { result } = await forkAt(troupe, models, middle.runId, 2)
    const counts = countsOf(models)
    await (
      await troupe.start(boss.agent, 'Three', { threadId: result.threadId as string, ...ids })
    ).result
    expect(shownSince(models, counts)[0]?.[0]).not.toContain('Noted Two')
    expect((await contentsOf(troupe.memory))['live']).toEqual(live['live'])
    await troupe.close()
    await store.close?.()
  })
})

test('a fork of a fork, at every entry of both', async () => {
  const { troupe, models, turns } = await conversationOn(memoryStore(), 'ann')
  const turn = turns[1] as Turn
  for (let first = 1; first <= lastOf(turn.journal); first++) {
    const { fork } = await forkAt(troupe, models, turn.runId, first)
    const live = await contentsOf(troupe.memory)
    const last = lastOf(await troupe.journal(fork.id))
    for (let at = 1; at <= last; at++) {
      const { result, shown } = await forkAt(troupe, models, fork.id, at)
      shown.forEach((own, index) => {
        expect(own).toEqual(turn.shown[index]?.slice(turn.shown[index].length - own.length))
      })
      expect(await textsOf(troupe.memory, result.threadId ?? '')).toEqual(turn.conversation)
      expect(await contentsOf(troupe.memory)).toMatchObject(live)
    }
  }
})

test('a fork goes on in another process, in its own threads', async () => {
  const store = memoryStore()
  const { troupe, models, turns } = await conversationOn(store, 'ann')
  const turn = turns[0] as Turn
  await troupe.close()
  const { agents, models: others } = desk('ann')
  const elsewhere = createTroupe({ agents, store, clock: hastyClock(10_000) })
  const live = await contentsOf(elsewhere.memory)
  const { result, shown } = await forkAt(elsewhere, others, turn.runId, 2)
  expect(shown[0]).toEqual(turn.shown[0])
  expect(await textsOf(elsewhere.memory, result.threadId ?? '')).toEqual(turn.conversation)
  expect(await contentsOf(elsewhere.memory)).toMatchObject(live)
  expect(countsOf(models)).toEqual([9, 6])
})

test('a fork that is given a thread goes on in it as it stands', async () => {
  const { troupe, models, turns } = await conversationOn(memoryStore(), 'ann')
  const before = await textsOf(troupe.memory, 'live')
  const counts = countsOf(models)
  const fork = await troupe.fork(turns[0]?.runId ?? '', { at: 1 }, { threadId: 'live' })
  expect(await fork.result).toMatchObject({ outcome: 'completed', threadId: 'live' })
  expect(shownSince(models, counts)[0]?.[0]).toContain('Noted Three.')
  expect((await textsOf(troupe.memory, 'live')).slice(0, before.length)).toEqual(before)
  expect(await textsOf(troupe.memory, 'live')).toHaveLength(before.length + 2)
})

test('the threads of subagents are told as the store knows them', async () => {
  const { troupe, turns } = await conversationOn(memoryStore(), undefined)
  const fork: Run = await troupe.fork(turns[0]?.runId ?? '', { at: 1 })
  const { delegations, threadId } = await fork.result
  const told: string[] = []
  for await (const event of fork.events)
    if (event.type === 'delegation-start') told.push(event.payload.threadId)
  expect(delegations.map((delegation) => delegation.threadId)).toEqual(told)
  for (const id of told) {
    expect(id).toContain(encodeURIComponent(threadId ?? ''))
    expect(await troupe.memory.messages(id)).toHaveLength(2)
  }
})

test('a thread that was taken by another resource stays closed to a fork', async () => {
  const store = memoryStore()
  const { troupe, turns } = await conversationOn(store, 'ann')
  await troupe.memory.deleteThread('live')
  await troupe.memory.save('live', [{ id: 'm', role: 'user', content: 'Mine.', at: 1 }], 'bob')
  await expect(troupe.fork(turns[0]?.runId ?? '', { at: 1 })).rejects.toMatchObject({
    code: 'THREAD_OF_ANOTHER_RESOURCE',
  })
})
