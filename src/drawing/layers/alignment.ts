/**
 * The coordinates of vertices across their layers, after Brandes and Köpf, "Fast and Simple Horizontal Coordinate
 * Assignment" (2001): four drawings, each of which puts vertices straight below one another as far as it can, and of them the
 * mean. The long parts of edges are straight in each of them.
 */
import { number, type Layers, type Vertex } from './graph.ts'

/** The distance of the middles of two neighbours. */
export type Distance = (left: Vertex, right: Vertex) => number

type Places = ReadonlyMap<Vertex, number>

/** The middle of each vertex. */
export function aligned(layers: Layers, distance: Distance): Places {
  number(layers)
  const conflicts = conflictsOf(layers)
  const drawings = (['above', 'below'] as const).flatMap((side) => {
    const inTurn = side === 'above' ? layers : layers.toReversed()
    const mirrored = inTurn.map((layer) => layer.toReversed())
    return [
      drawn(inTurn, side, 1, conflicts, distance),
      negated(drawn(mirrored, side, -1, conflicts, (left, right) => distance(right, left))),
    ]
  })
  return meanOf(drawings, layers.flat())
}

/** An edge between nodes that crosses the inner part of a long edge gives way to it. */
function conflictsOf(layers: Layers): ReadonlyMap<Vertex, ReadonlySet<Vertex>> {
  const conflicts = new Map<Vertex, Set<Vertex>>()
  for (const layer of layers) {
    const inner = layer.flatMap((vertex) =>
      vertex.isBend ? vertex.above.filter(({ isBend }) => isBend).map((above) => ({ above, vertex })) : [],
    )
    for (const vertex of layer)
      for (const above of vertex.above) {
        if (vertex.isBend && above.isBend) continue
        const isCrossing = inner.some(
          (one) => (one.above.place - above.place) * (one.vertex.place - vertex.place) < 0,
        )
        if (isCrossing) conflicts.set(vertex, (conflicts.get(vertex) ?? new Set()).add(above))
      }
  }
  return conflicts
}

/** `turn`: 1 from left to right, -1 for layers that were mirrored. */
function drawn(
  layers: Layers,
  side: 'above' | 'below',
  turn: 1 | -1,
  conflicts: ReadonlyMap<Vertex, ReadonlySet<Vertex>>,
  distance: Distance,
): Places {
  const roots = new Map<Vertex, Vertex>()
  const rootOf = (vertex: Vertex): Vertex => roots.get(vertex) ?? vertex
  for (const layer of layers) {
    let last = -Infinity
    for (const vertex of layer) {
      for (const neighbour of middlesOf(vertex[side], turn)) {
        const [lower, upper] = side === 'above' ? [vertex, neighbour] : [neighbour, vertex]
        const givesWay = conflicts.get(lower)?.has(upper) === true
        if (roots.has(vertex) || last >= turn * neighbour.place || givesWay) continue
        roots.set(vertex, rootOf(neighbour))
        last = turn * neighbour.place
      }
    }
  }
  return compacted(layers, rootOf, distance)
}

/** The one in the middle, or the two. */
function middlesOf(vertices: readonly Vertex[], turn: 1 | -1): readonly Vertex[] {
  const inOrder = vertices.toSorted((a, b) => turn * (a.place - b.place))
  const middle = (inOrder.length - 1) / 2
  return inOrder.slice(Math.floor(middle), Math.ceil(middle) + 1)
}

interface Step {
  readonly to: Vertex
  readonly distance: number
}

/** Puts each block of vertices as far to the left as those before it allow, and then to the right, towards those behind it. */
function compacted(layers: Layers, rootOf: (vertex: Vertex) => Vertex, distance: Distance): Places {
  const before = new Map<Vertex, Step[]>()
  const behind = new Map<Vertex, Step[]>()
  for (const layer of layers)
    for (const [at, vertex] of layer.entries()) {
      const [root, left] = [rootOf(vertex), layer[at - 1]]
      if (!before.has(root)) {
        before.set(root, [])
        behind.set(root, [])
      }
      if (left === undefined) continue
      const step = distance(left, vertex)
      before.get(root)?.push({ to: rootOf(left), distance: step })
      behind.get(rootOf(left))?.push({ to: root, distance: step })
    }
  const places = new Map<Vertex, number>()
  const inOrder = topological(before)
  for (const root of inOrder) {
    const steps = before.get(root) ?? []
    places.set(root, Math.max(0, ...steps.map((step) => (places.get(step.to) ?? 0) + step.distance)))
  }
  for (const root of inOrder.toReversed()) {
    const steps = behind.get(root) ?? []
    const room = Math.min(...steps.map((step) => (places.get(step.to) ?? 0) - step.distance))
    if (steps.length > 0) places.set(root, Math.max(places.get(root) ?? 0, room))
  }
  return new Map(layers.flat().map((vertex) => [vertex, places.get(rootOf(vertex)) ?? 0]))
}

/** The blocks, each behind those that stand to its left. */
function topological(before: ReadonlyMap<Vertex, readonly Step[]>): readonly Vertex[] {
  const inOrder = new Set<Vertex>()
  const visit = (root: Vertex): void => {
    if (inOrder.has(root)) return
    for (const { to } of before.get(root) ?? []) visit(to)
    inOrder.add(root)
  }
  for (const root of before.keys()) visit(root)
  return [...inOrder]
}

function negated(places: Places): Places {
  return new Map([...places].map(([vertex, place]) => [vertex, -place]))
}

/** Lays the drawings over the narrowest one, and takes of each vertex the mean of its two middle places. */
function meanOf(drawings: readonly Places[], vertices: readonly Vertex[]): Places {
  const extents = drawings.map((places) => {
    const ends = vertices.flatMap((vertex) => {
      const place = places.get(vertex) ?? 0
      return [place - vertex.width / 2, place + vertex.width / 2]
    })
    return { start: Math.min(...ends), end: Math.max(...ends) }
  })
  const narrowest = extents.reduce((best, one) => (one.end - one.start < best.end - best.start ? one : best))
  const shifts = extents.map(({ start, end }, at) =>
    at % 2 === 0 ? narrowest.start - start : narrowest.end - end,
  )
  return new Map(
    vertices.map((vertex) => {
      const places = drawings.map((drawing, at) => (drawing.get(vertex) ?? 0) + (shifts[at] ?? 0))
      const [, second = 0, third = 0] = places.sort((a, b) => a - b)
      return [vertex, (second + third) / 2]
    }),
  )
}
