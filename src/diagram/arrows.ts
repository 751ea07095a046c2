/**
 * The arrows of a drawing. Mermaid cannot draw an arrow between a box and something inside it (it ends in
 * mid-air, or the layout fails), so a transition of a composite into itself starts at an "any state" in
 * that composite, and one to an enclosing composite ends at the state in which that composite starts.
 */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { elseGuard, wordsOf, type TransitionWords } from './transition-text.ts'

/** An end of an arrow: a state, the "any state" inside it, or the way into it from outside. */
export interface Point {
  readonly state: AnyStateNode
  readonly as: 'itself' | 'any' | 'entry'
}

export interface Ends {
  readonly from: Point
  readonly to: Point
}

/** One transition to one target, between the states that stand for them in the drawing. */
export interface Arrow extends Ends, TransitionWords {
  /** A child has failed. */
  readonly isFailure: boolean
  /** It has no target, so the state stays as it is. */
  readonly isTargetless: boolean
  /** A state inside the source handles the event differently. */
  readonly isOverridden: boolean
}

/** The part of the machine that is drawn. */
export interface Scope {
  /** The states inside it are drawn, and of those outside the ones that an arrow leads to. */
  readonly inside: AnyStateNode
  /** States further below are hidden; their transitions are drawn at the ancestor that is shown. */
  readonly depth: number
}

export interface Detail {
  readonly withActions: boolean
  /** Transitions that differ in nothing but their guards are one. */
  readonly isMerged: boolean
}

export function arrowsOf(scope: Scope, { withActions, isMerged }: Detail): Arrow[] {
  return statesOf(scope.inside.machine.root).flatMap((source) => {
    const connections = connectionsOf(source, withActions)
    return (isMerged ? decisive(connections, scope) : connections).flatMap(({ target, ...words }) => {
      const shownSource = shown(source, scope)
      const shownTarget = shown(target, scope)
      const ends = drawable(shownSource, shownTarget)
      const isLifted = shownSource !== source || shownTarget !== target
      // A transition inside a closed box is not a loop of the box.
      if (isLifted && isLoop(ends)) return []
      return endsIn(scope, ends).map((inScope) => ({ ...inScope, ...words }))
    })
  })
}

/** A guard decides nothing where the next transition needs none and leads to the same state of the drawing. */
function decisive(connections: readonly Connection[], scope: Scope): Connection[] {
  const kept = connections.reduceRight<Connection[]>((later, connection) => {
    const [next] = later
    return next !== undefined && isFallbackOf(connection, next, scope) ? later : [connection, ...later]
  }, [])
  return kept.map((connection, index) => {
    const isAlone = !kept.slice(0, index).some(({ event }) => event === connection.event)
    return isAlone && connection.guard === elseGuard ? { ...connection, guard: '' } : connection
  })
}

function isFallbackOf(connection: Connection, next: Connection, scope: Scope): boolean {
  return (
    (next.guard === elseGuard || next.guard === '') &&
    next.event === connection.event &&
    next.effect === connection.effect &&
    next.isTargetless === connection.isTargetless &&
    shown(next.target, scope) === shown(connection.target, scope)
  )
}

/** Empty for an arrow that is no part of the drawing. */
function endsIn({ inside }: Scope, { from, to }: Ends): Ends[] {
  if (from.state === inside || isInside(from.state, inside)) {
    return [{ from: anyOf(from, inside), to: anyOf(to, inside) }]
  }
  // Arrows from outside matter where they lead past the state in which the composite starts.
  const isEntry = isInside(to.state, inside) && to.state !== inside.initial.target[0]
  return isEntry && !isInside(inside, from.state) ? [{ from: { state: inside, as: 'entry' }, to }] : []
}

/** A state whose inside is the whole drawing is no box, so all states inside stand for it. */
function anyOf(point: Point, inside: AnyStateNode): Point {
  return point.state === inside && !isBox(inside) ? { state: inside, as: 'any' } : point
}

/** Whether the state is a box even where its inside is the whole drawing: its inside alone would not be a chart. */
export function isBox(inside: AnyStateNode): boolean {
  return inside.type !== 'compound'
}

interface Connection extends Omit<Arrow, keyof Ends> {
  readonly target: AnyStateNode
}

const noEvent = { isFailure: false, isTargetless: false, isOverridden: false }

function connectionsOf(source: AnyStateNode, withActions: boolean): Connection[] {
  if (source.type === 'history') {
    const words = { event: '', guard: '', effect: '', ...noEvent }
    return historyDefault(source).map((target) => ({ target, ...words }))
  }
  return [...source.transitions.values(), source.always ?? []].flatMap((siblings) =>
    siblings.flatMap((transition) => {
      const type = String(transition.eventType)
      const words = {
        ...wordsOf(transition, siblings, withActions),
        isFailure: type.startsWith('xstate.error.'),
        isTargetless: transition.target === undefined,
        isOverridden: isOverridden(type, siblings, source),
      }
      return (transition.target ?? [source]).map((target) => ({ target, ...words }))
    }),
  )
}

/** Whether a state inside has a transition for the event that is no part of those of the state itself. */
function isOverridden(
  type: string,
  siblings: readonly AnyTransitionDefinition[],
  source: AnyStateNode,
): boolean {
  const ways = siblings.map((transition) => wayOf(transition, siblings))
  return statesOf(source)
    .slice(1)
    .some((inner) =>
      [...inner.transitions].some(
        ([pattern, own]) =>
          fits(type, pattern) &&
          own.some((transition) => !ways.some((way) => includes(way, wayOf(transition, own)))),
      ),
    )
}

interface Way {
  readonly targets: readonly AnyStateNode[]
  readonly guard: string
}

function wayOf(transition: AnyTransitionDefinition, siblings: readonly AnyTransitionDefinition[]): Way {
  return { targets: transition.target ?? [], guard: wordsOf(transition, siblings, false).guard }
}

function includes(outer: Way, inner: Way): boolean {
  const isSameTarget =
    outer.targets.length === inner.targets.length &&
    outer.targets.every((target, index) => target === inner.targets[index])
  return isSameTarget && (outer.guard === '' || outer.guard === inner.guard)
}

/** Whether XState takes a transition of this pattern, such as `budget.*`, for the event. */
function fits(type: string, pattern: string): boolean {
  if (pattern === '*') return true
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
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

export function isLoop({ from, to }: Ends): boolean {
  return from.state === to.state && from.as === to.as
}

/** The state itself, or the ancestor that stands for it in the drawing. */
function shown(state: AnyStateNode, { inside, depth }: Scope): AnyStateNode {
  const { parent } = state
  if (parent === undefined) return state
  const isOutside = state !== inside && !isInside(state, inside)
  const isShown = isOutside ? isInside(inside, parent) : state.path.length <= inside.path.length + depth
  return isShown || isInside(inside, state) ? state : shown(parent, { inside, depth })
}

function drawable(source: AnyStateNode, target: AnyStateNode): Ends {
  if (source === target) return loop(source)
  if (isInside(target, source)) {
    const start = sectionOf(source, target)
    return start === target ? loop(target) : { from: { state: start, as: 'any' }, to: at(target) }
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
  return { from: at(state), to: at(state) }
}

function at(state: AnyStateNode): Point {
  return { state, as: 'itself' }
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
