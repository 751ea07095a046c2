/** Charts to draw: those of the library, those of users, and random ones. */
import fc from 'fast-check'
import { createTroupe, type Chart } from 'troupe'
import { createMachine, type AnyStateMachine } from 'xstate'
import { chartOf } from '../../../../src/actors/charts/chart.ts'
import { patterns, seededTeam } from '../../../restate/soak/seeded-team.ts'

/** The charts of all patterns, and of the machines below them. */
export function libraryCharts(): readonly Chart[] {
  const charts = patterns.flatMap((pattern) =>
    createTroupe({ agents: [seededTeam(0, pattern).root] }).charts(),
  )
  return [...new Map(charts.map((chart) => [chart.id, chart])).values()]
}

/** Regions side by side, one of them with a composite state, and a transition between them. */
export const parallel = createMachine({
  id: 'upload',
  type: 'parallel',
  on: { reset: '.transfer.idle' },
  states: {
    transfer: {
      initial: 'idle',
      on: { drop: '.idle' },
      states: {
        idle: { on: { start: 'sending' } },
        sending: { initial: 'first', states: { first: { on: { next: 'rest' } }, rest: {} } },
      },
    },
    notice: {
      initial: 'hidden',
      states: {
        hidden: { on: { fail: 'shown' } },
        shown: { on: { retry: '#upload.transfer.sending.rest' } },
      },
    },
    lamp: {},
  },
})

/** Regions inside a state, below other states. */
export const nested = createMachine({
  id: 'order',
  initial: 'open',
  states: {
    open: { on: { pay: 'working' } },
    working: {
      type: 'parallel',
      states: {
        packing: {
          initial: 'waiting',
          states: { waiting: { on: { pack: 'packed' } }, packed: { type: 'final' } },
        },
        billing: { initial: 'due', states: { due: { on: { bill: 'billed' } }, billed: { type: 'final' } } },
      },
      onDone: 'sent',
      on: { cancel: 'lost' },
    },
    sent: { type: 'final' },
    lost: { type: 'final' },
  },
})

/** States in states, eight deep, with a way from the innermost to the outermost. */
export const deep: AnyStateMachine = createMachine({
  id: 'deep',
  initial: 'level',
  states: { level: levelsBelow(8), end: {} },
})

function levelsBelow(levels: number): object {
  if (levels === 0) return { on: { leave: '#deep.end', stay: {} } }
  return { initial: 'level', states: { level: levelsBelow(levels - 1), beside: { on: { down: 'level' } } } }
}

/** A hundred states without a description, each with a way to the next, and to one further on. */
export const hundred = createMachine({
  id: 'hundred',
  initial: 's0',
  states: Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      `s${at}`,
      { on: { next: `s${(at + 1) % 100}`, jump: `s${(at * 7) % 100}` } },
    ]),
  ),
})

/** Nothing to draw but one state. */
export const single = createMachine({ id: 'single' })

export const userCharts: readonly Chart[] = [parallel, nested, deep, hundred, single].map(chartOf)

/** Machines of one or two levels with any transitions, and with texts of any length. */
export const anyChart: fc.Arbitrary<Chart> = fc
  .record({
    outer: fc.integer({ min: 1, max: 9 }),
    inner: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 9, maxLength: 9 }),
    length: fc.integer({ min: 1, max: 40 }),
    isParallel: fc.boolean(),
    steps: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 2 })), { maxLength: 40 }),
  })
  .map(({ outer, inner, length, isParallel, steps }) => {
    const name = (at: number): string => `s${at}`.padEnd(length, 'x')
    const paths = Array.from({ length: outer }, (_, at) => [
      name(at),
      ...Array.from({ length: inner[at] ?? 0 }, (_, below) => `${name(at)}.${name(below)}`),
    ]).flat()
    const ways = steps.map(([from, to, guard]) => ({
      source: paths[from % paths.length] ?? '',
      target: paths[to % paths.length] ?? '',
      guard: guard === 0 ? undefined : `guard${guard}`,
    }))
    const state = (path: string, key: string, below: readonly string[]): Chart => ({
      id: key,
      name: key,
      path,
      type: below.length === 0 ? 'atomic' : path === '' && isParallel ? 'parallel' : 'compound',
      ...(below[0] === undefined || (path === '' && isParallel) ? {} : { initial: below[0] }),
      invokes: [],
      transitions: ways
        .filter(({ source }) => source === path)
        .map(({ target, guard }) => ({
          event: 'go',
          label: 'go',
          ...(guard === undefined ? {} : { guard }),
          targets: [target],
          actions: [],
        })),
      states: below.map((one) => {
        const inside = paths.filter((other) => other.startsWith(`${one}.`))
        return state(one, one.slice(one.lastIndexOf('.') + 1), inside)
      }),
    })
    return state(
      '',
      'random',
      paths.filter((path) => !path.includes('.')),
    )
  })
