/** The tree of actors as a list: the machines that have started up to a row, each before those below it. */
import type { ActorPlace } from './actors.ts'

export interface TreeRow {
  readonly place: ActorPlace
  /** From 1. */
  readonly level: number
  /** From 1: its place among the actors beside it. */
  readonly position: number
  /** The number of actors beside it, with itself. */
  readonly siblings: number
  /** Absent where there is none below it. */
  readonly isExpanded?: boolean
}

/** `collapsed`: the paths of the actors whose subtrees are not shown. Effects are no part of the tree. */
export function treeRows(
  roots: readonly ActorPlace[],
  row: number,
  collapsed: ReadonlySet<string>,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const visit = (places: readonly ActorPlace[], level: number): void => {
    const started = places.filter((place) => !place.isEffect && place.added <= row)
    for (const [at, place] of started.entries()) {
      const hasChildren = place.children.some((child) => !child.isEffect && child.added <= row)
      const isExpanded = hasChildren && !collapsed.has(place.path)
      const shown = { place, level, position: at + 1, siblings: started.length }
      rows.push(hasChildren ? { ...shown, isExpanded } : shown)
      if (isExpanded) visit(place.children, level + 1)
    }
  }
  visit(roots, 1)
  return rows
}
