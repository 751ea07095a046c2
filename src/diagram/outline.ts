/**
 * Makes the arrows of an outline fewer: the transitions between two states become one line with at most three labels, and
 * side paths are folded.
 */
import type { AnyStateNode } from 'xstate'
import { isInside, isLoop, type Arrow, type Ends, type Point } from './arrows.ts'
import { elseGuard, joinWords } from './transition-text.ts'

/** An arrow as it is drawn. */
export interface Line extends Ends {
  readonly labels: readonly string[]
  /** A state inside the source handles the event differently. */
  readonly isOverridden: boolean
}

const mostLabels = 3
/** Of that many arrows into one state, each has less room. */
const crowd = 6
const mostInCrowd = 2

/** One line for each arrow. */
export function linesOf(arrows: readonly Arrow[]): Line[] {
  return arrows.map(({ from, to, isOverridden, ...words }) => ({
    from,
    to,
    isOverridden,
    labels: labelled([fullLabel(words)], mostLabels),
  }))
}

/** Without transitions that have no target, and without what an enclosing state does alike. */
function effective(arrows: readonly Arrow[]): Arrow[] {
  return arrows.filter((arrow) => !arrow.isTargetless && !arrows.some((other) => encloses(other, arrow)))
}

/** One line for all arrows between two states. Where a guard is named, `isBrief` leaves its event out. */
export function mergedLinesOf(arrows: readonly Arrow[], isBrief: boolean): Line[] {
  const groups = groupsOf(effective(arrows), isSamePair)
  return groups.map((group) => {
    const [{ from, to }] = group
    const isCrowded = groups.filter(([other]) => isSame(other.to, to)).length >= crowd
    return {
      from,
      to,
      isOverridden: group.some(({ isOverridden }) => isOverridden),
      labels: labelled(
        distinct(group.map(isBrief ? briefLabel : fullLabel)),
        isCrowded ? mostInCrowd : mostLabels,
      ),
    }
  })
}

function briefLabel({ event, guard, effect }: Words): string {
  return guard === '' || guard === elseGuard ? joinWords(event, guard, effect) : joinWords(guard, effect)
}

type Words = Pick<Arrow, 'event' | 'guard' | 'effect'>

function fullLabel({ event, guard, effect }: Words): string {
  return joinWords(event, guard, effect)
}

/** Labels that find no place are counted; a transition without event and guard has no label and counts beside others. */
function labelled(labels: readonly string[], most: number): string[] {
  const named = labels.filter((label) => label !== '')
  if (named.length === 0 || (named.length === labels.length && named.length <= most)) return named
  const written = named.slice(0, most - 1)
  return [...written, `… and ${labels.length - written.length} more`]
}

/**
 * Leaves the side paths out: loops, failures of children unless no other arrow leads into the target or out of the source,
 * and ways between two states that any state leads to, unless it is the only way out. Where a composite starts is no side path.
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
  const isAnywhere = ({ state }: Point): boolean =>
    state !== state.parent?.initial.target[0] &&
    main.some(({ from, to }) => from.as === 'any' && from.state === state.parent && to.state === state)
  const isSide = ({ from, to }: Arrow): boolean => from.as === 'itself' && isAnywhere(from) && isAnywhere(to)
  return main.filter(
    (arrow) => !isSide(arrow) || !main.some((other) => isSame(other.from, arrow.from) && !isSide(other)),
  )
}

/** Whether a state around handles the same event in the same way. */
function encloses(outer: Arrow, inner: Arrow): boolean {
  return (
    outer.event !== '' &&
    outer.event === inner.event &&
    (outer.guard === '' || outer.guard === inner.guard) &&
    isSame(outer.to, inner.to) &&
    isInside(inner.from.state, outer.from.state)
  )
}

/** Lists of final states that the same states lead to, with the same labels; the drawing has one box for each list. */
export function outcomesOf(finals: readonly AnyStateNode[], arrows: readonly Arrow[]): AnyStateNode[][] {
  const entriesOf = (state: AnyStateNode): Arrow[] => arrows.filter(({ to }) => to.state === state)
  return groupsOf(finals, (one, other) => {
    const [some, others] = [entriesOf(one), entriesOf(other)]
    return (
      one.parent === other.parent &&
      some.length > 0 &&
      some.every((entry) => others.some((arrow) => isSameEntry(entry, arrow))) &&
      others.every((entry) => some.some((arrow) => isSameEntry(entry, arrow)))
    )
  })
}

function isSameEntry(one: Arrow, other: Arrow): boolean {
  return isSame(one.from, other.from) && entryLabel(one) === entryLabel(other)
}

/** Empty where the label says no more than the name of the final state: `[endsAs stopped]` leads to `stopped`. */
export function entryLabel(arrow: Arrow): string {
  const { event, guard, effect, to } = arrow
  const isSaid = guard === elseGuard || ` ${wordsIn(guard)} `.includes(` ${wordsIn(to.state.key)} `)
  return event === '' && effect === '' && isSaid ? '' : fullLabel(arrow)
}

function wordsIn(name: string): string {
  const words = name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{N}]+/gu)
  return (words ?? []).join(' ').toLowerCase()
}

function isSamePair(one: Ends, other: Ends): boolean {
  return isSame(one.from, other.from) && isSame(one.to, other.to)
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
