/**
 * Draws any XState machine as a Mermaid `stateDiagram-v2`. States are in the order of the config, each
 * followed by its transitions; an arrow that crosses the border of a composite is written outside of all of them,
 * because Mermaid moves a state into the composite in whose body it is last mentioned.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { effectText, invokedEffects } from '../actors/charts/invoked-effects.ts'
import { aBoolean, aText, is, oneOf } from '../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  wrong,
  type Fields,
} from '../actors/strict/read-options.ts'
import { arrowsOf, isBox, isInside, statesOf, type Arrow, type Ends, type Point } from './arrows.ts'
import { MermaidIds, safeText } from './mermaid-syntax.ts'
import { entryLabel, linesOf, mainArrows, mergedLinesOf, outcomesOf, type Line } from './outline.ts'
import { actionsText } from './transition-text.ts'

/** The options of `toMermaid`. */
export interface MermaidOptions {
  /**
   * How many levels of nested states are shown, from 1; the default is all of them. With a depth, all transitions between
   * two states are one arrow with at most three labels, further labels are counted, and left out are transitions without a
   * target and guards that do not change where an event leads.
   */
  readonly depth?: number
  /**
   * The path of a composite state, for example `'preparing'` or `'preparing.processing'`: draws the inside of this state,
   * and, dashed, the outer states that its arrows lead to. Default: the whole machine.
   */
  readonly inside?: string
  /**
   * Draws the main paths alone; default `false`. Left out are loops, failures of children, and ways between two states that
   * any state leads to. Final states have a thick border, and those that the same states lead to with the same labels are
   * one box. A guard is a label without its event.
   */
  readonly overview?: boolean
  /** Top to bottom or left to right. Default: top to bottom, as Mermaid has it. */
  readonly direction?: 'TB' | 'LR'
  /** Shows the actions of transitions; default `false`. */
  readonly actions?: boolean
  /** Shows the descriptions of states as notes; default `false`. */
  readonly notes?: boolean
  /**
   * Shows the effects that a state invokes below its name, by their kinds: `model`, `tool` and so on, and `custom` with the
   * name that `defineEffect` gives it. Default `false`.
   */
  readonly effects?: boolean
}

const fields = {
  depth: withDefault(
    is('at least 1', (given) => typeof given === 'number' && given >= 1),
    Infinity,
  ),
  inside: optional(aText),
  overview: withDefault(aBoolean, false),
  direction: optional(oneOf('TB', 'LR')),
  actions: withDefault(aBoolean, false),
  notes: withDefault(aBoolean, false),
  effects: withDefault(aBoolean, false),
} satisfies Fields<MermaidOptions>

/**
 * Returns the machine as the text of a Mermaid state diagram; the same machine always gives the same text.
 * A transition of the whole machine, or of a composite into itself, is one arrow from an "any state"; it does not hold for
 * an inner state that handles the event differently. Where that is not drawn, the name of the "any state" says so.
 * Throws a `ConfigurationError` for a wrong option.
 */
