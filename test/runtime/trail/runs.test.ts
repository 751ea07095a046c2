/** BEHAVIOUR 59: a trail of agents that have changed, that are not here, of a run that goes on, and of a long one. */
import {
  createTroupe,
  JournalMismatchError,
  memoryStore,
  RunNotFoundError,
  type AgentDefinition,
  type Store,
} from 'troupe'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

function team(instructions: string, helperId = 'helper'): AgentDefinition {
  const helper = worker(helperId, ['Helped.'], { instructions })
  return lead('boss', [calls(to(helperId, 'Help')), 'Done.'], { agents: { [helperId]: helper.agent } }).agent
}

async function recorded(store: Store): Promise<string> {
  const agent = team('Help.')
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await run.result
  await troupe.close()
  return run.id
}

test('other instructions are the first difference, and the trail is whole', async () => {
  const store = memoryStore()
  const runId = await recorded(store)
  const same = await createTroupe({ agents: [team('Help.')], store }).trail(runId)
  const changed = await createTroupe({ agents: [team('Help more.')], store }).trail(runId)
  expect(same.diverged).toBeUndefined()
  expect(changed.diverged).toMatchObject({ entry: 2, key: 'boss/delegation:1.1/helper/model#1' })
  expect(changed.entries).toEqual(same.entries)
})

test('an entry that the run would not have led to is an error', async () => {
  const store = memoryStore()
  const runId = await recorded(store)
  const troupe = createTroupe({ agents: [team('Help.', 'other')], store })
  await expect(troupe.trail(runId)).rejects.toThrow(JournalMismatchError)
})

test('without the agents there is no trail, and without the run neither', async () => {
  const store = memoryStore()
  const runId = await recorded(store)
  const troupe = createTroupe({ agents: [worker('stranger', []).agent], store })
  await expect(troupe.trail(runId)).rejects.toMatchObject({ code: 'AGENT_NOT_HERE', runId })
  await expect(troupe.trail('none')).rejects.toThrow(RunNotFoundError)
})

test('a long trail gives other work its turn', async () => {
  const helper = worker('helper', [], { otherwise: 'Helped.' })
  const steps = Array.from({ length: 150 }, () => calls(to('helper', 'Help')))
  const { agent } = lead('boss', [...steps, 'Done.'], { agents: { helper: helper.agent }, maxSteps: 200 })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  expect((await run.result).outcome).toBe('completed')
  let turns = 0
  const count = (): NodeJS.Immediate => setImmediate(() => (turns++, (next = count())))
  let next = count()
  const trail = await troupe.trail(run.id)
  clearImmediate(next)
  expect(trail.length).toBeGreaterThan(300)
  expect(turns).toBeGreaterThan(0)
  expect(trail.view(trail.length)).toEqual((await troupe.replay(run.id)).actors)
})

test('the trail of a run that goes on is that of its journal so far', async () => {
  const gate = Promise.withResolvers<void>()
  const helper = worker('helper', [{ text: 'Helped.', until: gate.promise }])
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper: helper.agent } })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store })
  const another = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  for await (const { type } of run.events) if (type === 'delegation-start') break
  const trail = await troupe.trail(run.id)
  expect((await another.trail(run.id)).entries).toEqual(trail.entries) // it needs no ownership
  expect(trail.view(trail.length, { path: 'boss/delegation:1.1' })[0]?.state).toEqual({ working: 'running' })
  gate.resolve()
  await run.result
  const whole = await troupe.trail(run.id)
  expect(whole.entries.slice(0, trail.length)).toEqual(trail.entries)
  expect(whole.length).toBeGreaterThan(trail.length)
})
