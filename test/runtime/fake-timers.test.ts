/** Runs under fake timers: what is order goes on, what is time stands still until the test moves it. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { afterEach, expect, test, vi } from 'vitest'
import { createAgent, createTool, createTroupe, memoryStore, type Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'fake-timers-'))
let files = 0

interface Opened {
  readonly store: Store
  readonly close: () => Promise<void>
}

function sqlite(worker: boolean): Opened {
  const store = sqliteStore(join(folder, `${files++}.db`), { worker })
  return { store, close: () => store.close() }
}

const stores: Readonly<Record<string, () => Opened>> = {
  memory: () => ({ store: memoryStore(), close: () => Promise.resolve() }),
  sqlite: () => sqlite(false),
  'sqlite in a thread': () => sqlite(true),
}

const all = [
  'Date',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'performance',
] as const

/** As the runners replace them by default, and as a whole. */
const fakes: Readonly<Record<string, () => void>> = {
  "Vitest's default": () => void vi.useFakeTimers(),
  "Jest's default": () => void vi.useFakeTimers({ toFake: [...all] }),
  "node:test's default": () =>
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] }),
}

afterEach(() => {
  vi.useRealTimers()
  mock.timers.reset()
})

const cases = Object.keys(fakes).flatMap((fake) => Object.keys(stores).map((store) => [fake, store] as const))

test.each(cases)('a run with a tool and a subrun ends under %s, on %s', async (fake, name) => {
  fakes[fake]?.()
  const open = stores[name]
  if (open === undefined) throw new Error('There is no such store.')
  const { store, close } = open()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: async () => 'seen',
  })
  const agent = createAgent({
    id: 'a',
    model: scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, 'Done.']),
    tools: { look },
  })
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go.')
  const types = new Set<string>()
  for await (const event of run.events) types.add(event.type)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(types).toContain('run-finish')
  const { events } = await troupe.replay(run.id)
  expect(events.length).toBeGreaterThan(3)
  await troupe.close()
  await close()
})

test.each(Object.keys(fakes))('generate of an agent alone ends under %s', async (fake) => {
  fakes[fake]?.()
  const agent = createAgent({ id: 'a', model: scriptedModel(['Hi.']) })
  expect(await agent.generate('Go.')).toMatchObject({ outcome: 'completed', text: 'Hi.' })
})

test('time follows the fake timers: a timeout of a tool fires when the test moves them', async () => {
  vi.useFakeTimers({ toFake: [...all] })
  const hang = createTool({
    id: 'hang',
    description: 'Hangs.',
    inputSchema: z.object({}),
    timeout: 60_000,
    execute: () => new Promise<string>(() => undefined),
  })
  const agent = createAgent({
    id: 'a',
    model: scriptedModel([{ toolCalls: [{ name: 'hang', args: {} }] }, 'Done.']),
    tools: { hang },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  const ended = run.result.then(({ steps }) => steps[0]?.toolResults[0]?.error?.code)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(run.actor.getSnapshot().status).toBe('active')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await ended).toBe('TOOL_TIMEOUT')
  await troupe.close()
})
