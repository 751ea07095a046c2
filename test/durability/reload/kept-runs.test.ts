/** Behaviour 100: what the newer troupe cannot go on with, and what was not loaded again, stays with the troupe that performs it. */
import {
  createTool,
  createTroupe,
  memoryStore,
  TroupeError,
  type AnyAgent,
  type Store,
  type TroupeConfig,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, lead, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { suspendedBy } from '../processes.ts'

const hour = 3_600_000
const inputSchema = z.object({})

/** The store, where `before` comes before each call of this method. */
function storeWith(store: Store, method: keyof Store, before: () => Promise<void> | undefined): Store {
  return new Proxy(store, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name)
      if (typeof part !== 'function') return part
      if (name !== method) return part.bind(target) as unknown
      return async (...given: unknown[]): Promise<unknown> => {
        await before()
        return Reflect.apply(part, target, given)
      }
    },
  })
}

/** A tool that ends when its gate opens. */
function gated(id = 'look') {
  const gate = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const tool = createTool({
    id,
    description: 'Looks.',
    inputSchema,
    execute: (_input, { signal }) => {
      signals.push(signal)
      begun.resolve()
      return gate.promise
    },
  })
  return { tool, begun: begun.promise, open: () => gate.resolve('seen'), signals }
}

function clerk(name: string, options: Parameters<typeof worker>[2] = {}) {
  return worker('clerk', [], {
    instructions: `Edition ${name}.`,
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? `Seen by ${name}.` : calls({ name: 'look' }),
    ...options,
  }).agent
}

function troupeOn(store: Store, agent: AnyAgent | readonly AnyAgent[], more: Partial<TroupeConfig> = {}) {
  return createTroupe({
    agents: Array.isArray(agent) ? agent : [agent as AnyAgent],
    store,
    hotReload: true,
    leaseTtl: hour,
    pollInterval: 5,
    passivateAfter: Number.POSITIVE_INFINITY,
    onError: (problem) => expect.fail(problem.message),
    ...more,
  })
}

afterEach(() => vi.unstubAllEnvs())

/** Editions that cannot go on with a run of the first one. */
const editions = {
  'another version': () => ({ agent: clerk('B', { tools: { look: gated().tool }, version: '2' }), more: {} }),
  'a troupe that refuses edits': () => ({
    agent: clerk('B', { tools: { look: gated().tool }, version: '1' }),
    more: { onDrift: 'refuse' as const },
  }),
  'an agent that refuses edits': () => ({
    agent: clerk('B', { tools: { look: gated().tool }, onDrift: 'refuse', version: '1' }),
    more: {},
  }),
  'another pattern of the same id': () => ({
    agent: lead('clerk', [], {
      agents: { other: worker('other', []).agent },
      tools: { look: gated().tool },
      version: '1',
    }).agent,
    more: {},
  }),
  'an agent without the tool': () => ({
    agent: clerk('B', { tools: { other: gated('other').tool }, version: '1' }),
    more: {},
  }),
}

type Edition = keyof typeof editions

describe('a run that the newer troupe cannot go on with', () => {
  const schedule = fc.record({
    edition: fc.constantFrom<Edition>(...(Object.keys(editions) as Edition[])),
    passes: fc.array(fc.constantFrom('recover', 'resume', 'pause'), { minLength: 1, maxLength: 5 }),
  })

  test('is performed by the older one to its end, each call once', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async ({ edition, passes }) => {
        const store = memoryStore()
        const { tool, begun, open, signals } = gated()
        const agent = clerk('A', { tools: { look: tool }, version: '1' })
        const older = troupeOn(store, agent)
        const run = await older.start(agent, 'Go')
        await begun
        const made = editions[edition]()
        const newer = troupeOn(store, made.agent, made.more)
        for (const pass of passes) {
          if (pass === 'recover')
            expect(await newer.recover()).toMatchObject({ runs: [], owned: [run.id], refused: [] })
          else if (pass === 'resume')
            await expect(newer.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
          else await sleep(3)
        }
        open()
        expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Seen by A.' })
        expect(signals.map(({ aborted }) => aborted)).toEqual([false])
        await newer.close()
        await older.close()
      }),
      { numRuns: 25 },
    )
  })

  test('has functions of its caller: whoever gives them takes it over', async () => {
    const store = memoryStore()
    const agent = clerk('A', { tools: { look: holding() } })
    const older = troupeOn(store, agent)
    const onStepFinish = vi.fn<() => void>()
    const run = await older.start(agent, 'Go', { onStepFinish })
    const result = run.result
    const [question] = (await suspendedBy(run)).awaiting
    const newer = troupeOn(store, clerk('B', { tools: { look: holding() } }))
    expect((await newer.recover()).owned).toEqual([run.id])
    const taken = await newer.resume(run.id, { onStepFinish })
    await taken.approve(question?.toolCallId ?? '')
    expect(await result).toMatchObject({ text: 'Seen by B.' })
    await newer.close()
    await older.close()
  })

  test('goes back to the older troupe, where the newer one finds that out once it has it', async () => {
    const store = memoryStore()
    const agent = clerk('A', { tools: { look: holding() } })
    const older = troupeOn(store, agent)
    const run = await older.start(agent, 'Go')
    const result = run.result
    const [question] = (await suspendedBy(run)).awaiting
    let reads = 0
    const sealed = storeWith(store, 'read', () => {
      if (++reads > 2) throw new TroupeError('SEAL_KEY_MISSING', 'The key is gone.', { runId: run.id })
    })
    const newer = troupeOn(sealed, clerk('B', { tools: { look: holding() } }))
    await expect(newer.resume(run.id)).rejects.toMatchObject({ code: 'SEAL_KEY_MISSING' })
    expect(reads).toBe(3) // for the claim, for the proof, and with the lease
    await expect(newer.resume(run.id)).rejects.toMatchObject({ code: 'SEAL_KEY_MISSING' })
    await older.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
    expect(await result).toMatchObject({ outcome: 'completed', text: 'Seen by A.' })
    await newer.close()
    await older.close()
  })
})