export function toMermaid(machine: AnyStateMachine, options: MermaidOptions = {}): string {
  const read = readOptions<MermaidOptions>(options, 'toMermaid', fields)
  const { depth, inside, overview, direction, actions, notes, effects } = { ...defaultsOf(fields), ...read }

  const { root } = machine
  const scope = { inside: inside === undefined ? root : compositeAt(root, inside), depth }
  const ids = new MermaidIds(root)
  const isMerged = overview || depth !== Infinity
  const all = arrowsOf(scope, { withActions: actions, isMerged })
  const chosen = overview ? mainArrows(all) : all
  const boxes = new Map<AnyStateNode, readonly AnyStateNode[]>()
  if (overview) {
    const finals = statesOf(root).filter(({ type }) => type === 'final')
    for (const states of outcomesOf(finals, chosen)) for (const state of states) boxes.set(state, states)
  }
  const drawn = chosen.map(intoBox)
  const arrows = isMerged ? mergedLinesOf(drawn, overview) : linesOf(drawn)

  const top = scope.inside
  const crossing = arrows.filter((arrow) => !isInBody(arrow))
  const lines = isBox(top)
    ? [...directionLines(), initialLine(top, []), ...stateLines(top, true), ...arrowLines(crossing)]
    : bodyLines(top)
  return ['stateDiagram-v2', ...indented([...lines, ...outerLines()]), ''].join('\n')

  /** The state as a box or by name; empty where an arrow that names it is enough. */
  function stateLines(state: AnyStateNode, isMentioned: boolean): string[] {
    const id = ids.idOf(state)
    const name = boxes.get(state)?.map(nameOf).join(lineBreak) ?? titleOf(state)
    const note = notes && state.description ? [`note right of ${id} : ${safeText(state.description)}`] : []
    const title = name === id ? id : `"${name}" as ${id}`
    if (hasVisibleStates(state)) return [`state ${title} {`, ...indented(bodyLines(state)), '}', ...note]
    if (name !== id) return [`state ${title}`, ...note]
    return isMentioned && note.length === 0 ? [] : [id, ...note]
  }

  function titleOf(state: AnyStateNode): string {
    const performed = effects ? invokedEffects(state).filter((effect) => effect !== undefined) : []
    return [nameOf(state), ...new Set(performed.map((effect) => safeText(effectText(effect))))].join(
      lineBreak,
    )
  }

  function bodyLines(parent: AnyStateNode): string[] {
    const children = Object.values(parent.states).filter((child) => boxOf(child) === child)
    if (parent.type === 'parallel') {
      return children.flatMap((region, index) => [
        ...(index === 0 ? [] : ['--']),
        ...stateLines(region, false),
      ])
    }
    const local = arrows.filter((arrow) => bodyOf(arrow) === parent)
    const outgoing = parent === top ? [...local, ...crossing] : local
    const initial = parent.initial.target[0]
    const mentioned = new Set([initial, ...local.flatMap(({ from, to }) => [from.state, to.state])])
    return [
      ...directionLines(),
      ...(initial === undefined ? [] : [initialLine(initial, parent.initial.actions)]),
      ...children.flatMap((child) => [
        ...stateLines(child, mentioned.has(child) || child.type === 'final'),
        ...arrowLines(outgoing.filter(({ from }) => isFrom(from, child))),
        ...(child.type === 'final' && !isMarked(child) ? [`${ids.idOf(child)} --> [*]`] : []),
      ]),
      ...(['entry', 'any'] as const).flatMap((as) => groupLines({ state: parent, as }, outgoing)),
    ]
  }

  /** The arrows of a point that is no state, after its name. */
  function groupLines(group: Point, outgoing: readonly Line[]): string[] {
    const isOfGroup = ({ from }: Line): boolean => from.as === group.as && from.state === group.state
    const ofGroup = arrows.filter(isOfGroup)
    if (ofGroup.length === 0) return []
    return [
      ...(group.as === 'any' ? [`state "${anyTitle(ofGroup)}" as ${ids.idOfPoint(group)}`] : []),
      ...arrowLines(outgoing.filter(isOfGroup)),
    ]
  }

  /** A drawing of all transitions has the exceptions; any other names them. */
  function anyTitle(some: readonly Line[]): string {
    if (!isMerged) return 'any state'
    const name = some.some(({ from, to }) => isInside(to.state, from.state)) ? 'any other state' : 'any state'
    const isUnless = some.some(({ isOverridden }) => isOverridden)
    return isUnless ? [`${name},`, 'unless it handles', 'the event differently'].join(lineBreak) : name
  }

  /** The titles of the states outside, and the borders of states. */
  function outerLines(): string[] {
    const outer = [...new Set(arrows.map(({ to }) => to.state))].filter(isOuter)
    return [
      ...outer.flatMap((state) => stateLines(state, true)),
      ...(outer.length === 0 ? [] : ['classDef outside fill:none,stroke-dasharray:4']),
      ...(arrows.some(({ to }) => isMarked(to.state)) ? ['classDef final stroke-width:3px'] : []),
    ]
  }

  function initialLine(state: AnyStateNode, initialActions: readonly unknown[]): string {
    const text = actions ? actionsText(initialActions) : ''
    return line('[*]', ids.idOf(boxOf(state)), text === '' ? [] : [text])
  }

  /** Distinct, because transitions to hidden states may look the same. */
  function arrowLines(some: readonly Line[]): string[] {
    return [
      ...new Set(
        some.map(({ from, to, labels }) => {
          const style = isOuter(to.state) ? ':::outside' : isMarked(to.state) ? ':::final' : ''
          return line(ids.idOfPoint(from), ids.idOfPoint(to) + style, labels)
        }),
      ),
    ]
  }

  /** Whether the arrow is written in the body of a composite, and not outside of all. */
  function isInBody(arrow: Ends): boolean {
    const body = bodyOf(arrow)
    return body !== undefined && (body === top || isInside(body, top))
  }

  /** The arrow into the box of its final state. A box that names several needs no label that repeats one. */
  function intoBox(arrow: Arrow): Arrow {
    const { state } = arrow.to
    const isShared = (boxes.get(state)?.length ?? 0) > 1
    const words = isShared && entryLabel(arrow) === '' ? { guard: '' } : {}
    return { ...arrow, ...words, to: { ...arrow.to, state: boxOf(state) } }
  }

  /** The state that stands for it: the first of its outcomes. */
  function boxOf(state: AnyStateNode): AnyStateNode {
    return boxes.get(state)?.[0] ?? state
  }

  function directionLines(): string[] {
    return direction === undefined ? [] : [`direction ${direction}`]
  }

  function hasVisibleStates(state: AnyStateNode): boolean {
    const isShallow = state.path.length < top.path.length + depth
    return Object.keys(state.states).length > 0 && isShallow && !isOuter(state)
  }

  /** Whether a thick border says that the state is final. Mermaid has borders for states of the outermost body only. */
  function isMarked(state: AnyStateNode): boolean {
    const isOutermost = state.parent === top && !isBox(top)
    return overview && isOutermost && state.type === 'final' && arrows.some(({ to }) => to.state === state)
  }

  function isOuter(state: AnyStateNode): boolean {
    return state !== top && !isInside(state, top)
  }
}

