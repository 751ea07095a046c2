/** A diagram in the space that there is: as large as it fits, and scrolling where it would be too small to read. */
import type { Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChartIndex } from '../../../drawing/chart-index.ts'
import type { Measure } from '../../../drawing/node-size.ts'
import { measureText } from './measure-text.ts'
import { useSize } from '../shared/use-size.ts'
import type { Highlights } from './highlights.ts'
import { Sheet } from './sheet.tsx'
import { diagramOf } from '../../../drawing/diagram.ts'
import type { Size } from '../../../drawing/layers/geometry.ts'
import { layoutOf, type Direction, type Layout } from '../../../drawing/layout.ts'

interface CanvasProps {
  readonly index: ChartIndex
  /** The composite state; empty for the whole chart. */
  readonly path: string
  readonly label: string
  readonly highlights: Highlights
  /** 1: as large as it fits. */
  readonly zoom: Signal<number>
  readonly opened: string
  readonly onOpen: (path: string) => void
}

export function Canvas({ index, path, label, highlights, zoom, opened, onOpen }: CanvasProps) {
  const ref = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(ref)
  const fit =
    width === 0 ? undefined : fitted(index, path, { width: width - 8, height: height - 8 }, measureText)
  const scale = (fit?.scale ?? 1) * zoom.value
  useLayoutEffect(() => {
    if (ref.current !== null && fit !== undefined) showActive(ref.current, { ...fit, scale }, highlights)
  })
  return (
    <div
      class="canvas"
      ref={ref}
      role="group"
      aria-label={label}
      tabIndex={0}
      onWheel={(event) => {
        if (!event.ctrlKey) return
        event.preventDefault()
        zoom.value = clamped(zoom.value * (event.deltaY < 0 ? 1.1 : 1 / 1.1))
      }}
    >
      {fit !== undefined && (
        <Sheet layout={fit.layout} scale={scale} highlights={highlights} opened={opened} onOpen={onOpen} />
      )}
    </div>
  )
}

// Layouts, each made once: a chart stands still while its actor moves in it.

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

interface Fit {
  readonly layout: Layout
  readonly scale: number
}

/** Text stays readable: a larger chart scrolls. */
const smallest = 0.88
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

export function clamped(zoom: number): number {
  return Math.min(3, Math.max(0.3, zoom))
}

/** Scrolls as little as brings the active state into view. */
function showActive(canvas: HTMLElement, { layout, scale }: Fit, highlights: Highlights): void {
  const nodes = layout.regions.flatMap(({ nodes }) => nodes)
  const active = nodes.find(({ node }) => node.states.some(({ path }) => highlights.of(path) === 'now'))
  if (active === undefined) return
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = canvas
  canvas.scrollLeft = shifted(scrollLeft, clientWidth, active.x * scale, active.width * scale)
  canvas.scrollTop = shifted(scrollTop, clientHeight, active.y * scale, active.height * scale)
}

const room = 16

function shifted(scroll: number, extent: number, start: number, length: number): number {
  if (start - room < scroll) return Math.max(0, start - room)
  return Math.max(scroll, start + length + room - extent)
}
