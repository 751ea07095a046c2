/** `toSvg`: legible, the same each time, with every arrow, and safe with names of others. */
import fc from 'fast-check'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  chartOf,
  createAgent,
  createSupervisor,
  createTool,
  type AgentDefinition,
  type JournalEntry,
  type RunEvent,
} from 'troupe'
import { toSvg } from 'troupe/diagram'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { createMachine, type AnyStateMachine, type AnyStateNode } from 'xstate'
import { z } from 'zod'
import { drawings } from '../../../scripts/drawings.ts'
import { drawnMachines } from '../../../scripts/machines.ts'
import { patterns, seededTeam } from '../../restate/soak/seeded-team.ts'
import { anyChart, deep, hundred, nested, parallel, single } from '../../inspector/page/chart/charts.ts'
import { assertLegible, readDrawing } from './drawn-texts.ts'
import { machineSubjects, teamSubjects } from './subjects.ts'

const corpus = join(import.meta.dirname, '../../durability/corpus/journals')

interface Recorded {
  readonly journal: readonly JournalEntry[]
}

const machines = await drawnMachines()

describe('every chart of the library, and the inside of each of its states,', () => {
  test('is legible in both themes', async () => {
    const subjects = await machineSubjects()
    expect(subjects.length).toBeGreaterThan(90)
    for (const { draw } of subjects)
      for (const theme of ['light', 'dark'] as const) assertLegible(draw({ theme }))
  })

  test.each(machines.map((machine) => [machine.id, machine] as const))(
    'of %s has every arrow',
    (_, machine) => {
      expect(arrowsIn(toSvg(machine))).toEqual(arrowsOf(machine))
    },
  )

  test('keeps its labels, or says what the numbers in their places mean', () => {
    const { texts } = readDrawing(toSvg(machines.find(({ id }) => id === 'supervisor') ?? expect.fail()))
    const shown = texts.map(({ text }) => text)
    const meaning = shown.find((text) => text.endsWith(' thinking → acting: [hasToolCalls]')) ?? expect.fail()
    expect(shown).toContain(meaning.split(' ', 1)[0])
  })
})

test('a delegation leads to its seven ends, each by its own arrow', () => {
  const svg = toSvg(machines.find(({ id }) => id === 'delegation') ?? expect.fail())
  expect(svg).toContain('<title>reviewing → bailed: [hookBails]</title>')
  expect(svg).toContain('<title>reviewing → succeeded: [endsAs succeeded]</title>')
  const ends = ['succeeded', 'bailed', 'rejected', 'failed', 'timedOut', 'exhausted', 'cancelled']
  expect(ends.filter((end) => svg.split(`<title>${end}</title>`).length !== 2)).toEqual([])
})

describe('machines of users', () => {
  test.each(
    [parallel, nested, deep, single].map((machine) => [machine.id, machine as AnyStateMachine] as const),
  )('%s is legible', (_, machine) => assertLegible(toSvg(machine)))

  test('one of a hundred states has no text over another, and is as wide as it must be', () => {
    assertLegible(toSvg(hundred), { isNarrow: false })
  })

  test('any machine has no text over another', () => {
    fc.assert(
      fc.property(anyChart, (chart) => assertLegible(toSvg(chart), { isNarrow: false })),
      { numRuns: 40 },
    )
  })

  test('a transition into the same state stands in its box, one of all states above them', () => {
    const machine = createMachine({
      id: 'lamp',
      initial: 'off',
      on: { break: '.broken' },
      states: { off: { on: { press: 'on', dim: 'off' } }, on: {}, broken: { type: 'final' } },
    })
    const shown = readDrawing(toSvg(machine)).texts.map(({ text }) => text)
    expect(shown).toContain('↻ dim')
    expect(shown).toContain('In any state: break → broken')
  })
})

describe('the teams of all examples', () => {
  test('are legible in both themes', async () => {
    const subjects = await teamSubjects()
    expect(subjects.length).toBeGreaterThan(38)
    for (const { draw } of subjects)
      for (const theme of ['light', 'dark'] as const) assertLegible(draw({ theme }))
  })

  test('agents of every pattern are legible', () => {
    for (const pattern of patterns) assertLegible(toSvg(seededTeam(1, pattern).root))
  })
})

