/** Behaviour 78: views of events that come twice, late, or from releases to come; and what views share. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTroupe, type RunEvent } from 'troupe'
import { emptyView, nextView, viewOf, type AgentView, type RunView } from 'troupe/view'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { watchRandomly } from '../properties/watched-troupe.ts'

/** The events of a run with subagents side by side. */
let events: readonly RunEvent[]

beforeAll(async () => {
  const { agent: clerk } = worker('clerk', ['Filed.', 'Filed again.'])
  const { agent: officer } = lead('officer', [calls(to('clerk', 'File'), to('clerk', 'File')), 'Signed.'], {
    agents: { clerk },
  })
  const { agent } = lead('mayor', [calls(to('officer', 'Sign')), 'Opened.'], { agents: { officer } })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Open')
  await run.result
  events = (await troupe.replay(run.id)).events
  await troupe.close()
})

const asJson = (view: object): unknown => JSON.parse(JSON.stringify(view))

const steps = (agents: Iterable<AgentView>): number =>
  [...agents].reduce(
    (count, { parts }) =>
      count +
      parts.filter(({ type }) => type === 'step').length +
      parts
        .filter((part) => part.type === 'delegation')
        .reduce((below, delegation) => below + steps(delegation.agents), 0),
    0,
  )

test('an event that comes again, at any later place, changes nothing', () => {
  const again = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 40 })
  fc.assert(
    fc.property(again, (repeats) => {
      const given = [...events]
      for (const [of, by] of repeats) {
        const event = given[of % given.length]
        if (event !== undefined) given.splice((of % given.length) + 1 + (by % given.length), 0, event)
      }
      expect(asJson(viewOf(given))).toEqual(asJson(viewOf(events)))
    }),
    { numRuns: 40 },
  )
})

test('events in any order count once each, and every one of them is known afterwards', () => {
  const order = fc.array(fc.nat(), { minLength: 1, maxLength: 200, size: 'max' })
  const { usage, agents } = viewOf(events)
  fc.assert(
    fc.property(order, (keys) => {
      const shuffled = events
        .map((event, index) => ({ event, key: keys[index % keys.length] ?? 0 }))
        .toSorted((one, other) => one.key - other.key)
        .map(({ event }) => event)
      const before = viewOf(shuffled.slice(0, shuffled.length / 2))
      const seen = asJson(before)
      const view = viewOf(shuffled, before)
      expect(viewOf(shuffled, view)).toBe(view)
      expect(steps(view.agents)).toBe(steps(agents))
      // The views of the past are as they were: what came late is new to them still.
      expect(asJson(before)).toEqual(seen)
      expect(asJson(viewOf(shuffled, before))).toEqual(asJson(view))
      if (view.outcome !== undefined && shuffled.at(-1)?.type === 'run-finish')
        expect(view.usage).toEqual(usage)
    }),
    { numRuns: 40 },
  )
})

/** All agents and parts of a view, by their place in it. */
function* placesOf(agents: Iterable<AgentView>): Generator<readonly [string, object], void> {
  for (const agent of agents) {
    yield [agent.id, agent]
    for (const part of agent.parts) {
      yield [`${agent.id} ${part.id}`, part]
      if (part.type === 'delegation') yield* placesOf(part.agents)
    }
  }
}

test('a view is never changed, and what an event does not touch is the same object in the next one', async () => {
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 150, maxLength: 300, size: 'max' })
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      const { seen } = await watchRandomly(drawn)
      for (const all of seen) {
        let view: RunView = emptyView
        for (const event of all) {
          const next = nextView(frozen(view), frozen(event))
          const known = new Map(placesOf(view.agents))
          for (const [place, now] of placesOf(next.agents)) {
            const before = known.get(place)
            if (before !== undefined && before !== now)
              expect({ place, type: event.type, now: asJson(now) }).not.toEqual({
                place,
                type: event.type,
                now: asJson(before),
              })
          }
          view = next
        }
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
})

/** A write to it throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Symbol.iterator in value ? (value as Iterable<unknown>) : Object.values(value))
    frozen(part)
  return value
}

test('an event of a release to come is kept, whatever it is called, and nothing else changes', () => {
  const path = fc
    .array(fc.constantFrom('mayor', 'call:1.1', 'delegation:1.1', 'officer~1', 'orbit:1'), { maxLength: 5 })
    .map((ids) => ['mayor', ...ids].join('/'))
  const type = fc.oneof(
    fc.constantFrom('step', 'text', 'saying', 'iteration', 'plan', 'constructor', '__proto__', 'toString'),
    fc.string().map((name) => `moon-${name}`),
  )
  const known = viewOf(events)
  fc.assert(
    fc.property(fc.array(fc.record({ type, path, payload: fc.jsonValue() }), { maxLength: 6 }), (news) => {
      const given = news.map((one) => ({ ...one, at: 9, runId: 'r', agent: 'mayor' }) as unknown as RunEvent)
      const view = viewOf(given, known)
      const parts = [...placesOf(view.agents)].map(([, part]) => part)
      for (const event of given) {
        expect(parts.filter((part) => 'event' in part && part.event === event)).toHaveLength(1)
      }
      const { agents: _agents, at: _at, runId: _runId, ...rest } = view
      const { agents: _before, at: _then, runId: _id, ...expected } = known
      expect(rest).toEqual(expected)
      const places = new Map(placesOf(view.agents))
      for (const [place, part] of placesOf(known.agents))
        if ('type' in part && part.type !== 'delegation') expect(places.get(place)).toBe(part)
    }),
    { numRuns: 60 },
  )
})

test('a text of a megabyte, and the arguments of a call, are there whole in pieces of any size', () => {
  const place = { at: 1, runId: 'r', agent: 'a', path: 'a', messageId: 'a:m1' } as const
  const piece = 'Ω'.repeat(61)
  const pieces = Array.from({ length: 2 ** 14 }, () => piece)
  const text = piece.repeat(2 ** 14)
  const view = viewOf(pieces.map((one) => ({ ...place, type: 'text-delta', payload: { text: one } })))
  expect(view.text === text).toBe(true)
  const call = { toolCallId: 'a/call:1.1', toolName: 'write' }
  const written = viewOf(
    pieces.map((one) => ({ ...place, type: 'tool-call-delta', payload: { ...call, text: one } })),
  )
  expect(written.agents.at(0)?.parts.get('a/call:1.1')).toMatchObject({ argsText: text })
})