function holding() {
  return createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema,
    requireApproval: true,
    execute: () => 'seen',
  })
}

describe('troupes that were not loaded again', () => {
  const shared = {
    'that share an agent': { newer: (agent: AnyAgent) => agent, more: { hotReload: true } },
    'without the option, in development': {
      newer: (_: AnyAgent) => clerk('B', { tools: { look: gated().tool } }),
      more: {},
    },
  }

  test.each(Object.entries(shared))('%s take nothing from each other', async (_name, { newer, more }) => {
    vi.stubEnv('NODE_ENV', 'development')
    const store = memoryStore()
    const { tool, begun, open, signals } = gated()
    const agent = clerk('A', { tools: { look: tool } })
    const [web, background] = [agent, newer(agent)].map((one) =>
      createTroupe({
        agents: [one],
        store,
        leaseTtl: hour,
        onError: ({ message }) => expect.fail(message),
        ...more,
      }),
    )
    const run = await web?.start(agent, 'Go')
    await begun
    expect((await background?.recover())?.owned).toEqual([run?.id])
    open()
    expect(await run?.result).toMatchObject({ text: 'Seen by A.' })
    expect(signals).toHaveLength(1)
    await background?.close()
    await web?.close()
  })
})

describe('an older troupe that has failed', () => {
  test('by its store, which is closed: its run is an owned one, and no rejection is left over', async () => {
    using folder = temporaryFolder()
    const stores = [sqliteStore(folder.file('runs.db')), sqliteStore(folder.file('runs.db'))] as const
    const { tool, begun, open } = gated()
    const agent = clerk('A', { tools: { look: tool } })
    const older = troupeOn(stores[0], agent, { onError: () => undefined })
    const run = await older.start(agent, 'Go')
    const lost = rejection(run.result)
    await begun
    await stores[0].close()
    const newer = troupeOn(stores[1], clerk('B', { tools: { look: gated().tool } }))
    expect(await newer.recover()).toMatchObject({ owned: [run.id], refused: [] })
    await expect(newer.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
    open()
    expect(await lost).toMatchObject({ name: 'StoreError' })
    await newer.close()
    await older.close().catch((error: unknown) => expect(error).toMatchObject({ name: 'StoreError' }))
  })

  test('since it is closed while it drains: the newer one goes on', async () => {
    const inner = memoryStore()
    const asked = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    /** The store of the older troupe: once it drains, it answers no list before it is closed. */
    const late = storeWith(inner, 'list', () => {
      if (older.phase === 'open') return undefined
      asked.resolve()
      return closed.promise
    })
    const { tool, begun } = gated()
    const agent = clerk('A', { tools: { look: tool } })
    const older = troupeOn(late, agent, { onError: () => undefined })
    const run = await older.start(agent, 'Go')
    const lost = rejection(run.result)
    await begun
    const next = gated()
    next.open()
    const newer = troupeOn(inner, clerk('B', { tools: { look: next.tool } }))
    const draining = older.drain()
    const resuming = newer.resume(run.id)
    await asked.promise
    await older.close()
    closed.resolve()
    await draining
    expect(await (await resuming).result).toMatchObject({ text: 'Seen by B.' })
    await lost
    await newer.close()
  })
})
