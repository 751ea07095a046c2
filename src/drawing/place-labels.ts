/** The places of the labels of edges: on their edges, over no node and over no other label. */
import { around, lengthOf, overlaps, pointAt, type Box, type Point, type Size } from './layers/geometry.ts'

export interface Label {
  readonly id: string
  readonly points: readonly Point[]
  readonly size: Size
}

interface Surroundings extends Size {
  /** What no label may cover. */
  readonly nodes: readonly Box[]
}

/** Shares of the way at which a label is tried, in this order. */
const shares = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88]

/** A label beside its line ends so many pixels away from it. */
const beside = 3

/**
 * The boxes of the labels, by their ids, in the order of the labels: a former one takes its place first. A label without
 * room is left out.
 */
export function placeLabels(
  labels: readonly Label[],
  { nodes, width, height }: Surroundings,
): ReadonlyMap<string, Box> {
  const placed = new Map<string, Box>()
  const isFree = (box: Box): boolean =>
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.width <= width &&
    box.y + box.height <= height &&
    !nodes.some((node) => overlaps(node, box)) &&
    ![...placed.values()].some((other) => overlaps(other, box))
  for (const { id, points, size } of labels) {
    const box = candidates(points, size).find(isFree)
    if (box !== undefined) placed.set(id, box)
  }
  return placed
}

/** On the line first; where the line is so short that the label would hide it, beside it, and best not touching it. */
function candidates(points: readonly Point[], size: Size): readonly Box[] {
  const boxesAt = (shift: number): readonly Box[] =>
    shares.map((share) => {
      const { x, y } = pointAt(points, share)
      return around({ x: x + shift, y }, size)
    })
  const onLine = boxesAt(0)
  const aside = [size.width / 2 + beside, -size.width / 2 - beside].flatMap(boxesAt)
  if (lengthOf(points) >= size.width + 2 * size.height) return [...onLine, ...aside]
  const line = shares.map((share) => around(pointAt(points, share), { width: 1, height: 1 }))
  const hides = (box: Box): boolean => line.some((point) => overlaps(point, box))
  return [...aside.filter((box) => !hides(box)), ...aside.filter(hides), ...onLine]
}
