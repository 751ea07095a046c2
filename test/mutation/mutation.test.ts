import { expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import type { Judged } from './judge.ts'
import { mutated } from './mutant.ts'
import { mutate } from './operators/index.ts'
import { sample } from './sample.ts'
import { reportOf, scoreOf } from './score.ts'

const chart = `
export const machine = machineSetup.createMachine({
  initial: 'asking',
  on: { cancel: '.ended' },
  states: {
    asking: {
      entry: ['begin', 'announce'],
      always: [{ guard: 'isDone', target: 'ended', actions: 'end' }, { target: 'waiting' }],
    },
    waiting: waiting({ passed: 'asking' }),
    ended: { type: 'final' },
  },
})
`

const words = `
export const machineSetup = setup({
  guards: { isDone: ({ context }) => context.left === 0 },
  actions: { end: assign(({ context }) => ({ ending: { outcome: 'completed' }, left: context.left - 1 })) },
})
`

/** The line of each mutant, changed, by its operator. */
function changed(source: string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const mutant of mutate('file.ts', source)) {
    const line = mutated(source, mutant).split('\n')[mutant.line - 1] ?? ''
    found[mutant.operator] = [...(found[mutant.operator] ?? []), line.trim()]
  }
  return found
}

test('charts lose guards, targets, transitions and actions', () => {
  expect(changed(chart)).toEqual({
    'redirect target': [
      "initial: 'ended',",
      "on: { cancel: 'asking' },",
      "always: [{ guard: 'isDone', target: 'waiting', actions: 'end' }, { target: 'waiting' }],",
      "always: [{ guard: 'isDone', target: 'ended', actions: 'end' }, { target: '.ended' }],",
      "waiting: waiting({ passed: 'ended' }),",
    ],
    'remove transition': [
      'on: {  },',
      "always: [ { target: 'waiting' }],",
      "always: [{ guard: 'isDone', target: 'ended', actions: 'end' }, ],",
    ],
    'drop action': [
      "entry: [ 'announce'],",
      "entry: ['begin', ],",
      "always: [{ guard: 'isDone', target: 'ended',  }, { target: 'waiting' }],",
    ],
    'drop guard': ["always: [{  target: 'ended', actions: 'end' }, { target: 'waiting' }],"],
  })
})

test('code loses fields, and has other operators, outcomes and constants', () => {
  expect(changed(words)).toEqual({
    'negate guard': ['guards: { isDone: ({ context }) => !(context.left === 0) },'],
    'swap operator': [
      'guards: { isDone: ({ context }) => context.left !== 0 },',
      "actions: { end: assign(({ context }) => ({ ending: { outcome: 'completed' }, left: context.left + 1 })) },",
    ],
    constant: [
      'guards: { isDone: ({ context }) => context.left === 1 },',
      "actions: { end: assign(({ context }) => ({ ending: { outcome: 'completed' }, left: context.left - 2 })) },",
    ],
    'empty action': ['actions: { end: () => undefined },'],
    'drop field': [
      'actions: { end: assign(({ context }) => ({  left: context.left - 1 })) },',
      "actions: { end: assign(({ context }) => ({ ending: { outcome: 'completed' },  })) },",
    ],
    'swap outcome': [
      "actions: { end: assign(({ context }) => ({ ending: { outcome: 'exhausted' }, left: context.left - 1 })) },",
    ],
  })
})

test('a sample is the same for the same seed, and takes from each operator in turn', () => {
  const mutants = mutate('file.ts', chart)
  const taken = sample(mutants, 4, new Random('seed'))
  expect(taken).toEqual(sample(mutants, 4, new Random('seed')))
  expect(new Set(taken.map(({ operator }) => operator)).size).toBe(4)
})

test('a score has the lower bound of its interval', () => {
  const judged = Array.from({ length: 150 }, (_, position): Judged => ({
    id: `file.ts constant ${position}`,
    operator: 'constant',
    area: 'loop',
    kind: 'machine',
    line: 1,
    original: '1',
    replacement: '2',
    ...(position < 138 ? { killedBy: 'generated' } : {}),
    asked: ['goldens', 'generated'],
  }))
  const score = scoreOf(judged, ({ killedBy }) => killedBy !== undefined)
  expect(score).toMatchObject({ mutants: 150, killed: 138, share: 0.92 })
  expect(score.lower).toBeCloseTo(0.8757, 4)
  expect(reportOf(judged)).toContain('- file.ts constant 149 (line 1): `1` → `2`')
})