function compositeAt(root: AnyStateNode, path: string): AnyStateNode {
  const composites = statesOf(root)
    .slice(1)
    .filter((state) => Object.keys(state.states).length > 0)
  const state = composites.find((composite) => composite.path.join('.') === path)
  if (state !== undefined) return state
  throw wrong(path, 'toMermaid: inside', `a composite state of ${root.key}`)
}

/** The composite in whose body the arrow is written: the one that both ends are in. */
function bodyOf({ from, to }: Ends): AnyStateNode | undefined {
  const body = homeOf(from)
  return body !== undefined && body.type !== 'parallel' && body === homeOf(to) ? body : undefined
}

function homeOf({ state, as }: Point): AnyStateNode | undefined {
  return as === 'itself' ? state.parent : state
}

/** Whether the arrow starts at the state or at something inside it. */
function isFrom({ state }: Point, start: AnyStateNode): boolean {
  return state === start || isInside(state, start)
}

function nameOf(state: AnyStateNode): string {
  if (state.type === 'history') return state.history === 'deep' ? 'H*' : 'H'
  return safeText(state.key)
}

const lineBreak = '<br>'

function line(from: string, to: string, labels: readonly string[]): string {
  const text = labels.map(safeText).join(lineBreak)
  return text === '' ? `${from} --> ${to}` : `${from} --> ${to} : ${text}`
}

function indented(lines: readonly string[]): string[] {
  return lines.map((text) => `  ${text}`)
}
