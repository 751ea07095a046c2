/** BEHAVIOUR 59: on Restate a trail has the entries of all journals of the run, and equals that of a run in one process. */
import { createTool, createTroupe, type ActorView, type AgentDefinition, type Trail } from 'troupe'
import { restateTroupe, type RunExport } from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { asDefinition } from '../../../src/runtime/definition/definition.ts'
import { AgentRegistry } from '../../../src/runtime/definition/registry.ts'
import { actorViews } from '../../../src/runtime/replay/actor-view.ts'
import { journalsOf, replayed } from '../../../src/restate/client/run-export.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** One thing after the other, so that nothing depends on time: nested delegations, a rejected one, a tool, a bail. */
function company(innerInstructions = 'Find it.'): AgentDefinition {
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks up.',
    inputSchema: z.object({}),
    execute: () => ({ found: true }),
  })
  const inner = worker('inner', [calls({ name: 'lookup' }), 'Found.'], {
    tools: { lookup },
    instructions: innerInstructions,
  })
  const middle = lead('middle', [calls(to('inner', 'Find it')), 'It is there.'], {
    agents: { inner: inner.agent },
  })
  const clerk = worker('clerk', [])
  return lead('outer', [calls(to('clerk', 'Book')), calls(to('middle', 'Where is it?')), 'At the harbour.'], {
    agents: { middle: middle.agent, clerk: clerk.agent },
    delegation: {
      onDelegationStart: ({ agentId }) => ({ proceed: agentId !== 'clerk' }),
      onDelegationComplete: ({ bail }) => bail(),
    },
  }).agent
}

const inJournals = { outer: 'outer', middle: 'outer/delegation:2.1/middle' }
const innerPath = `${inJournals.middle}/delegation:1.1/inner`

async function here(): Promise<Trail> {
  const agent = company()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Where?')
  await run.result
  return troupe.trail(run.id)
}

async function onRestate() {
  const agent = company()
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Where?')
  await run.result
  return { troupe, runId: run.id, agent, exported: await troupe.journal(run.id) }
}

/** What each actor did, by its path: without the proxies, and without what one engine alone has. */
function transitionsByPath(trail: Trail): Readonly<Record<string, readonly unknown[]>> {
  const taken = trail.entries.flatMap(({ transitions }) => transitions)
  const own = taken.filter(({ machine }) => machine !== 'remote-agent')
  return Object.fromEntries(Map.groupBy(own, ({ path }) => path))
}

function eventsByPath(trail: Trail): Readonly<Record<string, readonly string[]>> {
  const events = Map.groupBy(
    trail.entries.flatMap((entry) => entry.events),
    ({ path }) => path,
  )
  return Object.fromEntries(
    Array.from(events, ([path, told]) => [path, told.map(({ type }) => type)] as const),
  )
}

/** Without the proxies: the actors at their paths are those of the agents that they stand for. */
function flat(views: readonly ActorView[]): ActorView[] {
  return views.flatMap((view) => (view.machine === 'remote-agent' ? [] : [view, ...flat(view.children)]))
}

test('each actor takes the same transitions, and tells the same events, as in one process', async () => {
  const embedded = await here()
  const { troupe, runId } = await onRestate()
  const trail = await troupe.trail(runId)
  expect(transitionsByPath(trail)).toEqual(transitionsByPath(embedded))
  expect(eventsByPath(trail)).toEqual(eventsByPath(embedded))
  expect(trail.diverged).toBeUndefined()
  expect((await trail.more()).entries).toEqual(trail.entries)
})

test('its entries are those of all journals, each with its position, the cause before the effect', async () => {
  const { troupe, runId, exported } = await onRestate()
  const trail = await troupe.trail(runId)
  expect(trail.length).toBe(exported.parts.flatMap(({ turns }) => turns.flat()).length)
  expect([...new Set(trail.entries.map(({ journal }) => journal))]).toEqual([
    inJournals.outer,
    inJournals.middle,
    innerPath,
  ])
  for (const { path, turns } of exported.parts) {
    const own = trail.entries.filter(({ journal }) => journal === path)
    expect(own.map(({ entry, type, at }) => ({ entry, type, at }))).toEqual(
      turns.flat().map(({ type, at }, entry) => ({ entry, type, at })),
    )
  }
  const positionOf = (journal: string, type: string) =>
    trail.entries.findLastIndex((entry) => entry.journal === journal && entry.type === type)
  expect(positionOf(innerPath, 'run.settled')).toBeLessThan(positionOf(inJournals.middle, 'run.settled'))
  expect(positionOf(inJournals.middle, 'run.settled')).toBeLessThan(
    positionOf(inJournals.outer, 'run.settled'),
  )
})

