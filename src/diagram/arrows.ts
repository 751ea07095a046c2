/**
 * The arrows of a drawing. Mermaid cannot draw an arrow between a box and something inside it (it ends in
 * mid-air, or the layout fails), so a transition of a composite into itself starts at an "any state" in
 * that composite, and one to an enclosing composite ends at the state in which that composite starts.
 */
import type { AnyStateNode } from 'xstate'
import { transitionText } from './transition-text.ts'

/** An end of an arrow: a state, or the "any state" inside it. */
export interface Point {
  readonly state: AnyStateNode
  readonly any: boolean
}

interface Ends {
  readonly from: Point
  readonly to: Point
}

export interface Arrow extends Ends {
  readonly label: string
}

export interface ArrowOptions {
  /** States below this depth are hidden; their transitions are drawn at the ancestor that is shown. */
  readonly depth: number
  readonly actions: boolean
}

export function arrowsOf(root: AnyStateNode, options: ArrowOptions): Arrow[] {
  return statesOf(root).flatMap((source) =>
    connectionsOf(source, options.actions).flatMap(({ target, label }) => {
      const shownSource = shown(source, options.depth)
      const shownTarget = shown(target, options.depth)
      const { from, to } = drawable(shownSource, shownTarget)
      const isLifted = shownSource !== source || shownTarget !== target
      // A transition inside a closed box is not a loop of the box.
      return isLifted && from.state === to.state && from.any === to.any ? [] : [{ from, to, label }]
    }),
  )
}

interface Connection {
  readonly target: AnyStateNode
  readonly label: string
}

function connectionsOf(source: AnyStateNode, withActions: boolean): Connection[] {
  if (source.type === 'history') return historyDefault(source).map((target) => ({ target, label: '' }))
  return [...source.transitions.values(), source.always ?? []].flatMap((siblings) =>
    siblings.flatMap((transition) => {
      const label = transitionText(transition, siblings, withActions)
      return (transition.target ?? [source]).map((target) => ({ target, label }))
    }),
  )
}

/** The target of a history state before there is any history, where the config names one. */
function historyDefault(history: AnyStateNode): AnyStateNode[] {
  const target: unknown = history.config.target
  if (typeof target !== 'string') return []
  if (target.startsWith('#')) return [history.machine.getStateNodeById(target)]
  let state = history.parent
  for (const key of target.split('.')) state = state?.states[key]
  return state === undefined ? [] : [state]
}

/** The state and all states inside it, in document order. */
export function statesOf(state: AnyStateNode): AnyStateNode[] {
  return [state, ...Object.values(state.states).flatMap(statesOf)]
}

/** Whether the machine itself is a box: where it is not, its states are the drawing. */
export function isBox(state: AnyStateNode): boolean {
  return state.parent !== undefined || state.type !== 'compound'
}

function shown(state: AnyStateNode, depth: number): AnyStateNode {
  return state.parent === undefined || state.path.length <= depth ? state : shown(state.parent, depth)
}

function drawable(source: AnyStateNode, target: AnyStateNode): Ends {
  if (source === target) return loop(source)
  if (isInside(target, source)) {
    const start = sectionOf(source, target)
    return start === target ? loop(target) : { from: { state: start, any: true }, to: at(target) }
  }
  let end = target
  while (isInside(source, end)) {
    const initial: AnyStateNode | undefined = end.initial.target[0]
    if (end.type === 'parallel' || initial === undefined) return loop(end)
    end = initial
  }
  return { from: at(source), to: at(end) }
}

function loop(state: AnyStateNode): Ends {
  const point = { state, any: !isBox(state) }
  return { from: point, to: point }
}

function at(state: AnyStateNode): Point {
  return { state, any: false }
}

/** In a parallel state "any state" belongs to one region: that of the target. */
function sectionOf(state: AnyStateNode, target: AnyStateNode): AnyStateNode {
  if (state === target || state.type !== 'parallel') return state
  const region = Object.values(state.states).find((child) => child === target || isInside(target, child))
  return region === undefined ? state : sectionOf(region, target)
}

export function isInside(state: AnyStateNode, ancestor: AnyStateNode): boolean {
  return state.parent !== undefined && (state.parent === ancestor || isInside(state.parent, ancestor))
}
