/** Deadlines of single effects, and calls that end when the run has gone on without them. */
import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from 'troupe'
import {
  answers,
  calls,
  explore,
  fails,
  gives,
  returns,
  sleeps,
  throws,
  type ExploreOptions,
} from 'troupe/testing'
import { nothingFollowsLateEnds } from '../../../src/testing/explore/rules/crashes.ts'
import { explorationOf } from '../../../src/testing/explore/exploration.ts'
import { World } from '../../../src/testing/explore/world/world.ts'
import { lead, tool, worker } from './agents.ts'

const calm = { cancel: false, cancelDelegations: false, failures: false, crash: false }
const says = { a: [answers('Done.'), calls({ look: { q: 'x' } })] }

test('a call that the budget of a tenant refuses ends its agent, whichever call it is', async () => {
  const report = await explore(worker('a', { tools: { look: tool('look') }, retries: 0 }), {
    say: { a: [answers('Done.'), calls({ look: { q: 'x' } }), fails('BUDGET_EXCEEDED')] },
    tools: { look: [returns('found')] },
    adversary: calm,
    limits: { steps: 2 },
  })
  report.assert()
  expect(report.isComplete).toBe(true)
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['completed', 'exhausted'])
})

/** The names of the paths of a complete exploration, each of them run. */
async function pathsOf(agent: AgentDefinition, options: ExploreOptions): Promise<readonly string[]> {
  const report = await explore(agent, { adversary: calm, ...options, limits: { steps: 1 } })
  report.assert()
  expect(report.isComplete).toBe(true)
  const paths = report.paths()
  for (const path of paths) await path.run()
  return paths.map(({ name }) => name)
}

describe('a deadline that is set may pass', () => {
  const limited = worker('a', { tools: { look: tool('look', { timeout: 100 }) } })

  test('of a tool, which may still return, and nothing follows', async () => {
    const tools = { look: [returns('found'), throws()] }
    const paths = await pathsOf(limited, { say: says, tools })
    const late = 'a: calls look → look of a does not answer in time'
    expect(paths).toContain(`${late} → a: answers “Done.” → look of a returns "found", too late`)
    expect(paths).toContain(`${late} → look of a returns "found", too late`)
    expect(paths.filter((name) => name.includes('throws (FAILED), too late'))).toEqual([])
  })

  test('of a sleep: its time comes, or a person answers before, or it is cancelled', async () => {
    const agent = worker('a', { tools: { look: tool('look') } })
    const paths = await pathsOf(agent, {
      say: says,
      tools: { look: [sleeps(), returns('found')] },
      people: ['approve', 'deny'],
      adversary: { ...calm, cancel: true },
    })
    expect(paths.filter((name) => name.includes('sleeps'))).toMatchInlineSnapshot(`
      [
        "a: calls look → look of a sleeps → a person denies: look of a",
        "a: calls look → look of a sleeps → the run is cancelled",
        "a: calls look → look of a sleeps → a person resumes: look of a → look of a returns "found"",
        "a: calls look → look of a sleeps → a person resumes: look of a → the run is cancelled",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → look of a returns "found"",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → the run is cancelled",
        "a: calls look → look of a sleeps → a person resumes: look of a → look of a sleeps → a person resumes: look of a",
        "a: calls look → look of a sleeps → a person resumes: look of a → look of a sleeps → a person denies: look of a",
        "a: calls look → look of a sleeps → a person resumes: look of a → look of a sleeps → the timer timer:wake#2 of a ends",
        "a: calls look → look of a sleeps → a person resumes: look of a → look of a sleeps → the run is cancelled",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → look of a sleeps → a person resumes: look of a",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → look of a sleeps → a person denies: look of a",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → look of a sleeps → the timer timer:wake#2 of a ends",
        "a: calls look → look of a sleeps → the timer timer:wake#1 of a ends → look of a sleeps → the run is cancelled",
      ]
    `)
  })

  test('of a hook', async () => {
    const agent = lead(
      { a: worker('a') },
      { delegation: { onDelegationStart: () => undefined }, hookTimeout: 5 },
    )
    const paths = await pathsOf(agent, {
      say: { lead: [answers('Done.'), calls({ a: 'Go.' })], a: [answers('Ok.')] },
      hooks: { onDelegationStart: [gives({ proceed: true })] },
    })
    expect(paths).toContain(
      'lead: calls a → onDelegationStart of lead (delegation 1.1) does not answer in time → lead: answers “Done.”',
    )
  })

  test('of a model', async () => {
    const agent = worker('a', { modelTimeout: 1_000, retries: 0 })
    expect(await pathsOf(agent, { say: { a: [answers('Done.')] } })).toEqual([
      'a: answers “Done.”',
      'a: does not answer in time',
    ])
  })

  test('in the order of time, where timers are kept in order', async () => {
    const both = worker('a', {
      tools: { soon: tool('soon', { timeout: 100 }), later: tool('later', { timeout: 200 }) },
    })
    const paths = await pathsOf(both, {
      say: { a: [answers('Done.'), calls({ soon: { q: 'x' }, later: { q: 'x' } })] },
      adversary: { ...calm, timers: 'inOrder' },
    })
    const first = 'a: calls soon, later → later of a does not answer in time'
    expect(paths.filter((name) => name.startsWith(first))).toEqual([])
    expect(paths.filter((name) => name.includes('later of a does not answer in time'))).not.toEqual([])
  })

  test.each<[string, ExploreOptions]>([
    ['deadlines are left out', { adversary: { ...calm, deadlines: false } }],
    ['no timer ends', { adversary: { ...calm, timers: 'never' } }],
  ])('unless %s', async (_name, options) => {
    const paths = await pathsOf(limited, { say: says, ...options })
    expect(paths.filter((name) => name.includes('in time'))).toEqual([])
  })

  test('and the default of hookTimeout does not', async () => {
    const agent = worker('a', { onStepFinish: () => undefined })
    expect(
      await pathsOf(agent, { say: { a: [answers('Done.')] }, hooks: { onStepFinish: [gives(null)] } }),
    ).toEqual(['a: answers “Done.” → onStepFinish of a gives null'])
  })
})

