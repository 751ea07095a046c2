/** A process that ends while tools are at work: another one goes on, and the calls in doubt are decided as their tools say. */
import { describe, expect, test } from 'vitest'
import type { JsonValue, OnInterrupted } from 'troupe'
import {
  answers,
  calls,
  explore,
  returns,
  sometimes,
  type ExploreOptions,
  type ExploreReport,
} from 'troupe/testing'
import { explorationOf } from '../../../src/testing/explore/exploration.ts'
import {
  callsInDoubtAreDecided,
  nothingSettledIsRepeated,
} from '../../../src/testing/explore/rules/crashes.ts'
import type { Visit } from '../../../src/testing/explore/rules/visit.ts'
import { World } from '../../../src/testing/explore/world/world.ts'
import { tool, worker } from './agents.ts'

const crash = 'the process ends, and another one goes on'
const called = 'payer: calls pay'
const paid = 'pay of payer returns "paid"'
const answered = 'payer: answers “Done.”'

function payer(onInterrupted?: OnInterrupted) {
  return worker('payer', { tools: { pay: tool('pay', onInterrupted && { onInterrupted }) } })
}

const options: ExploreOptions = {
  say: { payer: [answers('Done.'), calls({ pay: { q: 'A-17' } })] },
  tools: { pay: [returns('paid')] },
  adversary: { cancel: false, failures: false },
  limits: { steps: 1 },
}

/** The paths of a complete exploration in which every rule holds, each of them run. */
async function pathsOf(report: ExploreReport): Promise<readonly string[]> {
  report.assert()
  expect(report.isComplete).toBe(true)
  const paths = report.paths()
  for (const path of paths) await path.run()
  return paths.map(({ name }) => name)
}

function steps(...labels: readonly string[]): string {
  return labels.join(' → ')
}

const undisturbed = [answered, steps(called, paid, answered)]

describe('a call that was at work', () => {
  test('is made again', async () => {
    expect(await pathsOf(await explore(payer(), options))).toEqual([
      ...undisturbed,
      steps(called, crash, paid, answered),
    ])
  })

  test('fails', async () => {
    const paths = await pathsOf(await explore(payer('fail'), options))
    expect(paths).toEqual([...undisturbed, steps(called, crash, answered)])
  })

  test('asks a person, who has it made again, gives its result, denies, or never answers', async () => {
    const result: JsonValue = { result: 'paid before' }
    const report = await explore(payer('ask'), {
      ...options,
      people: ['approve', { resume: result }, 'deny', 'never'],
      rules: { 'a person is asked': sometimes((run) => run.has('tool-call-suspended', { tool: 'pay' })) },
    })
    const paths = await pathsOf(report)
    const asked = paths.filter((name) => name.includes(crash))
    const answer = (says: string): string => steps(called, crash, `a person ${says}: pay of payer`)
    // The others come to states in which an earlier path has been.
    expect(asked.toSorted()).toEqual([
      answer('denies'),
      answer('never answers'),
      steps(answer('resumes with {"result":"paid before"}'), answered),
      steps(answer('resumes'), paid),
    ])
  })
})

describe('how often', () => {
  const crashes = async (more: ExploreOptions): Promise<number> => {
    const paths = await pathsOf(await explore(payer(), { ...options, ...more }))
    return Math.max(...paths.map((name) => name.split(crash).length - 1))
  }

  test.each<[number, ExploreOptions]>([
    [0, { limits: { steps: 1, crashes: 0 } }],
    [0, { adversary: { ...options.adversary, crash: false } }],
    [1, {}],
    [3, { limits: { steps: 1, crashes: 3 } }],
  ])('%i times', async (times, more) => {
    expect(await crashes(more)).toBe(times)
  })
})

describe('a run that repeats what it must not is found', () => {
  /** A run whose call of `pay` was interrupted, and starts again. */
  function visitOf(onInterrupted: OnInterrupted): Visit {
    const { subject, space } = explorationOf(payer(onInterrupted), options, 'test')
    const world = new World(subject)
    for (const label of [called, crash]) {
      const choice = space.choicesOf(world).find((one) => one.label === label)
      if (choice === undefined) throw new Error(`There is no choice "${label}".`)
      world.apply(choice)
    }
    return { world, events: [], before: 0, choice: undefined }
  }

  /** The visit, with another list of effects that have just started. */
  function starting({ world, ...visit }: Visit, started: readonly string[]): Visit {
    const {
      engine,
      state,
      journal,
      modelCalls,
      fault,
      hasEnded,
      held,
      ignored,
      cancelled,
      sent,
      said,
      threads,
      crashes,
    } = world
    const run = {
      engine,
      state,
      journal,
      modelCalls,
      fault,
      hasEnded,
      held,
      ignored,
      cancelled,
      sent,
      said,
      threads,
    }
    return { ...visit, world: { ...run, crashes, started } }
  }

  test('an effect that has settled', () => {
    const visit = visitOf('retry')
    expect(nothingSettledIsRepeated(visit)).toBeUndefined()
    const settled = visit.world.journal.flatMap((entry) =>
      entry.type === 'effect.settled' ? [entry.key] : [],
    )
    expect(nothingSettledIsRepeated(starting(visit, settled))).toBe(
      `${settled[0]} has settled, and starts again.`,
    )
  })

  test.each<[OnInterrupted, string]>([
    ['ask', 'pay was interrupted, and is called again without the answer of a person: payer/call:1.1.'],
    ['fail', 'pay was interrupted and must fail, and is called again: payer/call:1.1.'],
  ])('a call of a tool that says %s', (says, message) => {
    const visit = visitOf('retry')
    expect(callsInDoubtAreDecided(visit)).toBeUndefined()
    expect(visit.world.started).toHaveLength(1)
    const { world } = visit
    const other = visitOf(says).world.state.registry
    const state = Object.create(world.state, { registry: { value: other } }) as typeof world.state
    expect(
      callsInDoubtAreDecided({ ...visit, world: { ...starting(visit, world.started).world, state } }),
    ).toBe(message)
  })
})
