/** A run that outgrows the window of its model, cut before and after every append and every effect. */
import {
  createAgent,
  createTool,
  openai,
  type AnyAgent,
  type ChatModel,
  type CompactionOptions,
} from 'troupe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  pageOf,
  startWindowServer,
  toldFacts,
  type WindowServer,
} from '../../support/providers/window-server.ts'
import { patternTree } from '../../support/agents/pattern-tree.ts'
import { longPrompt, windowed } from '../../support/agents/windowed-model.ts'
import { expectCut, uncut } from './crash-sweep.ts'
import { withoutRun } from './hashed-company.ts'
import type { MortalWorld } from './mortal-world.ts'

const window = 3_000
const pages = 8

let server: WindowServer
beforeAll(async () => {
  server = await startWindowServer({ window, pages })
})
afterAll(() => server.close())

function reader(compaction: CompactionOptions, world: MortalWorld): AnyAgent {
  const real = openai('reader-1', { baseURL: server.url, apiKey: 'none' })
  const model: ChatModel = {
    provider: real.provider,
    modelId: real.modelId,
    generate: (request, options) => {
      const key = options.idempotencyKey.slice(options.idempotencyKey.indexOf('/') + 1)
      const kind = key.includes('/compaction:') ? 'compaction' : 'model'
      return world.effect(`${kind} ${key}`, () => real.generate(request, options))
    },
  }
  const turn = createTool({
    id: 'turn',
    description: 'Turns to a page.',
    inputSchema: z.object({ page: z.number() }),
    execute: ({ page }, { idempotencyKey }) =>
      world.effect(`tool ${idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)}`, () => pageOf(page, 500)),
  })
  return createAgent({
    id: 'reader',
    instructions: 'Read the book.',
    model,
    tools: { turn },
    maxSteps: pages + 2,
    compaction,
  })
}

describe.each([
  ['by its estimate', { window }],
  ['by the refusals of the server', { window: 1_000_000 }],
])('a run that is made shorter %s', (_, compaction) => {
  const company = (world: MortalWorld) => reader(compaction, world)

  test('is cut at every point, and nothing that was settled is done again', async () => {
    const whole = await uncut(company)
    const facts = toldFacts(Array.from({ length: pages }, (__, index) => index + 1))
    expect(whole.result).toMatchObject({ outcome: 'completed', text: facts })
    const summaries = Object.keys(whole.counts).filter((name) => name.startsWith('compaction '))
    expect(summaries.length).toBeGreaterThan(1)
    for (let point = 1; point <= whole.points; point++) await expectCut(company, whole, [point])
  })
})

const seen = (effect: string): boolean => effect.startsWith('model ') || effect.startsWith('tool ')

/** The first call of each is a decision. */
describe.each(['router', 'plan-then-execute', 'fan-out', 'dispatch'] as const)('%s', (pattern) => {
  test.each([
    ['by its estimate', 4_000],
    ['by the refusals of the server', 1_000_000],
  ])('whose decision is preceded by a compaction %s', async (_, ofModel) => {
    const company = (world: MortalWorld): AnyAgent =>
      patternTree([pattern], {
        compaction: { window: ofModel, summarize: () => 'So far.' },
        outside: (kind, key, act) => world.effect(`${kind} ${withoutRun(key)}`, act),
        around: (model) =>
          windowed(model, 4_000, {
            refuse: (error, key) =>
              world.effect(`model ${withoutRun(key)}`, () => {
                throw error
              }),
          }),
      }).agent
    const task = longPrompt(4_500, 'Dig.')
    const whole = await uncut(company, task)
    expect(whole.result).toMatchObject({ outcome: 'completed' })
    expect(Object.keys(whole.counts).filter((name) => name.startsWith('compaction '))).toHaveLength(1)
    for (let point = 1; point <= whole.points; point++) {
      await expectCut(company, whole, [point], { seen, task })
    }
  })
})
