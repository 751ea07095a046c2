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
import { expectCut, uncut } from './crash-sweep.ts'
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
