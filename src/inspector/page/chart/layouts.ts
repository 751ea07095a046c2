/** Layouts, each made once: a chart stands still while its actor moves in it. */
import type { ChartIndex } from '../model/chart-index.ts'
import { diagramOf } from './diagram.ts'
import type { Size } from './layers/geometry.ts'
import { layoutOf, type Direction, type Layout } from './layout.ts'
import type { Measure } from './node-size.ts'

const made = new WeakMap<ChartIndex, Map<string, Layout>>()

/** `path`: of the composite state; empty for the whole chart. */
function layoutFor(index: ChartIndex, path: string, direction: Direction, measure: Measure): Layout {
  const layouts = made.get(index) ?? new Map<string, Layout>()
  made.set(index, layouts)
  const key = `${direction} ${path}`
  const known = layouts.get(key)
  if (known !== undefined) return known
  const layout = layoutOf(diagramOf(index, path), direction, measure)
  layouts.set(key, layout)
  return layout
}

export interface Fit {
  readonly layout: Layout
  readonly scale: number
}

/** Text stays readable: a larger chart scrolls. */
const smallest = 0.72
const largest = 1.1

/** A chart of more states is laid out downwards alone: each layout of it takes time. */
const many = 60

/**
 * The layout in the direction that shows it larger in this space. Where both would be too small to read, that of which more
 * is seen: it scrolls.
 */
export function fitted(index: ChartIndex, path: string, space: Size, measure: Measure): Fit {
  const down = layoutFor(index, path, 'down', measure)
  const isLarge = down.regions.reduce((sum, { nodes }) => sum + nodes.length, 0) > many
  const layouts = isLarge ? [down] : [down, layoutFor(index, path, 'right', measure)]
  const fits = layouts.map((layout): Fit => {
    const scale = Math.min(largest, space.width / layout.width, space.height / layout.height)
    return { layout, scale: Math.max(smallest, scale) }
  })
  const better = (one: Fit, other: Fit): boolean =>
    one.scale === other.scale ? seenShare(one, space) > seenShare(other, space) : one.scale > other.scale
  return fits.reduce((best, fit) => (better(fit, best) ? fit : best))
}

function seenShare({ layout, scale }: Fit, space: Size): number {
  const share = (seen: number, whole: number): number => Math.min(1, seen / (whole * scale))
  return share(space.width, layout.width) * share(space.height, layout.height)
}