describe('a view', () => {
  /** The actors of a journal when it had `entries` entries. */
  async function actorsAt(agent: AgentDefinition, run: RunExport, journal: string, entries: number) {
    const parts = run.parts.map(({ path, turns }) =>
      path === journal ? { path, turns: [turns.flat().slice(0, entries)] } : { path, turns },
    )
    const registry = new AgentRegistry()
    registry.add(asDefinition(agent), 'test')
    const { tree } = await replayed(journalsOf({ ...run, parts }), { registry })
    return actorViews(tree.part(journal)?.replay?.state.agent)
  }

  test('equals the actors of the journal of its agent at each entry', async () => {
    const { troupe, runId, exported, agent } = await onRestate()
    const trail = await troupe.trail(runId)
    for (const { journal, entry } of trail.entries) {
      const actors = await actorsAt(agent, exported, journal, entry + 1)
      expect(trail.view(entry + 1, { path: journal })).toEqual(actors)
      for (const actor of flat(actors)) expect(trail.view(entry + 1, { path: actor.path })).toEqual([actor])
      if (journal === 'outer') expect(trail.view(entry + 1)).toEqual(actors)
    }
  })

  test('of an unknown actor is empty, and has no more entries than the journal of its agent', async () => {
    const { troupe, runId } = await onRestate()
    const trail = await troupe.trail(runId)
    expect(trail.view(1, { path: `${innerPath}/nobody` })).toEqual([])
    expect(trail.view(1, { path: 'outer/delegation:9.9/nobody' })).toEqual([])
    const count = trail.entries.filter(({ journal }) => journal === innerPath).length
    expect(trail.view(count, { path: innerPath })[0]?.state).toBe('completed')
    expect(() => trail.view(count + 1, { path: innerPath })).toThrow(`from 1 to ${count}`)
  })
})

test('an export is enough, also as JSON', async () => {
  const { troupe, runId, exported } = await onRestate()
  const trail = await troupe.trail(runId)
  const again = await troupe.trail(JSON.parse(JSON.stringify(exported)) as RunExport)
  expect(again.entries).toEqual(trail.entries)
})

test('where instructions have changed, it goes on and names the first difference, by the key of the effect', async () => {
  const { troupe, runId, exported } = await onRestate()
  const agents = [company('Find it soon.')]
  const changed = await restateTroupe({ ingress: 'http://127.0.0.1:1', agents }).trail(exported)
  expect(changed.diverged).toMatchObject({ entry: 1, key: `${innerPath}/model#1` })
  expect(transitionsByPath(changed)).toEqual(transitionsByPath(await troupe.trail(runId)))
})

test('where instructions have changed, a client reads the run itself as it reads an export', async () => {
  const namespace = 'changed'
  await desk.serve({ agents: [company()], namespace })
  const agent = company()
  const run = await desk.client(agent, namespace).start(agent, 'Where?')
  await run.result
  const changed = desk.client(company('Find it soon.'), namespace)
  const first = { entry: 1, key: `${innerPath}/model#1` }
  expect((await changed.trail(run.id)).diverged).toMatchObject(first)
  expect(await changed.replay(run.id)).toMatchObject({
    diverged: first,
    result: { outcome: 'bailed' },
  })
  const watch = changed.watch(run.id)
  expect((await allOf(watch)).at(-1)).toMatchObject({ final: true })
  expect(watch.diverged).toMatchObject(first)
})

test('without the agents there is none', async () => {
  const { exported } = await onRestate()
  const agents = [worker('stranger', []).agent]
  const stranger = restateTroupe({ ingress: 'http://127.0.0.1:1', agents })
  await expect(stranger.trail(exported)).rejects.toMatchObject({ code: 'AGENT_NOT_HERE' })
})
