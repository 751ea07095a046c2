/** How the journals of a run and of its parts lie together, and what readers know before they can read it. */
import type { RunEvent } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, only, to, worker } from '../support/agents/agents.ts'
import { divides, fanOut } from '../support/agents/fan-outs.ts'
import { RunIngress } from '../../src/restate/client/ingress.ts'
import { allOf } from '../support/all-of.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

function typesByPath(events: readonly RunEvent[]): Record<string, string[]> {
  const types: Record<string, string[]> = {}
  for (const { path, type } of events) (types[path] ??= []).push(type)
  return types
}

test('a subagent is seen at work before its model has said anything', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: helper } = worker('waiting', [{ text: 'Helped.', until: gate.promise }])
  const { agent } = lead('patient', [calls(to('waiting', 'Help')), 'Done.'], { agents: { waiting: helper } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const path = 'patient/delegation:1.1/waiting'
  for await (const event of run.events) if (event.path === path && event.type === 'step-start') gate.resolve()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('when a part begins follows from its parent: readers and workers agree on it', async () => {
  const inner = worker('inner', ['Inner.'])
  const middle = lead('middle', [calls(to('inner', 'Help')), 'Middle.'], { agents: { inner: inner.agent } })
  const { agent } = lead('outer', [calls(to('middle', 'Help')), 'Outer.'], {
    agents: { middle: middle.agent },
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const events = await allOf(run.events)
  const { parts } = await troupe.journal(run.id)
  const begun = parts.map(({ path, turns }) => [path, turns[0]?.[0]?.at])
  expect(begun.map(([path]) => path)).toEqual([
    'outer',
    'outer/delegation:1.1/middle',
    'outer/delegation:1.1/middle/delegation:1.1/inner',
  ])
  expect(only(events, 'step-start').map(({ path, at }) => [path, at])).toEqual(
    expect.arrayContaining(begun.map(([path, at]) => [path, at])),
  )
})

test('many parts that end together leave their journals to their parent, and all of it is there', async () => {
  const goals = Array.from({ length: 30 }, (_, index) => ({ goal: `Part ${index}.`, agent: 'part' }))
  const { agent: part } = worker('part', [], { otherwise: 'A part.' })
  const { agent } = fanOut('together', [divides(...goals), 'All parts.'], {
    agents: { part },
    maxGoals: goals.length,
    toolCallConcurrency: goals.length,
    maxRounds: 1,
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const live = await allOf(run.events)
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'All parts.' })
  expect(result.delegations).toHaveLength(goals.length)

  const exported = await troupe.journal(run.id)
  expect(exported.parts).toHaveLength(goals.length + 1)
  const replayed = await troupe.replay(exported)
  expect(replayed.result).toEqual(result)
  expect(typesByPath(replayed.events)).toEqual(typesByPath(live))
  // Another handle goes on behind any event, whatever the order of the workflows there.
  for (const index of [0, Math.floor(live.length / 2), live.length - 2]) {
    const handle = await troupe.resume(run.id)
    const rest = await allOf(handle.eventsAfter(live[index]?.cursor ?? ''))
    expect(typesByPath([...live.slice(0, index + 1), ...rest])).toEqual(typesByPath(live))
  }
  const whole = await allOf(troupe.watch(run.id))
  expect(typesByPath(whole)).toEqual(typesByPath(live))
  const after = whole[Math.floor(whole.length / 2)]?.cursor ?? ''
  const rest = await allOf(troupe.watch(run.id, { after }))
  expect(rest).toHaveLength(whole.length - 1 - Math.floor(whole.length / 2))
  await expect(troupe.watch('nobody').ready).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect(() => run.eventsAfter('nonsense')).toThrow('eventsAfter must be the cursor')
  const partPath = 'together/delegation:1.7/part'
  expect(exported.parts.find(({ path }) => path === partPath)?.turns).toMatchObject([
    [{ type: 'run.started' }, { type: 'effect.settled', kind: 'model' }, { type: 'run.settled' }],
  ])
})

test('what a part leaves is not too much for its parent: a large end is kept by the part itself', async () => {
  const long = 'Many words.'.repeat(20_000)
  const { agent: helper } = worker('wordy', [long])
  const { agent } = lead('brief', [calls(to('wordy', 'Help')), 'Done.'], { agents: { wordy: helper } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const live = await allOf(run.events)
  const { outcome, delegations } = await run.result
  expect([outcome, delegations[0]?.text === long]).toEqual(['completed', true])
  const replayed = await troupe.replay(run.id)
  expect(typesByPath(replayed.events)).toEqual(typesByPath(live))
})

test('who comes in the midst of many that end reads what those do who were there from the start', async () => {
  const gate = Promise.withResolvers<void>()
  const goals = Array.from({ length: 30 }, (_, index) => ({ goal: `Part ${index}.`, agent: 'piece' }))
  const { agent: piece, model } = worker('piece', [], {
    otherwise: () => ({ text: 'A part.', ...(model.calls.length % 2 === 0 ? {} : { until: gate.promise }) }),
  })
  const { agent } = fanOut('crowd', [divides(...goals), 'All parts.'], {
    agents: { piece },
    maxGoals: goals.length,
    toolCallConcurrency: goals.length,
    maxRounds: 1,
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const early = allOf(run.events)
  const late: RunEvent[] = []
  for await (const event of (await troupe.resume(run.id)).events) {
    late.push(event)
    if (only(late, 'delegation-end').length === 15) gate.resolve()
  }
  expect(only(late, 'delegation-end')).toHaveLength(goals.length)
  const replayed = await troupe.replay(run.id)
  for (const events of [await early, late]) {
    expect(typesByPath(events)).toEqual(typesByPath(replayed.events))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  }
})

test('the end of a part that ends another lies in the end of that one, and whoever it had handed on to is in it', async () => {
  const { agent: expert } = worker('expert', [{ hang: true }])
  const { agent: clerk } = worker('clerk', [calls({ name: 'transfer-to-expert', args: {} })], {
    handoffs: [expert],
  })
  const { agent: middle } = lead('between', [calls(to('clerk', 'Help')), 'Between.'], { agents: { clerk } })
  const { agent } = lead('nest', [calls(to('between', 'Help')), 'Done.'], { agents: { between: middle } })
  await desk.serve({ agents: [agent], namespace: 'nests' })
  const troupe = desk.client(agent, 'nests')
  const run = await troupe.start(agent, 'Go')
  const live: RunEvent[] = []
  for await (const event of run.events) {
    live.push(event)
    if (event.type === 'step-start' && event.agent === 'expert') await run.cancel('enough')
  }
  const ingress = new RunIngress({ url: desk.server.ingress }, 'nests')
  const kept = async (of: string, path: string) => {
    const { turns } = await ingress.read({ runId: run.id, agent: of, path }, { from: 0 })
    return turns
  }
  const above = 'nest/delegation:1.1/between'
  const below = `${above}/delegation:1.1/clerk`
  expect((await kept('between', above)).some(({ ends }) => ends !== undefined)).toBe(false)
  const ends = (await kept('nest', 'nest')).flatMap((turn) => Object.entries(turn.ends ?? {}))
  expect(ends).toMatchObject([[above, { ends: { [below]: { entries: expect.any(Array) } } }]])
  const { parts } = await troupe.journal(run.id)
  const whole = parts.find(({ path }) => path === below)?.turns.flat() ?? []
  expect([whole[0]?.type, whole.at(-1)?.type]).toEqual(['run.started', 'run.settled'])
  const replayed = await troupe.replay(run.id)
  expect(replayed.result).toEqual(await run.result)
  expect(typesByPath(live)).toEqual(typesByPath(replayed.events))
  expect(only(live, 'delegation-end').map(({ payload }) => payload)).toMatchObject([
    { outcome: 'cancelled', by: 'expert' },
    { outcome: 'cancelled' },
  ])
})

test('an agent that has a version here, and none on its worker, is not taken for the same', async () => {
  const parts = (more: { readonly version?: string }) => {
    const { agent: helper } = worker('aged', [{ text: 'Helped.' }], more)
    return lead('ageless', [calls(to('aged', 'Help')), 'Done.'], { agents: { aged: helper } }).agent
  }
  const theirs = parts({})
  const namespace = 'ages'
  await desk.serve({ agents: [theirs], namespace })
  const run = await desk.client(theirs, namespace).start(theirs, 'Go')
  await run.result
  const exported = await desk.client(theirs, namespace).journal(run.id)
  await expect(desk.client(parts({ version: '2' }), namespace).replay(exported)).rejects.toMatchObject({
    code: 'JOURNAL_MISMATCH',
  })
})