describe('a team', () => {
  const model = scriptedModel([])
  const inputSchema = z.object({ order: z.string() })
  const refund = createTool({
    id: 'refund',
    description: 'Pays.',
    inputSchema,
    requireApproval: true,
    execute: () => 1,
  })
  const payer = createAgent({ id: 'payer', description: 'Pays.', model, tools: { refund } })

  test('shows tools, limits, delegations and handoffs', () => {
    const clerk = createAgent({ id: 'clerk', description: 'Talks.', model, handoffs: [payer], maxSteps: 3 })
    const desk = createSupervisor({
      id: 'desk',
      model,
      agents: { front: clerk },
      budget: { modelCalls: 9 },
      backgroundTasks: { front: { concurrency: 2 } },
    })
    const svg = toSvg(desk)
    const shown = readDrawing(svg).texts.map(({ text }) => text)
    expect(shown).toEqual(
      expect.arrayContaining([
        'desk',
        'supervisor · scripted',
        'budget: 9 model calls',
        'front, in the background',
        'clerk',
        'at most 3 steps',
        'hands off',
        'refund · asks first',
      ]),
    )
    expect(svg).toContain('<title>clerk may hand its conversation to payer</title>')
  })

  test('of agents that hand a conversation to each other is drawn, and each agent once', () => {
    const one: AgentDefinition = createAgent({ id: 'one', description: 'One.', model, handoffs: [() => two] })
    const two: AgentDefinition = createAgent({ id: 'two', description: 'Two.', model, handoffs: [one] })
    const svg = toSvg([one, two])
    assertLegible(svg)
    expect(readDrawing(svg).texts.filter(({ text }) => text === 'one')).toHaveLength(1)
  })

  test('of thirty subagents is as narrow as a page', () => {
    const agents = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `agent${at}`,
        createAgent({ id: `agent-${at}`.replace('agent-', 'worker'), description: 'Works.', model }),
      ]),
    )
    assertLegible(toSvg(createSupervisor({ id: 'lead', model, agents })))
  })
})

describe('a run', () => {
  test('is a sequence of what was said, from its events', async () => {
    const [, { subject } = expect.fail()] = await drawings()
    const svg = toSvg(subject)
    assertLegible(svg)
    const shown = readDrawing(svg).texts.map(({ text }) => text)
    expect(shown).toEqual(
      expect.arrayContaining([
        'caller',
        'workshop',
        'mechanic',
        'clerk',
        'My bicycle rattles.',
        'clerk is rejected: Nobody has looked at it yet.',
        'What is wrong with the bicycle?',
        'asks: order {&#34;part&#34;:&#34;chain&#34;,&#34;euros&#34;:24}',
        'yes: order, by ann',
        'completed: The chain is worn. A new one comes on Tuesday.',
      ]),
    )
  })

  test.each(readdirSync(corpus))('is drawn from its journal alone, without its agents: %s', (name) => {
    const { journal } = JSON.parse(readFileSync(join(corpus, name), 'utf8')) as Recorded
    const started = journal[0]
    if (started?.type !== 'run.started') return expect.fail()
    const svg = toSvg(journal)
    assertLegible(svg)
    const shown = readDrawing(svg).texts.map(({ text }) => text)
    expect(shown).toEqual(expect.arrayContaining(['caller', started.agent, started.task]))
  })

  test('of many rows keeps the first and the last ones', () => {
    const event = (at: number): RunEvent => ({
      type: 'tool-call',
      at,
      runId: 'run',
      agent: 'clerk',
      path: 'clerk',
      payload: { toolCallId: String(at), toolName: `look${at}`, args: {} },
    })
    const shown = readDrawing(toSvg(Array.from({ length: 10_000 }, (_, at) => event(at)))).texts
    expect(shown.map(({ text }) => text)).toEqual([
      'clerk',
      ...Array.from({ length: 90 }, (_, at) => `look${at} {}`),
      '9880 rows are left out',
      ...Array.from({ length: 30 }, (_, at) => `look${at + 9970} {}`),
    ])
  })

  test('of forty agents has room for the first ones, and a line for the others', () => {
    const event = (at: number): RunEvent => ({
      type: 'abort',
      at,
      runId: 'run',
      agent: `agent${at}`,
      path: `agent${at}`,
      payload: { reason: 'enough' },
    })
    const svg = toSvg(Array.from({ length: 40 }, (_, at) => event(at)))
    assertLegible(svg)
    expect(readDrawing(svg).texts.map(({ text }) => text)).toContain('28')
  })

  test('without events is a line of nobody', () => {
    expect(readDrawing(toSvg([])).texts.map(({ text }) => text)).toEqual(['caller'])
  })
})

