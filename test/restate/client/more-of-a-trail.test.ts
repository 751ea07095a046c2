/** The trail of a run on Restate goes on with its journals, and those that were taken before stay as they are. */
import { createTroupe, type JournalEntry, type Trail } from 'troupe'
import { beforeAll, expect, test } from 'vitest'
import { asDefinition } from '../../../src/runtime/definition/definition.ts'
import { AgentRegistry } from '../../../src/runtime/definition/registry.ts'
import { trailOf } from '../../../src/restate/client/export-trail.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { guarded } from '../../support/agents/guarded.ts'

const { agent } = worker('clerk', [calls({ name: 'guarded' })], { tools: { guarded }, otherwise: 'Done.' })
let journal: readonly JournalEntry[]

/** A run of one agent has the same journal on both engines. */
beforeAll(async () => {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.approve('clerk/call:1.1')
  await run.result
  journal = await troupe.journal(run.id)
  await troupe.close()
})

/** A run on Restate whose journal has so many turns by now, of one entry each. */
function growing(turns: number) {
  const registry = new AgentRegistry()
  registry.add(asDefinition(agent), 'test')
  const state = { turns, isDown: false, isGone: false }
  const read = async (_agent: string, _path: string, from: number) => {
    if (state.isDown) throw new Error('no server')
    return { turns: journal.slice(from, state.turns).map((entry) => ({ entries: [entry] })) }
  }
  const find = async (): Promise<void> => {
    if (state.isGone) throw new Error('no run')
  }
  return { state, trail: () => trailOf(registry, { runId: 'run', agent: 'clerk', read }, find) }
}

const types = (trail: Trail): readonly string[] => trail.entries.map(({ type }) => type)
const typesUntil = (count: number): readonly string[] => journal.slice(0, count).map(({ type }) => type)

test('it replays what came since; what was taken before has neither the entries nor the views of later', async () => {
  const { state, trail } = growing(2)
  const first = await trail()
  const views = first.view(2)
  state.turns = journal.length
  const last = await first.more()
  expect(types(last)).toEqual(typesUntil(journal.length))
  expect(types(first)).toEqual(typesUntil(2))
  expect(first.view(2)).toEqual(views)
  expect(last.view(2)).toEqual(views)
  expect(last.view(journal.length)[0]?.state).toBe('completed')
  expect(() => first.view(3)).toThrow('view: entries must be a number of entries from 1 to 2')
  expect(() => first.view(3, { path: 'clerk' })).toThrow('from 1 to 2')
})

test('calls at once go on one after the other, also after one that failed', async () => {
  const { state, trail } = growing(2)
  const first = await trail()
  state.turns = 4
  state.isDown = true
  const failed = first.more()
  await expect(failed).rejects.toThrow('no server')
  state.isDown = false
  const [one, other] = await Promise.all([first.more(), first.more()])
  expect([one.length, other.length]).toEqual([4, 4])
  state.isGone = true
  await expect(other.more()).rejects.toThrow('no run')
  state.isGone = false
  state.turns = journal.length
  expect(types(await one.more())).toEqual(typesUntil(journal.length))
})
