/** A graph that is written while the run goes on is the graph of the whole run. */
import { createTool, createTroupe, memoryStore } from 'troupe'
import { provenanceOf, provenanceSink, type Quad } from 'troupe/provenance'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { expectWrittenAlike, statements } from '../support/prov.ts'

const iri = (name: string) => `https://trustgraph.ai/ns/${name}`

test('statements are written as soon as they are known: a round before its goals are reached', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const agents = { a: worker('first', [{ text: 'One.', until: promise }]).agent }
  const board = fanOut('board', [divides({ goal: 'g1', agent: 'a' }), enough, 'Sum.'], { agents }).agent
  const troupe = createTroupe({ agents: [board] })
  const run = await troupe.start(board, 'Q?', { conversationId: 'talk' })
  const written: Quad[] = []
  const sink = provenanceSink({
    write: (quads) => {
      written.push(...quads)
      if (written.some(({ object }) => object.value === iri('FanOut'))) resolve() // else the run would hang
    },
  })
  for await (const event of run.events) sink.take(event)
  const whole = await provenanceOf(troupe, run.id)
  expect(sink.end(await troupe.journal(run.id)).toNQuads()).toBe(whole.toNQuads())
  expect(statements(written)).toEqual(statements(whole.quads))
  expect(new Set(statements(written)).size).toBe(written.length)
  expect(written.some(({ object }) => object.value === 'talk')).toBe(true)
})

test('a fork, and a tool whose result comes late: the journal completes the graph', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = createTool({
    id: 'slow',
    description: 'Is slow.',
    inputSchema: z.object({}),
    execute: () => gate.promise.then(() => 'written after all'),
  })
  const { agent } = lead('lead', [], {
    otherwise: calls({ name: 'slow' }, to('scout', 'Go')),
    tools: { slow },
    agents: { scout: worker('scout', [], { otherwise: 'Facts.' }).agent },
    delegation: { onDelegationComplete: ({ bail }) => bail() },
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store })
  const first = await troupe.start(agent, 'Q?')
  await first.result
  const fork = await troupe.fork(first.id, { at: 1 })
  await fork.result
  gate.resolve()
  for (const run of [first, fork]) {
    await expect.poll(async () => (await store.read(run.id))?.at(-1)).toMatchObject({ late: true })
    await expectWrittenAlike(troupe, run, await provenanceOf(troupe, run.id))
  }
})

test('a run that is not over: what is open is written at the end', async () => {
  const { agent } = worker('solo', [{ hang: true }])
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Q?')
  const { events } = await troupe.replay(run.id)
  const written: Quad[] = []
  const sink = provenanceSink({ write: (quads) => void written.push(...quads), prefix: 'urn:mine:' })
  for (const event of events) sink.take(event)
  const whole = sink.end(await troupe.journal(run.id))
  expect(statements(written)).toEqual(statements(whole.quads))
  expect(whole.answer).toBeUndefined()
  expect(whole.session).toMatch(/^urn:mine:agent:/)
  await run.cancel()
  await run.result
  await expectWrittenAlike(troupe, run, await provenanceOf(troupe, run.id))
})

test('events of two runs, a missing beginning and a second end are refused', async () => {
  const { agent } = worker('solo', ['One.', 'Two.'])
  const troupe = createTroupe({ agents: [agent] })
  const [one, two] = [await troupe.start(agent, 'Q?'), await troupe.start(agent, 'Q?')]
  const [first, second] = [await allEvents(one), await allEvents(two)]
  const sink = provenanceSink({ write: () => undefined })
  expect(() => sink.end()).toThrow('there are no events of a run')
  for (const event of first) sink.take(event)
  expect(() => second.forEach((event) => sink.take(event))).toThrow('the events are of two runs')
  sink.end()
  expect(() => sink.end()).toThrow('it has ended')
  expect(() => first.forEach((event) => sink.take(event))).toThrow('it has ended')
  const headless = provenanceSink({ write: () => undefined })
  expect(() => first.slice(1).forEach((event) => headless.take(event))).toThrow('from its first one on')
})
