/** Keys that forget words, and interchangeable agents, merge states and lose no outcome. */
import { describe, expect, test } from 'vitest'
import { answers, calls, explore, fails, gives, returns, throws, type ExploreOptions } from 'troupe/testing'
import { lead, tool, worker } from './agents.ts'

const ids = ['a', 'b', 'c', 'd'] as const
const [a, b, c, d] = [worker('a'), worker('b'), worker('c'), worker('d')]
const reviewed = { delegation: { onDelegationComplete: () => undefined } }

function team(count: number): ExploreOptions {
  const names = ids.slice(0, count)
  return {
    say: {
      lead: [answers('Done.'), calls(Object.fromEntries(names.map((name) => [name, 'Go.'])))],
      ...Object.fromEntries(names.map((name) => [name, [answers('Ok.'), fails()]])),
    },
    limits: { steps: 1 },
  }
}

const bail = { hooks: { onDelegationComplete: [gives({ bail: true }), gives({ bail: false })] } }

/** A function among the alphabets reads the words, so that all of them count. */
function reading(options: ExploreOptions): ExploreOptions {
  return {
    ...options,
    say: Object.fromEntries(
      Object.entries(options.say ?? {}).map(([id, says]) => [
        id,
        typeof says === 'function' ? says : () => says,
      ]),
    ),
  }
}

describe('a search that forgets the words ends as one that does not', () => {
  test.each([
    ['two children under bail', lead({ a, b }, reviewed), { ...team(2), ...bail }],
    [
      'a tool that fails',
      worker('a', { tools: { look: tool('look') } }),
      {
        say: { a: [answers('One.'), answers('Two.'), calls({ look: { q: 'x' } })] },
        tools: { look: [returns(1), returns(2), throws()] },
      },
    ],
  ])('%s', async (_name, agent, options) => {
    const forgetful = await explore(agent, options)
    const whole = await explore(agent, reading(options))
    forgetful.assert()
    whole.assert()
    expect(Object.keys(forgetful.outcomes).toSorted()).toEqual(Object.keys(whole.outcomes).toSorted())
    expect(forgetful.states).toBeLessThanOrEqual(whole.states)
    expect(whole.isComplete).toBe(true)
  })
})

test('interchangeable agents cut the states, and keep the outcomes', async () => {
  const agent = lead({ a, b, c }, reviewed)
  const apart = await explore(agent, { ...team(3), ...bail })
  const alike = await explore(agent, { ...team(3), ...bail, interchangeable: [['a', 'b', 'c']] })
  apart.assert()
  alike.assert()
  expect(Object.keys(alike.outcomes).toSorted()).toEqual(Object.keys(apart.outcomes).toSorted())
  expect(alike.states).toBeLessThan(apart.states / 3)
})

test('equal calls of one step are a set', async () => {
  const say = { a: [answers('Ok.'), fails()] }
  const twice = calls({ a: 'Go.' }, { a: 'Go.' })
  const unlike = calls({ a: 'Go.' }, { a: 'Come.' })
  const [alike, apart] = await Promise.all(
    [twice, unlike].map((both) =>
      explore(lead({ a }), { say: { ...say, lead: [answers('Done.'), both] }, limits: { steps: 1 } }),
    ),
  )
  alike?.assert()
  apart?.assert()
  expect(alike?.states).toBeLessThan(apart?.states ?? 0)
})

test('four children are explored completely', async () => {
  const report = await explore(lead({ a, b, c, d }, reviewed), {
    ...team(4),
    ...bail,
    interchangeable: [['a', 'b', 'c', 'd']],
  })
  report.assert()
  expect(report.isComplete).toBe(true)
})
