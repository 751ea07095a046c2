/**
 * Behaviour 98. A program whose process ends at each point in turn: the next one goes on, repeats no call that is settled, and comes to the same
 * end. A replay and a fork perform nothing that is on record.
 */
import { createTool, createTroupe, memoryStore, type AgentDefinition } from 'troupe'
import { codeMode } from 'troupe/code-mode'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { expectCut, uncut } from '../durability/crashes/crash-sweep.ts'
import type { MortalWorld } from '../durability/crashes/mortal-world.ts'

const program = `
  const rows = await Promise.all(['a', 'b', 'c'].map((id) => tools.stock({ id })))
  const low = rows.filter((row) => row.units < 5)
  const placed = []
  for (const { id, units } of low) placed.push(await tools.order({ id, units: 10 - units }))
  return { total: rows.reduce((sum, row) => sum + row.units, 0), placed }
`

const answer = '{"total":12,"placed":[{"id":"a","units":7},{"id":"c","units":8}]}'

const units: Readonly<Record<string, number>> = { a: 3, b: 7, c: 2 }

type Does = <Value>(name: string, work: () => Value) => Promise<Value>

/** `does`: performs what a tool does outside. */
function shop(does: Does): AgentDefinition {
  const nameOf = (key: string) => `tool ${key.slice(key.indexOf('/') + 1)}`
  const stock = createTool({
    id: 'stock',
    description: 'Tells how many units of an item are there.',
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }, { idempotencyKey }) =>
      does(nameOf(idempotencyKey), () => ({ id, units: units[id] ?? 0 })),
  })
  const order = createTool({
    id: 'order',
    description: 'Orders units.',
    inputSchema: z.object({ id: z.string(), units: z.number() }),
    requireApproval: true,
    execute: (ordered, { idempotencyKey }) => does(nameOf(idempotencyKey), () => ordered),
  })
  return codeMode({ id: 'code', tools: { stock, order } })
}

const company = (world: MortalWorld) => shop((name, work) => world.effect(name, work))

describe('a program with calls side by side and two approvals', async () => {
  const whole = await uncut(company, program)
  const points = Array.from({ length: whole.points }, (_, point) => point + 1)
  expect(whole.result).toMatchObject({ outcome: 'completed', text: answer })

  test.for(points)('goes on where its process ended at point %i', async (point) => {
    await expectCut(company, whole, [point], { task: program, seen: (name) => name.startsWith('tool ') })
  })

  test('goes on through a process for each point', async () => {
    await expectCut(company, whole, points, { task: program, seen: (name) => name.startsWith('tool ') })
  })
})

test('a replay calls no tool, and a fork calls what is not on record', async () => {
  const done: string[] = []
  const code = shop(async (name, work) => {
    done.push(name)
    return work()
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [code], store })
  onTestFinished(() => troupe.close())
  const run = await troupe.start(code, program)
  for (let asked = await run.whenIdle; asked.outcome === 'suspended'; asked = await run.whenIdle)
    for (const { toolCallId } of asked.awaiting) await run.approve(toolCallId)
  expect((await run.result).text).toBe(answer)
  expect(done).toHaveLength(5)

  const replayed = await troupe.replay(run.id)
  expect(replayed.result?.text).toBe(answer)
  expect(done).toHaveLength(5)

  const journal = await troupe.journal(run.id)
  const asked = journal.findLastIndex((entry) => entry.type === 'signal.received')
  const fork = await troupe.fork(run.id, { at: asked })
  for (let idle = await fork.whenIdle; idle.outcome === 'suspended'; idle = await fork.whenIdle)
    for (const { toolCallId } of idle.awaiting) await fork.deny(toolCallId, 'Too many.')
  const forked = await fork.result
  expect(forked.outcome).toBe('failed')
  expect(forked).toMatchObject({
    error: { code: 'CODE_FAILED', message: expect.stringContaining('Too many.') as string },
  })
  expect(done).toHaveLength(5)
})