describe('texts of others', () => {
  const hostile = [
    '</svg><script>alert(1)</script>',
    '"onload="alert(1)',
    'pay\u202Eeno\u202C',
    'a\u0000b\u0007c',
    '\ud800 half',
    '漢字と日本語の名前',
    'שלום עולם',
    '👩‍👩‍👧‍👦',
    'x'.repeat(1_000_000),
  ]

  test.each(hostile.map((text) => [text.slice(0, 30), text]))('%j stays a text, in a machine', (_, text) => {
    const machine = createMachine({
      id: 'hostile',
      initial: 'start',
      states: {
        start: { description: text, on: { [text.replaceAll('.', '')]: { target: 'end', guard: text } } },
        end: { type: 'final' },
      },
    })
    const chart = chartOf(machine)
    const [first = expect.fail(), ...others] = chart.states
    assertSafe(toSvg({ ...chart, id: text, states: [{ ...first, name: text }, ...others] }))
  })

  test.each(hostile.map((text) => [text.slice(0, 30), text]))('%j stays a text, in a run', (_, text) => {
    const envelope = { at: 0, runId: 'run', agent: text, path: text }
    const events: readonly RunEvent[] = [
      { ...envelope, type: 'run-start', payload: { task: text } },
      { ...envelope, type: 'tool-call', payload: { toolCallId: '1', toolName: text, args: { text } } },
      { ...envelope, type: 'handoff', payload: { from: text, to: 'other', reason: text } },
    ]
    assertSafe(toSvg(events))
  })

  function assertSafe(svg: string): void {
    assertLegible(svg)
    expect(svg.length).toBeLessThan(60_000)
    expect(svg).not.toMatch(/<script|<\/svg>[^]*<\/svg>/)
    // oxlint-disable-next-line no-control-regex -- what XML cannot hold, and what turns the direction of a text
    expect(svg).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/)
    expect(svg.isWellFormed()).toBe(true)
    expect(svg.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>"]/)
  }
})

describe('the document', () => {
  const lamp = createMachine({ id: 'lamp', initial: 'off', states: { off: { on: { press: 'on' } }, on: {} } })

  test('is the same each time, and the same for the chart of a machine', () => {
    for (const machine of machines) {
      const svg = toSvg(machine)
      expect(toSvg(machine)).toBe(svg)
      expect(toSvg(structuredClone(chartOf(machine)))).toBe(svg)
    }
  })

  test('has no script, no style sheet, no id and no address', () => {
    const svg = toSvg(lamp).replace('xmlns="http://www.w3.org/2000/svg"', '')
    expect(svg).not.toMatch(/<script|<style|\bid="|href|url\(|http/)
  })

  test('has a name and a description for those who do not see it', () => {
    const svg = toSvg(lamp)
    expect(svg).toContain('role="img"')
    expect(svg).toContain('<title>The chart lamp</title>\n<desc>States: off, on.</desc>')
  })

  test.each([
    [{ theme: 'blue' }],
    [{ width: 100 }],
    [{ width: Number.POSITIVE_INFINITY }],
    [{ rows: 1 }],
    [{ inside: 'gone' }],
    [{ inside: 'off' }],
    [{ unknown: true }],
  ])('is refused for the options %j', (options) => {
    expect(() => toSvg(lamp, options as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    )
  })

  test.each([[undefined], [null], [7], ['lamp'], [{}], [[1]], [[lamp]], [[null]]])(
    'is refused for %j',
    (subject) => {
      expect(() => toSvg(subject as unknown as AnyStateMachine)).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
      )
    },
  )
})

// The arrows of a machine, found without the layout: between its outermost states, by the states that they begin and end in.

function arrowsOf({ root }: AnyStateMachine): readonly string[] {
  const all = (state: AnyStateNode): readonly AnyStateNode[] => [
    state,
    ...Object.values(state.states).flatMap(all),
  ]
  const pairs = all(root)
    .slice(1)
    .flatMap((source) =>
      [...[...source.transitions.values()].flat(), ...(source.always ?? [])].flatMap(({ target = [] }) =>
        target.map(({ path: [to] }) => [source.path[0], to] as const),
      ),
    )
  return [
    ...new Set(pairs.filter(([from, to]) => from !== to).map(([from, to]) => `${from} → ${to}`)),
  ].toSorted()
}

function arrowsIn(svg: string): readonly string[] {
  const titles = [...svg.matchAll(/<title>([\w]+ → [\w]+): /g)].map(([, title = '']) => title)
  const tips = svg.match(/z" fill=/g) ?? []
  // One more: the arrow to the initial state.
  expect(tips).toHaveLength(titles.length + 1)
  return titles.toSorted()
}
