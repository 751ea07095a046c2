/**
 * Runs within runs, cut at every point: after a crash, a broken store or a close the outer run and those that its tool and its
 * workflow began go on, each once, and all ends as if nothing had happened.
 */
import fc from 'fast-check'
import {
  createAgent,
  createSupervisor,
  createTool,
  createWorkflow,
  memoryStore,
  type AnyAgent,
  type ChatModel,
  type JournalEntry,
  type Store,
  type Troupe,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { assign, setup, type AnyActorLogic } from 'xstate'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hastyClock } from './crash-sweep.ts'
import { MortalWorld, type Ending } from './mortal-world.ts'

/** The runs that the tool begins, those of a group at once; the workflow begins one more. */
type Shape = readonly (readonly string[])[]

interface Process {
  readonly troupe: Troupe
  readonly outer: AnyAgent
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** Speaks by what stands in the conversation, so that a new process goes on where the old one was. */
function speaking(world: MortalWorld, id: string, steps: readonly (string | readonly string[])[]): ChatModel {
  return {
    provider: 'test',
    modelId: id,
    generate: ({ messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const task = messages.find(({ role }) => role === 'user')?.content
      const step = steps[Math.min(turn, steps.length - 1)] ?? []
      const reply =
        typeof step === 'string'
          ? { text: `${step} ${JSON.stringify(task)}`, toolCalls: [], finishReason: 'stop' as const, usage }
          : {
              text: '',
              toolCalls: step.map((name, index) => ({ id: `${turn}.${index}`, name, args: {} })),
              finishReason: 'tool-calls' as const,
              usage,
            }
      return world.effect(`model ${id} ${JSON.stringify(task)} ${turn}`, () => reply)
    },
  }
}

/** Logic that is known once the troupe is. */
function later(logicOf: () => AnyActorLogic): AnyActorLogic {
  let made: AnyActorLogic | undefined
  const logic = (): AnyActorLogic => (made ??= logicOf())
  return {
    getInitialSnapshot: (...args) => logic().getInitialSnapshot(...args) as never,
    start: (...args) => logic().start?.(...args),
    transition: (...args) => logic().transition(...args) as never,
    getPersistedSnapshot: (...args) => logic().getPersistedSnapshot(...args),
  }
}

function processOf(world: MortalWorld, store: Store, shape: Shape, started: number): Process {
  const note = createTool({
    id: 'note',
    description: 'Notes.',
    inputSchema: z.object({}),
    execute: () => 'noted',
  })
  const inner = createAgent({
    id: 'inner',
    description: 'Writes.',
    model: speaking(world, 'inner', [['note'], 'Written:']),
    tools: { note },
  })
  const nest = createTool({
    id: 'nest',
    description: 'Begins runs.',
    inputSchema: z.object({}),
    maxInterruptions: 1_000,
    async execute(_, { start }) {
      const texts: string[] = []
      for (const group of shape) {
        const ends = await Promise.all(group.map((name) => start(inner, name, { name })))
        texts.push(...ends.map(({ text }) => text))
      }
      return texts
    },
  })
  const flow = createWorkflow({
    id: 'flow',
    description: 'Begins a run.',
    inputSchema: z.object({}),
    maxInterruptions: 1_000,
    logic: setup({
      types: { context: {} as { text: string }, output: {} as { text: string } },
      actors: { inner: later(() => troupe.logic(inner)) },
    }).createMachine({
      context: { text: '' },
      output: ({ context }) => context,
      initial: 'writing',
      states: {
        writing: {
          invoke: {
            src: 'inner',
            input: { prompt: 'Flow' },
            onDone: { target: 'done', actions: assign({ text: ({ event }) => String(event.output.text) }) },
          },
        },
        done: { type: 'final' },
      },
    }),
  })
  const outer = createSupervisor({
    id: 'outer',
    model: speaking(world, 'outer', [['nest', 'flow'], 'Done:']),
    tools: { nest },
    workflows: { flow },
  })
  const troupe = createTroupeIn(world.environment(), {
    agents: [outer, inner],
    store: world.store(store),
    clock: hastyClock(1_000 + 10_000 * started),
    passivateAfter: Number.POSITIVE_INFINITY,
    pollInterval: 5,
    onError: () => undefined,
  })
  world.close = () => troupe.close()
  return { troupe, outer }
}

async function journalsOf(store: Store): Promise<readonly (readonly JournalEntry[])[]> {
  const { items } = await store.list('runs', {})
  return Promise.all(items.map(async ({ runId }) => (await store.read(runId)) ?? []))
}

/** How often each model call has an outcome on record, in all journals. */
function settledCalls(journals: readonly (readonly JournalEntry[])[]): Record<string, number> {
  const names = journals.flatMap((journal) => {
    const [started] = journal
    if (started?.type !== 'run.started') return []
    const models = journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'model')
    return models.map((_, turn) => `model ${started.agent} ${JSON.stringify(started.task)} ${turn}`)
  })
  return counted(names)
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Starts the outer run, or goes on with all runs that there are. */
async function goOn({ troupe, outer }: Process): Promise<unknown> {
  const { refused, owned } = await troupe.recover()
  expect({ refused, owned }).toEqual({ refused: [], owned: [] })
  const known = (await troupe.runs({ agent: 'outer' })).items[0]
  const run = known === undefined ? await troupe.start(outer, 'Go') : await troupe.resume(known.runId)
  const { outcome, text, steps } = await run.result
  for (const { runId } of (await troupe.runs()).items) await (await troupe.resume(runId)).result
  const values = steps.flatMap(({ toolResults }) => toolResults.map((one) => 'value' in one && one.value))
  return { outcome, text, values }
}

interface Whole {
  readonly points: number
  readonly result: unknown
  readonly calls: Record<string, number>
  readonly runs: number
}

async function uncut(shape: Shape): Promise<Whole> {
  const store = memoryStore()
  const world = new MortalWorld()
  const here = processOf(world, store, shape, 0)
  const result = await goOn(here)
  await here.troupe.close()
  const journals = await journalsOf(store)
  return { points: world.points, result, calls: settledCalls(journals), runs: journals.length }
}

async function expectCut(
  shape: Shape,
  whole: Whole,
  points: readonly number[],
  { ending = 'vanishes', store = memoryStore() }: { ending?: Ending; store?: Store } = {},
): Promise<void> {
  let started = 0
  for (const point of [...points, Number.POSITIVE_INFINITY]) {
    const world = new MortalWorld(point, ending)
    const before = settledCalls(await journalsOf(store))
    const here = processOf(world, store, shape, started++)
    const going = goOn(here).catch((error: unknown) => {
      if (world.isDead) return undefined
      throw error
    })
    const finished = await Promise.race([going, world.died.then(() => undefined)])
    if (ending === 'closes') await going
    if (finished === undefined || world.isDead) {
      await world.died
      continue
    }
    const journals = await journalsOf(store)
    const after = settledCalls(journals)
    expect(finished).toEqual(whole.result)
    expect(journals).toHaveLength(whole.runs)
    expect(after).toEqual(whole.calls)
    // Nothing that was settled was done again, and nothing was done side by side.
    const added = Object.entries(after).filter(([name, count]) => count > (before[name] ?? 0))
    expect(counted(world.performed)).toEqual(
      Object.fromEntries(added.map(([name, count]) => [name, count - (before[name] ?? 0)])),
    )
    await here.troupe.close()
    return
  }
  throw new Error('No process lived to the end.')
}

const shape: Shape = [['A'], ['B', 'C']]

test('without a cut, the tool and the workflow have their runs', async () => {
  const whole = await uncut(shape)
  expect(whole.result).toMatchObject({
    outcome: 'completed',
    values: [['Written: "A"', 'Written: "B"', 'Written: "C"'], { text: 'Written: "Flow"' }],
  })
  expect(whole.runs).toBe(5)
})

describe.each(['vanishes', 'breaks', 'closes'] as const)('a process whose end is that it %s', (ending) => {
  test('at every point of runs within a run', async () => {
    const whole = await uncut(shape)
    const step = ending === 'breaks' ? 3 : 1
    for (let point = 1; point <= whole.points; point += step)
      await expectCut(shape, whole, [point], { ending })
  })
})

test('at some points, on SQLite', async () => {
  using folder = temporaryFolder()
  const whole = await uncut(shape)
  for (const ending of ['vanishes', 'closes'] as const) {
    for (let point = 3; point <= whole.points; point += 9) {
      const store = sqliteStore(folder.file(`${ending}-${point}.db`))
      await expectCut(shape, whole, [point], { ending, store })
      await store.close?.()
    }
  }
})

test('for any runs, and any row of ends', async () => {
  const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D'), { minLength: 1, maxLength: 4 })
  const shapes = names.chain((all) =>
    fc
      .array(fc.boolean(), { minLength: all.length, maxLength: all.length })
      .map((breaks) =>
        all.reduce<string[][]>(
          (groups, name, index) =>
            breaks[index] === true || groups.length === 0
              ? [...groups, [name]]
              : [...groups.slice(0, -1), [...(groups.at(-1) ?? []), name]],
          [],
        ),
      ),
  )
  const ends = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 })
  const endings = fc.constantFrom<Ending>('vanishes', 'breaks', 'closes')
  await fc.assert(
    fc.asyncProperty(shapes, ends, endings, async (any, points, ending) => {
      await expectCut(any, await uncut(any), points, { ending })
    }),
    { numRuns: 15 },
  )
})