describe('a call that a bail has let go of', () => {
  const agent = lead(
    { a: worker('a', { tools: { look: tool('look') } }), b: worker('b') },
    { delegation: { onDelegationComplete: () => undefined } },
  )
  const options: ExploreOptions = {
    say: { ...says, lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.' })], b: [answers('Ok.')] },
    tools: { look: [returns('found'), throws('BROKEN')] },
    hooks: { onDelegationComplete: [gives({ bail: true }, 'bails')] },
  }
  const bailed = [
    'lead: calls a, b',
    'a (lead 1.1): calls look',
    'b (lead 1.2): answers “Ok.”',
    'onDelegationComplete of lead (delegation 1.2) bails',
  ]

  test('ends after the run, by its result or an error', async () => {
    const paths = await pathsOf(agent, options)
    for (const end of ['returns "found"', 'throws (BROKEN)']) {
      expect(paths).toContain([...bailed, `look of a (lead 1.1) ${end}, too late`].join(' → '))
    }
  })

  test('is found where the run acts on its end', () => {
    const { subject, space } = explorationOf(agent, options, 'test')
    const world = new World(subject)
    for (const label of bailed) {
      const choice = space.choicesOf(world).find((one) => one.label === label)
      if (choice === undefined) throw new Error(`There is no choice "${label}".`)
      world.apply(choice)
    }
    const [choice] = space.choicesOf(world)
    expect(choice?.label).toBe('look of a (lead 1.1) returns "found", too late')
    if (choice !== undefined) world.apply(choice)
    const events = world.state.recorder.log.toArray()
    expect(nothingFollowsLateEnds({ world, events, before: events.length, choice })).toBeUndefined()
    expect(nothingFollowsLateEnds({ world, events, before: events.length - 1, choice })).toBe(
      `A call that the run had let go of has ended, and the run acts on it: ${choice?.label}.`,
    )
  })
})

test('a function that never answers ends by its deadline, and holds up no exploration', async () => {
  const never = (): Promise<never> => new Promise(() => undefined)
  const agent = lead({ a: worker('a') }, { delegation: { onDelegationStart: never }, hookTimeout: 5 })
  const paths = await pathsOf(agent, {
    say: { lead: [answers('Done.'), calls({ a: 'Go.' })], a: [answers('Ok.')] },
  })
  expect(paths).toContain(
    'lead: calls a → onDelegationStart of lead (delegation 1.1) answers, throws (HOOK_TIMEOUT) → lead: answers “Done.”',
  )
})

test.each<[string, ExploreOptions]>([
  ['say.a of explore', { say: { a: (async () => [answers('Done.')]) as never } }],
  ['tools.look of explore', { say: says, tools: { look: (async () => [returns('found')]) as never } }],
])('%s must answer at once: a promise is no alphabet', async (name, options) => {
  const agent = worker('a', { tools: { look: tool('look') } })
  await expect(explore(agent, { adversary: calm, ...options })).rejects.toThrow(name)
})
