/** Points, boxes, and what lies over what. */

export interface Point {
  readonly x: number
  readonly y: number
}

/** `x` and `y`: of the upper left corner. */
export interface Box extends Point {
  readonly width: number
  readonly height: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** The box of this size around a point. */
export function around({ x, y }: Point, { width, height }: Size): Box {
  return { x: x - width / 2, y: y - height / 2, width, height }
}

/** The length of a line of points. */
export function lengthOf(points: readonly Point[]): number {
  const steps = points
    .slice(1)
    .map(({ x, y }, at) => Math.hypot(x - (points[at]?.x ?? x), y - (points[at]?.y ?? y)))
  return steps.reduce((sum, length) => sum + length, 0)
}

/** The point at a share of the way along a line of points. */
export function pointAt(points: readonly Point[], share: number): Point {
  const steps = points.slice(1).map((end, at) => ({ start: points[at] ?? end, end }))
  const lengths = steps.map(({ start, end }) => Math.hypot(end.x - start.x, end.y - start.y))
  let left = share * lengths.reduce((sum, length) => sum + length, 0)
  for (const [at, { start, end }] of steps.entries()) {
    const length = lengths[at] ?? 0
    if (left <= length && length > 0) {
      const part = left / length
      return { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part }
    }
    left -= length
  }
  return points.at(-1) ?? { x: 0, y: 0 }
}

/** A smooth path through the middles between points, as SVG writes it. */
export function smoothPath(points: readonly Point[]): string {
  const [first, ...others] = points
  if (first === undefined) return ''
  const last = others.at(-1) ?? first
  const bends = others.slice(0, -1).map((point, at) => {
    const next = others[at + 1] ?? point
    const isLast = at === others.length - 2
    const end = isLast ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${text(point)} ${text(end)}`
  })
  return [`M${text(first)}`, ...(bends.length === 0 ? [`L${text(last)}`] : bends)].join('')
}

function text({ x, y }: Point): string {
  return `${round(x)},${round(y)}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** What has a place, `by` so much to the right and down. */
export function moved<Placed extends Point>(placed: Placed, by: Point): Placed {
  return { ...placed, x: placed.x + by.x, y: placed.y + by.y }
}

/** The box around boxes and points, with a margin. */
export function boundsOf(boxes: readonly Box[], points: readonly Point[], margin: number): Box {
  const xs = [...boxes.flatMap(({ x, width }) => [x, x + width]), ...points.map(({ x }) => x)]
  const ys = [...boxes.flatMap(({ y, height }) => [y, y + height]), ...points.map(({ y }) => y)]
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin]
  return { x: left, y: top, width: Math.max(...xs) + margin - left, height: Math.max(...ys) + margin - top }
}
