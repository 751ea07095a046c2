/**
 * Makes the arrows of an outline fewer: the transitions between two states become one line with at most two labels, and
 * side paths are folded.
 */
import type { AnyStateNode } from 'xstate'
import { isInside, isLoop, type Arrow, type Ends, type Point } from './arrows.ts'
import { elseGuard, joinWords } from './transition-text.ts'

/** An arrow as it is drawn. */
export interface Line extends Ends {
  readonly labels: readonly string[]
}

const mostLabels = 2

/** One line for each arrow. */
export function linesOf(arrows: readonly Arrow[]): Line[] {
  return arrows.map(({ from, to, ...words }) => ({ from, to, labels: labelled([fullLabel(words)]) }))
}

/** Without transitions that have no target, and without what an enclosing state does alike. */
function effective(arrows: readonly Arrow[]): Arrow[] {
  return arrows.filter((arrow) => !arrow.isTargetless && !arrows.some((other) => encloses(other, arrow)))
}

/** One line for all arrows between two states. Where a guard is named, `isBrief` leaves its event out. */
export function mergedLinesOf(arrows: readonly Arrow[], isBrief: boolean): Line[] {
  const lines = groupsOf(effective(arrows), isSamePair).map((group) => {
    const [{ from, to }] = group
    const full = distinct(group.map(fullLabel))
    const labels = full.length <= mostLabels && !isBrief ? full : briefLabels(group, isBrief)
    return { from, to, labels: labelled(labels) }
  })
  // The labels of that many arrows into one state lie upon each other.
  return isBrief ? lines.map((line) => (isCrowded(line, lines) ? { ...line, labels: [] } : line)) : lines
}

const crowd = 6

function isCrowded({ to }: Line, lines: readonly Line[]): boolean {
  return lines.filter((line) => isSame(line.to, to)).length >= crowd
}

/** An event with several guards is named once, without them. */
function briefLabels(group: readonly Arrow[], isBrief: boolean): string[] {
  const labels = group.map((arrow) => {
    const { event, guard, effect } = arrow
    const alike = group.filter((other) => other.event === event)
    if (event !== '' && distinct(alike.map(fullLabel)).length > 1) return event
    if (!isBrief) return fullLabel(arrow)
    return guard === '' || guard === elseGuard ? joinWords(event || guard, effect) : joinWords(guard, effect)
  })
  return distinct(labels)
}

function fullLabel({ event, guard, effect }: Pick<Arrow, 'event' | 'guard' | 'effect'>): string {
  return joinWords(event, guard, effect)
}

/** A transition without event and guard is a line without label, and "always" beside others. */
function labelled(labels: readonly string[]): string[] {
  if (labels.length <= 1) return labels.filter((label) => label !== '')
  const named = labels.map((label) => label || 'always')
  const further = named.length - mostLabels
  return further <= 0 ? named : [...named.slice(0, mostLabels), `… and ${further} more`]
}

const several = 3

/**
 * Folds the side paths. Loops are left out, and failures of children unless no other arrow leads into the target or out of
 * the source. What leads where any state leads is one arrow with that, and an event from outside that several states of a
 * composite answer alike is one arrow.
 */
export function mainArrows(arrows: readonly Arrow[]): Arrow[] {
  const moves = effective(arrows).filter((arrow) => !isLoop(arrow))
  const regular = moves.filter(({ isFailure }) => !isFailure)
  const main = moves.filter(
    ({ isFailure, from, to }) =>
      !isFailure ||
      !regular.some((other) => other.to.state === to.state) ||
      !regular.some((other) => other.from.state === from.state),
  )
  return fromSeveral(fromAny(main))
}

/** A state keeps an arrow that is its only one. */
function fromAny(arrows: readonly Arrow[]): Arrow[] {
  const anywhereOf = (arrow: Arrow): Arrow | undefined =>
    arrows.find(
      ({ from, to }) =>
        from.as === 'any' &&
        isInside(arrow.from.state, from.state) &&
        isSame(arrow.to, to) &&
        to.state !== from.state.initial.target[0],
    )
  return arrows.map((arrow) => {
    const hasOther = arrows.some((other) => isSame(other.from, arrow.from) && anywhereOf(other) === undefined)
    return hasOther ? { ...arrow, from: anywhereOf(arrow)?.from ?? arrow.from } : arrow
  })
}

function fromSeveral(arrows: readonly Arrow[]): Arrow[] {
  return groupsOf(arrows, isSameReaction).flatMap((group) => {
    const [first] = group
    const home = first.from.state.parent
    if (home === undefined || distinct(group.map(({ from }) => from.state)).length < several) return group
    return [{ ...first, from: { state: home, as: 'several' as const }, guard: '', effect: '' }]
  })
}

/** Whether a state around answers the same event in the same way. */
function encloses(outer: Arrow, inner: Arrow): boolean {
  return (
    outer.event !== '' &&
    outer.event === inner.event &&
    isSame(outer.to, inner.to) &&
    isInside(inner.from.state, outer.from.state)
  )
}

/** Lists of final states that the same states lead to; the drawing has one box for each list. */
export function outcomesOf(finals: readonly AnyStateNode[], arrows: readonly Ends[]): AnyStateNode[][] {
  const sourcesOf = (state: AnyStateNode): Point[] =>
    arrows.filter(({ to }) => to.state === state).map(({ from }) => from)
  return groupsOf(finals, (one, other) => {
    const [some, others] = [sourcesOf(one), sourcesOf(other)]
    return (
      one.parent === other.parent &&
      some.length > 0 &&
      some.every((source) => others.some((point) => isSame(source, point))) &&
      others.every((source) => some.some((point) => isSame(source, point)))
    )
  })
}

function isSamePair(one: Ends, other: Ends): boolean {
  return isSame(one.from, other.from) && isSame(one.to, other.to)
}

function isSameReaction(one: Arrow, other: Arrow): boolean {
  const isFromOutside = one.event !== '' && !one.isInternal
  const areStates = one.from.as === 'itself' && other.from.as === 'itself'
  const areSiblings = one.from.state.parent === other.from.state.parent
  return isFromOutside && areStates && areSiblings && one.event === other.event && isSame(one.to, other.to)
}

function isSame(one: Point, other: Point): boolean {
  return one.state === other.state && one.as === other.as
}

/** In the order of their first members. */
function groupsOf<Item>(
  items: readonly Item[],
  belongTogether: (one: Item, other: Item) => boolean,
): [Item, ...Item[]][] {
  const groups: [Item, ...Item[]][] = []
  for (const item of items) {
    const group = groups.find(([first]) => belongTogether(first, item))
    if (group === undefined) groups.push([item])
    else group.push(item)
  }
  return groups
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)]
}
