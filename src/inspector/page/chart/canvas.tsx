/** A diagram in the space that there is: as large as it fits, and scrolling where it would be too small to read. */
import type { Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChartIndex } from '../model/chart-index.ts'
import { measureText } from '../shared/measure.ts'
import { useSize } from '../shared/use-size.ts'
import type { Highlights } from './highlights.ts'
import { fitted, type Fit } from './layouts.ts'
import { Sheet } from './sheet.tsx'

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
