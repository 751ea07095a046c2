/**
 * Draws any XState machine as a Mermaid `stateDiagram-v2`. States are in the order of the config, each
 * followed by its transitions; an arrow that crosses the border of a composite is written outside of all of them,
 * because Mermaid moves a state into the composite in whose body it is last mentioned.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { aBoolean, is, oneOf } from '../actors/strict/checks.ts'
import { defaultsOf, optional, readOptions, withDefault, type Fields } from '../actors/strict/read-options.ts'
import { arrowsOf, isBox, isInside, type Arrow, type Point } from './arrows.ts'
import { MermaidIds, safeText } from './mermaid-syntax.ts'
import { actionsText } from './transition-text.ts'

export interface MermaidOptions {
  /** How many levels of nested states are shown, from 1; the default is all of them. */
  readonly depth?: number
  /** Top to bottom or left to right. Default: top to bottom, as Mermaid has it. */
  readonly direction?: 'TB' | 'LR'
  /** Shows the actions of transitions; default `false`. */
  readonly actions?: boolean
  /** Shows the descriptions of states as notes; default `false`. */
  readonly notes?: boolean
}

const fields = {
  depth: withDefault(
    is('at least 1', (given) => typeof given === 'number' && given >= 1),
    Infinity,
  ),
  direction: optional(oneOf('TB', 'LR')),
  actions: withDefault(aBoolean, false),
  notes: withDefault(aBoolean, false),
} satisfies Fields<MermaidOptions>

/**
 * Returns the machine as the text of a Mermaid state diagram; the same machine always gives the same text.
 * A transition of the whole machine, or of a composite into itself, is one arrow from an "any state".
 * Throws a `ConfigurationError` for a wrong option.
 */
export function toMermaid(machine: AnyStateMachine, options: MermaidOptions = {}): string {
  const read = readOptions<MermaidOptions>(options, 'toMermaid', fields)
  const { depth, direction, actions, notes } = { ...defaultsOf(fields), ...read }

  const { root } = machine
  const ids = new MermaidIds(root)
  const arrows = arrowsOf(root, { depth, actions })

  const crossing = arrows.filter((arrow) => bodyOf(arrow) === undefined)
  const lines = isBox(root)
    ? [...directionLines(), initialLine(root, []), ...stateLines(root, true), ...arrowLines(crossing)]
    : bodyLines(root)
  return ['stateDiagram-v2', ...indented(lines), ''].join('\n')

  /** The state as a box or by name; empty where an arrow that names it is enough. */
  function stateLines(state: AnyStateNode, isMentioned: boolean): string[] {
    const id = ids.idOf(state)
    const name = nameOf(state)
    const note = notes && state.description ? [`note right of ${id} : ${safeText(state.description)}`] : []
    const title = name === id ? id : `"${name}" as ${id}`
    if (hasVisibleStates(state)) return [`state ${title} {`, ...indented(bodyLines(state)), '}', ...note]
    if (name !== id) return [`state ${title}`, ...note]
    return isMentioned && note.length === 0 ? [] : [id, ...note]
  }

  function bodyLines(parent: AnyStateNode): string[] {
    const children = Object.values(parent.states)
    if (parent.type === 'parallel') {
      return children.flatMap((region, index) => [
        ...(index === 0 ? [] : ['--']),
        ...stateLines(region, false),
      ])
    }
    const local = arrows.filter((arrow) => bodyOf(arrow) === parent)
    const outgoing = parent === root ? [...local, ...crossing] : local
    const initial = parent.initial.target[0]
    const mentioned = new Set([initial, ...local.flatMap(({ from, to }) => [from.state, to.state])])
    return [
      ...directionLines(),
      ...(initial === undefined ? [] : [initialLine(initial, parent.initial.actions)]),
      ...children.flatMap((child) => [
        ...stateLines(child, mentioned.has(child) || child.type === 'final'),
        ...arrowLines(outgoing.filter(({ from }) => from.state === child || isInside(from.state, child))),
        ...(child.type === 'final' ? [`${ids.idOf(child)} --> [*]`] : []),
      ]),
      ...(arrows.some(({ from }) => isAnyIn(from, parent))
        ? [`state "any state" as ${ids.anyIdOf(parent)}`]
        : []),
      ...arrowLines(outgoing.filter(({ from }) => isAnyIn(from, parent))),
    ]
  }

  function initialLine(state: AnyStateNode, initialActions: readonly unknown[]): string {
    return line('[*]', ids.idOf(state), actions ? actionsText(initialActions) : '')
  }

  /** Distinct, because transitions of hidden states may have become the same. */
  function arrowLines(some: readonly Arrow[]): string[] {
    return [...new Set(some.map(({ from, to, label }) => line(idOf(from), idOf(to), label)))]
  }

  function idOf(point: Point): string {
    return point.any ? ids.anyIdOf(point.state) : ids.idOf(point.state)
  }

  function directionLines(): string[] {
    return direction === undefined ? [] : [`direction ${direction}`]
  }

  function hasVisibleStates(state: AnyStateNode): boolean {
    return Object.keys(state.states).length > 0 && state.path.length < depth
  }
}

/** The composite in whose body the arrow is written: the one that both ends are in. */
function bodyOf({ from, to }: Arrow): AnyStateNode | undefined {
  const body = homeOf(from)
  return body !== undefined && body.type !== 'parallel' && body === homeOf(to) ? body : undefined
}

function homeOf(point: Point): AnyStateNode | undefined {
  return point.any ? point.state : point.state.parent
}

function isAnyIn(point: Point, parent: AnyStateNode): boolean {
  return point.any && point.state === parent
}

function nameOf(state: AnyStateNode): string {
  if (state.type === 'history') return state.history === 'deep' ? 'H*' : 'H'
  return safeText(state.key)
}

function line(from: string, to: string, label: string): string {
  return label === '' ? `${from} --> ${to}` : `${from} --> ${to} : ${safeText(label)}`
}

function indented(lines: readonly string[]): string[] {
  return lines.map((text) => `  ${text}`)
}
