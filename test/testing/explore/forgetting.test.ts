/** Keys that forget words, and interchangeable agents, merge states and lose no outcome. */
import { file } from 'troupe'
import { describe, expect, test } from 'vitest'
import {
  answers,
  calls,
  explore,
  fails,
  gives,
  never,
  returns,
  throws,
  type ExploreOptions,
} from 'troupe/testing'
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

describe('files in a conversation', () => {
  const image = (name: string) => file(Uint8Array.of(1), 'image/png', { name })
  const handOn = calls({ a: { prompt: 'See.', files: ['sea.png'] } })

  /** A tool is called, and a file is handed on, whether the conversation has it or not. */
  const explored = (...values: readonly unknown[]) =>
    explore(lead({ a }, { tools: { look: tool('look') } }), {
      say: { lead: [calls({ look: { q: 'x' } }), handOn, answers('Done.')], a: [answers('Ok.')] },
      tools: { look: values.map((value) => returns(value)) },
      rules: { 'no delegation fails': never((run) => run.failed('a') || run.rejected('a')) },
    })

  test('are known by their names: a file that is not there cannot be handed on', async () => {
    const none = await explored(1)
    expect(none.violations).toEqual([])
    expect((await explored(1, image('sea.png'))).violations).toEqual([])
    const [violation] = (await explored(1, image('land.png'))).violations
    expect(violation?.steps).toEqual([
      'lead: calls look',
      expect.stringContaining(
        'look of lead returns {"type":"file","mediaType":"image/png","name":"land.png"',
      ),
      'lead: calls a',
    ])
  })

  test('tell states apart, and results without files do not', async () => {
    const [numbers, sea] = await Promise.all([explored(1, 2), explored(1, image('sea.png'))])
    expect(numbers.states).toBe((await explored(1)).states)
    expect(sea.states).toBeGreaterThan(numbers.states)
  })

  test('that interchangeable agents are given tell their calls apart', async () => {
    const both = (files: readonly string[]) =>
      explore(lead({ a, b }), {
        task: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }, image('sea.png')] }],
        say: {
          lead: [
            calls({ a: { prompt: 'See.', files: ['sea.png'] }, b: { prompt: 'See.', files } }),
            answers('Done.'),
          ],
          a: [answers('Ok.')],
          b: [answers('Ok.')],
        },
        limits: { steps: 1 },
        interchangeable: [['a', 'b']],
      })
    const [alike, apart] = await Promise.all([both(['sea.png']), both([])])
    alike.assert()
    apart.assert()
    expect(alike.states).toBeLessThan(apart.states)
  })

  test('a value that JSON cannot hold is no outcome', () => {
    expect(() => returns({ at: 1n })).toThrow(/value\.at/)
  })
})
