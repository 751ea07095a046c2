import fc from 'fast-check'
import { and, createMachine, not, type AnyStateMachine } from 'xstate'
import { expect, test } from 'vitest'
import { statesOf } from '../../src/diagram/arrows.ts'
import { toMermaid } from '../../src/diagram/index.ts'
import { checkMermaid } from './mermaid-grammar.ts'

const words = [
  'a',
  'b',
  'c',
  'root',
  'note',
  'default',
  'a_start',
  'tool:call',
  'x y',
  'x_y',
  'lr',
  'direction',
  '"q"',
]

interface Shape {
  readonly key: string
  readonly kind: 'compound' | 'parallel' | 'final' | 'history'
  readonly description: string
  readonly children: readonly Shape[]
  readonly arrows: readonly Edge[]
}

/** `target` counts states in document order, modulo their number. */
interface Edge {
  readonly event: string
  readonly target: number | undefined
  readonly guard: number
}

const guards = [
  undefined,
  'isX',
  { type: 'endsAs', params: { how: 'x;y' } },
  and(['a', not('b')]),
  () => true,
]
const events = [...words, '*', 'change direction', 'e;f', 'xstate.done.actor.*', 'always', 'after']

const edge = fc.record<Edge>({
  event: fc.constantFrom(...events),
  target: fc.option(fc.nat(), { nil: undefined }),
  guard: fc.nat(guards.length - 1),
})

const shape = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    key: fc.constantFrom(...words),
    kind: fc.constantFrom('compound', 'compound', 'parallel', 'final', 'history'),
    description: fc.constantFrom(...words),
    children: fc.oneof(
      { maxDepth: 3 },
      fc.constant([]),
      fc.array(tie('shape'), { minLength: 1, maxLength: 4 }),
    ),
    arrows: fc.array(edge, { maxLength: 3 }),
  }),
})).shape

const machines = shape.map((root) => {
  let count = 0
  const number = (state: Shape): number =>
    1 + uniqueChildren(state).reduce((sum, child) => sum + number(child), 0)
  const total = number(root)

  function config(state: Shape, isRoot: boolean): object {
    const id = `s${count++}`
    const children = uniqueChildren(state)
    const isLeaf = children.length === 0
    if (!isRoot && isLeaf && state.kind === 'history') return { id, type: 'history' }
    if (!isRoot && isLeaf && state.kind === 'final') return { id, type: 'final' }
    const on: Record<string, object[]> = {}
    for (const { event, target, guard } of state.arrows) {
      const transition = {
        target: target === undefined ? undefined : `#s${target % total}`,
        guard: guards[guard],
      }
      ;(on[event] ??= []).push(transition)
    }
    const { always, after, ...rest } = on
    return {
      id,
      description: state.description,
      on: rest,
      ...(always && { always }),
      ...(after && { after: { 100: after } }),
      ...(isLeaf
        ? {}
        : { states: Object.fromEntries(children.map((child) => [child.key, config(child, false)])) }),
      ...(isLeaf ? {} : state.kind === 'parallel' ? { type: 'parallel' } : { initial: children[0]?.key }),
    }
  }
  return createMachine(config(root, true))
})

function uniqueChildren(state: Shape): Shape[] {
  return state.children.filter((child, index, all) => all.findIndex(({ key }) => key === child.key) === index)
}

const options = fc.record(
  {
    depth: fc.integer({ min: 1, max: 4 }),
    direction: fc.constantFrom('TB' as const, 'LR' as const),
    actions: fc.boolean(),
    notes: fc.boolean(),
  },
  { requiredKeys: [] },
)

test('every machine is drawn as Mermaid can draw it, with each state in its place', () => {
  fc.assert(
    fc.property(machines, options, (machine, chosen) => {
      const diagram = toMermaid(machine, chosen)
      expect(toMermaid(machine, chosen)).toBe(diagram)

      const { parents } = checkMermaid(diagram)
      const drawn = [...parents].filter(([state]) => !/^any(?:_|$)/.test(state))
      expect(drawn.map(([, parent]) => depthOf(parent, parents)).toSorted((a, b) => a - b)).toEqual(
        shownDepths(machine, chosen.depth),
      )
    }),
  )
})

function depthOf(parent: string | undefined, parents: ReadonlyMap<string, string | undefined>): number {
  return parent === undefined ? 0 : 1 + depthOf(parents.get(parent), parents)
}

function shownDepths(machine: AnyStateMachine, depth = Infinity): number[] {
  const isBox = machine.root.type !== 'compound'
  return statesOf(machine.root)
    .map((state) => state.path.length)
    .filter((length) => length <= depth && (isBox || length > 0))
    .map((length) => (isBox ? length : length - 1))
    .toSorted((a, b) => a - b)
}
