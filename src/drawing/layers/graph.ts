/** The graph of a layout: nodes, and the bends of edges that pass a layer, in layers from top to bottom. */

export interface Vertex {
  readonly width: number
  readonly height: number
  /** A place where an edge passes a layer; it has the extent of the label that stands there, or none. */
  readonly isBend: boolean
  /** The neighbours in the layer above, one for each edge. */
  readonly above: Vertex[]
  /** The neighbours in the layer below, one for each edge. */
  readonly below: Vertex[]
  layer: number
  /** Position in its layer. */
  place: number
}

/** An edge from a node to one in a later layer. */
export interface Link {
  readonly from: Vertex
  readonly to: Vertex
  /** How much the edge matters: 2 is worth two edges. */
  readonly weight: number
  /** The extent of its label. */
  readonly label?: Extent | undefined
}

export interface Extent {
  readonly width: number
  readonly height: number
}

/** The places of an edge between its ends. */
export interface Way {
  readonly bends: readonly Vertex[]
  /** The one where its label stands. */
  readonly labelled: Vertex | undefined
}

/** By layer, and in each layer from left to right. */
export type Layers = readonly Vertex[][]

export function vertexOf({ width, height }: Extent): Vertex {
  return { width, height, isBend: false, above: [], below: [], layer: 0, place: 0 }
}

/**
 * Joins nodes, whose layers are known, by chains of bends: each edge has one in every layer between its ends. A label stands
 * in a layer without nodes.
 */
export function connect(links: readonly Link[]): readonly Way[] {
  const labelled = layersOfLabels(links)
  return links.map((link) => {
    const { from, to, label } = link
    const count = to.layer - from.layer - 1
    const bends = Array.from({ length: count }, (_, at) => {
      const layer = from.layer + 1 + at
      return bendIn(layer, labelled.get(link) === layer ? label : undefined)
    })
    const chain = [from, ...bends, to]
    for (const [at, vertex] of chain.entries()) {
      const next = chain[at + 1]
      if (next === undefined) break
      vertex.below.push(next)
      next.above.push(vertex)
    }
    return { bends, labelled: bends.find(({ layer }) => labelled.get(link) === layer) }
  })
}

function bendIn(layer: number, { width, height }: Extent = { width: 0, height: 0 }): Vertex {
  return { width, height, isBend: true, above: [], below: [], layer, place: 0 }
}

/** Of each edge with a label, the layer in which it stands: of those that it may stand in, the least full. */
function layersOfLabels(links: readonly Link[]): ReadonlyMap<Link, number> {
  const spans = ({ from, to }: Link): number => to.layer - from.layer
  const filled = new Map<number, number>()
  const chosen = new Map<Link, number>()
  for (const link of links.toSorted((a, b) => spans(a) - spans(b))) {
    const { from, to, label } = link
    if (label === undefined) continue
    let best = from.layer + 1
    for (let layer = best; layer < to.layer; layer += 2)
      if ((filled.get(layer) ?? 0) < (filled.get(best) ?? 0)) best = layer
    filled.set(best, (filled.get(best) ?? 0) + label.width)
    chosen.set(link, best)
  }
  return chosen
}

/** Notes in each vertex its place in its layer. */
export function number(layers: Layers): void {
  for (const layer of layers) for (const [place, vertex] of layer.entries()) vertex.place = place
}
