/** The bars of lanes as they lie on the timeline. */
import type { Bar, Lane } from '../model/lanes.ts'
import type { Scale } from './scale.ts'

/** Pixels. */
const slotHeight = 9
const laneGap = 6
const narrowest = 2

export interface PlacedLane {
  readonly lane: Lane
  readonly top: number
  readonly height: number
}

/** The lanes below one another, each as high as it has slots. */
export function placeLanes(lanes: readonly Lane[]): readonly PlacedLane[] {
  let top = 0
  return lanes.map((lane) => {
    const placed = { lane, top, height: Math.max(2, lane.slots.length) * slotHeight + laneGap }
    top += placed.height
    return placed
  })
}

export interface BarBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The pixels from the top of the lanes, or of what is seen of them, to the bars of a slot. */
function slotTop({ top }: Pick<PlacedLane, 'top'>, slot: number): number {
  return top + laneGap / 2 + slot * slotHeight
}

/** The first slot of a lane that is seen, and the one behind the last; `top` of the lane is from the top of what is seen. */
export function slotsSeen({ lane, top }: PlacedLane, height: number): readonly [number, number] {
  const at = (y: number): number => (y - top - laneGap / 2) / slotHeight
  return [Math.max(0, Math.floor(at(0))), Math.min(lane.slots.length, Math.ceil(at(height)))]
}

export function boxOf(bar: Bar, lane: Pick<PlacedLane, 'top'>, scale: Scale): BarBox {
  const end = bar.until === undefined ? scale.end : scale.xOf(bar.until)
  const start = scale.xOf(bar.from) - (bar.before ?? 0) * scale.density
  return {
    x: start,
    y: slotTop(lane, bar.slot),
    width: Math.max(narrowest, end - start),
    height: slotHeight - 2,
  }
}

/** The first bar of a slot that ends at or behind a row: those before it are over. */
export function firstUntil(bars: readonly Bar[], row: number): number {
  let low = 0
  for (let high = bars.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((bars[middle]?.until ?? Infinity) < row) low = middle + 1
    else high = middle
  }
  return low
}

/** The bar at a point, or as good as there; `reach`: pixels beside it that count. */
export function barAt(
  lanes: readonly PlacedLane[],
  scale: Scale,
  { x, y }: { readonly x: number; readonly y: number },
  reach = 3,
): Bar | undefined {
  const placed = lanes.find(({ top, height }) => y >= top && y < top + height)
  const slot = placed?.lane.slots[Math.floor((y - placed.top - laneGap / 2) / slotHeight)]
  if (placed === undefined || slot === undefined) return undefined
  const first = firstUntil(slot, scale.rowAt(x - reach) - 1)
  for (const bar of slot.slice(Math.max(0, first - 1))) {
    const box = boxOf(bar, placed, scale)
    if (box.x - reach > x) return undefined
    if (x <= box.x + box.width + reach) return bar
  }
  return undefined
}
