/** Routers and dispatchers replay to the same end, and go on elsewhere from wherever a process ended. */
import {
  createDispatcher,
  createRouter,
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type FinalResult,
  type JournalEntry,
  type Store,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { firstLease } from '../../../src/runtime/journal/store.ts'
import { allEvents } from '../../support/agents/agents.ts'
import { done, toAgent, toTool } from '../../support/agents/routing.ts'

/** Models that answer by what they are shown alone: so another process gets the same answers. */
function company() {
  const performed: string[] = []
  const model = (id: string, answer: (step: number, shown: string) => string) =>
    scriptedModel([], {
      modelId: id,
      otherwise: ({ messages }) => {
        performed.push(id)
        return answer(messages.filter(({ role }) => role === 'tool').length, JSON.stringify(messages))
      },
    })
  const price = createTool({
    id: 'price',
    description: 'Tells a price.',
    inputSchema: z.object({ item: z.string() }),
    execute: ({ item }) => {
      performed.push('price')
      return { item, price: 3 }
    },
  })
  const writer = createDispatcher({
    id: 'office',
    description: 'Finds somebody who writes.',
    instructions: 'Dispatch.',
    model: model('office', () => toAgent('b', '', 'B is free.')),
    agents: Object.fromEntries(
      ['a', 'b'].map((id) => [
        id,
        createRouter({
          id: `writer-${id}`,
          description: `Writes, ${id}.`,
          instructions: 'Write.',
          memory: true,
          model: model(`writer-${id}`, () => done('A lamp costs 3.')),
          tools: { price },
        }),
      ]),
    ),
  })
  const router = createRouter({
    id: 'desk',
    instructions: 'Route.',
    memory: true,
    model: model('desk', (step, shown) => {
      if (step === 0)
        return shown.includes('not a valid') ? toTool('price', { item: 'lamp' }) : 'The price first.'
      return step === 1 ? toAgent('office', 'Write: a lamp costs 3.') : done('')
    }),
    tools: { price },
    agents: { office: writer },
    completion: {
      scorers: [createScorer({ id: 'judge', score: ({ iteration }) => (iteration < 3 ? 0 : 1) })],
    },
    onIterationComplete: () => ({ continue: true }),
  })
  return { router, performed }
}

async function recorded(agent: AnyAgent, store: Store) {
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'What does a lamp cost?', { threadId: 't' })
  const result = await run.result
  return { troupe, run, result, journal: await troupe.journal(run.id), events: await allEvents(run) }
}

/** Only durations may differ between two processes. */
function timeless({ delegations, ...result }: FinalResult): object {
  return { ...result, delegations: delegations.map(({ duration: _duration, ...rest }) => rest) }
}

/** A store as a process left it that ended after `entries` entries. */
async function crashedAfter(
  journal: readonly JournalEntry[],
  runId: string,
  entries: number,
): Promise<Store> {
  const store = memoryStore()
  const lease = firstLease(runId, 'gone', 0)
  await store.append(journal.slice(0, entries).map((entry) => ({ runId, entry, lease })))
  return store
}

describe('a router over a tool and a dispatcher of routers', () => {
  test('comes to its end, with every decision checked', async () => {
    const { router } = company()
    const { result } = await recorded(router, memoryStore())
    expect(result).toMatchObject({ outcome: 'completed', text: 'A lamp costs 3.' })
    expect(result.steps.map(({ toolCalls }) => toolCalls.map(({ name }) => name))).toEqual([
      ['price'],
      ['agent-office'],
      [],
    ])
    expect(result.scores.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'passed'])
  })

  test('a replay performs nothing, and reproduces result and events', async () => {
    const { router, performed } = company()
    const { troupe, run, result, events } = await recorded(router, memoryStore())
    const before = performed.length
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events.filter(({ seq }) => seq !== undefined))
    expect(performed).toHaveLength(before)
  })

  test('after a crash at every entry, another process comes to the same result, and repeats nothing', async () => {
    const whole = await recorded(company().router, memoryStore())
    const settled = (journal: readonly JournalEntry[]) =>
      journal.flatMap((entry) => (entry.type === 'effect.settled' ? [entry.key] : []))
    // A tool that was at work when the process ended is in doubt, and runs again.
    const withoutTools = (keys: readonly string[]) => keys.filter((key) => !/tool#\d+$/.test(key)).toSorted()
    const expected = settled(whole.journal)
    for (let entries = 1; entries < whole.journal.length; entries++) {
      const { router, performed } = company()
      const store = await crashedAfter(whole.journal, whole.run.id, entries)
      const troupe = createTroupe({ agents: [router], store })
      const run = await troupe.resume(whole.run.id)
      expect(timeless(await run.result)).toEqual(timeless(whole.result))
      const journal = await troupe.journal(run.id)
      const keys = settled(journal)
      expect(new Set(keys).size).toBe(keys.length)
      expect(withoutTools(keys)).toEqual(withoutTools(expected))
      const models = journal
        .slice(entries)
        .filter((one) => one.type === 'effect.settled' && one.kind === 'model')
      expect(performed.filter((name) => name !== 'price')).toHaveLength(models.length)
      await troupe.close()
    }
    expect(whole.journal.length).toBeGreaterThan(15)
  })
})
