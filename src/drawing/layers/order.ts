/**
 * The order of the vertices of each layer, such that few edges cross: each vertex comes to the mean of its neighbours in the
 * layer before, layer by layer, downwards and upwards, and neighbours change places where that removes crossings.
 */
import { number, type Layers, type Vertex } from './graph.ts'

/** Sweeps that remove no crossing, after which no more is expected of them. */
const patience = 4

/** The vertices by layer, in their order. `roots`: the nodes, from the first to the last. */
export function ordered(roots: readonly Vertex[]): Layers {
  const starts = [layersFrom(roots, 'below'), layersFrom(roots.toReversed(), 'above')]
  const [first, ...others] = starts.flatMap((start) => [improved(start, 0), improved(start, 1)])
  return others.reduce((best, next) => (next.crossings < best.crossings ? next : best), first ?? none).layers
}

interface Ordered {
  readonly layers: Layers
  readonly crossings: number
}

const none: Ordered = { layers: [], crossings: 0 }

/** `first`: 0 begins downwards, 1 upwards. */
function improved(start: Layers, first: 0 | 1): Ordered {
  let best: Ordered = { layers: start, crossings: crossingsOf(start) }
  let layers = start
  for (let sweep: number = first, last = 0; last < patience && best.crossings > 0; sweep++, last++) {
    layers = swept(layers, sweep % 2 === 0 ? 'above' : 'below', sweep % 4 >= 2)
    exchange(layers)
    const crossings = crossingsOf(layers)
    if (crossings >= best.crossings) continue
    best = { layers: layers.map((layer) => [...layer]), crossings }
    last = -1
  }
  return best
}

/** Each vertex stands beside those that were reached from the same one. */
function layersFrom(roots: readonly Vertex[], side: 'above' | 'below'): Layers {
  const layers: Vertex[][] = []
  const seen = new Set<Vertex>()
  const visit = (vertex: Vertex): void => {
    if (seen.has(vertex)) return
    seen.add(vertex)
    ;(layers[vertex.layer] ??= []).push(vertex)
    for (const next of vertex[side]) visit(next)
  }
  for (const root of roots) visit(root)
  return Array.from(layers, (layer) => layer ?? [])
}

/** `isMirrored`: of vertices with the same mean, the last comes first. */
function swept(layers: Layers, side: 'above' | 'below', isMirrored: boolean): Layers {
  number(layers)
  const inTurn = side === 'above' ? [...layers.keys()] : [...layers.keys()].toReversed()
  const next = [...layers]
  for (const at of inTurn) {
    const layer = layers[at] ?? []
    next[at] = sorted(layer, side, isMirrored)
    for (const [place, vertex] of next[at].entries()) vertex.place = place
  }
  return next
}

/** Vertices without a neighbour on this side keep their places. */
function sorted(layer: readonly Vertex[], side: 'above' | 'below', isMirrored: boolean): Vertex[] {
  const free = layer.filter((vertex) => vertex[side].length > 0)
  const means = new Map(free.map((vertex) => [vertex, mean(vertex[side])]))
  const inOrder = (isMirrored ? free.toReversed() : free).toSorted(
    (a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0),
  )
  const rest = inOrder.values()
  return layer.map((vertex) => (means.has(vertex) ? (rest.next().value ?? vertex) : vertex))
}

function mean(vertices: readonly Vertex[]): number {
  return vertices.reduce((sum, { place }) => sum + place, 0) / vertices.length
}

/** Exchanges neighbours while that removes crossings. */
function exchange(layers: Layers): void {
  number(layers)
  let hasChanged = true
  while (hasChanged) {
    hasChanged = false
    for (const layer of layers) {
      for (let at = 1; at < layer.length; at++) {
        const [left, right] = [layer[at - 1], layer[at]]
        if (left === undefined || right === undefined) continue
        if (crossingsBetween(right, left) >= crossingsBetween(left, right)) continue
        layer[at - 1] = right
        layer[at] = left
        right.place = at - 1
        left.place = at
        hasChanged = true
      }
    }
  }
}

/** How often the edges of two vertices of a layer cross, if the one stands before the other. */
function crossingsBetween(left: Vertex, right: Vertex): number {
  return crossed(left.above, right.above) + crossed(left.below, right.below)
}

function crossed(left: readonly Vertex[], right: readonly Vertex[]): number {
  let count = 0
  for (const one of left) for (const other of right) if (one.place > other.place) count++
  return count
}

function crossingsOf(layers: Layers): number {
  number(layers)
  let count = 0
  for (const layer of layers)
    for (const [at, left] of layer.entries())
      for (const right of layer.slice(at + 1)) count += crossed(left.below, right.below)
  return count
}
