import fc from 'fast-check'
import { and, createMachine, not, type AnyStateNode } from 'xstate'
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
    overview: fc.boolean(),
  },
  { requiredKeys: [] },
)

test('every machine is drawn as Mermaid can draw it, with each state in its place', () => {
  fc.assert(
    fc.property(machines, options, (machine, chosen) => {
      const diagram = toMermaid(machine, chosen)
      expect(toMermaid(machine, chosen)).toBe(diagram)

      const { parents } = checkMermaid(diagram)
      if (chosen.overview === true) return // final states may share a box
      expect(depthsIn(parents)).toEqual(insideDepths(machine.root, chosen.depth))
    }),
  )
})

test('the inside of every composite is drawn as Mermaid can draw it', () => {
  fc.assert(
    fc.property(machines, options, (machine, chosen) => {
      for (const state of statesOf(machine.root).slice(1)) {
        if (Object.keys(state.states).length === 0) continue
        const inside = state.path.join('.')
        const diagram = toMermaid(machine, { ...chosen, inside })
        const { parents } = checkMermaid(diagram)
        if (chosen.overview === true) continue
        const outer = new Set([...diagram.matchAll(/(\S+):::outside/g)].map(([, id]) => id))
        const drawn = new Map([...parents].filter(([id]) => !outer.has(id)))
        expect(depthsIn(drawn)).toEqual(insideDepths(state, chosen.depth))
      }
    }),
  )
})

function depthsIn(parents: ReadonlyMap<string, string | undefined>): number[] {
  return [...parents]
    .filter(([state]) => !/^(?:any|several)(?:_|$)/.test(state))
    .map(([, parent]) => depthOf(parent, parents))
    .toSorted((a, b) => a - b)
}

function depthOf(parent: string | undefined, parents: ReadonlyMap<string, string | undefined>): number {
  return parent === undefined ? 0 : 1 + depthOf(parents.get(parent), parents)
}

/** How deep the state and those inside it are in the drawing of its inside, where it is itself a box or is not drawn. */
function insideDepths(top: AnyStateNode, depth = Infinity): number[] {
  const isBox = top.type !== 'compound'
  return statesOf(top)
    .map((state) => state.path.length - top.path.length)
    .filter((length) => length <= depth && (isBox || length > 0))
    .map((length) => (isBox ? length : length - 1))
    .toSorted((a, b) => a - b)
}
