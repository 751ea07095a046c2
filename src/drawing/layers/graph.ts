/** The graph of a layout: nodes, and the bends of edges that pass a layer, in layers from top to bottom. */

export interface Vertex {
  readonly width: number
  readonly height: number
  /** A place where an edge passes a layer; it has no extent. */
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
}

/** By layer, and in each layer from left to right. */
export type Layers = readonly Vertex[][]

export function vertexOf({ width, height }: { readonly width: number; readonly height: number }): Vertex {
  return { width, height, isBend: false, above: [], below: [], layer: 0, place: 0 }
}

/**
 * Joins nodes, whose layers are known, by chains of bends: each edge has one in every layer between its ends. Returns
 * the bends of each edge.
 */
export function connect(links: readonly Link[]): readonly (readonly Vertex[])[] {
  return links.map(({ from, to }) => {
    const count = to.layer - from.layer - 1
    const bends = Array.from({ length: count }, (_, at) => bendIn(from.layer + 1 + at))
    const chain = [from, ...bends, to]
    for (const [at, vertex] of chain.entries()) {
      const next = chain[at + 1]
      if (next === undefined) break
      vertex.below.push(next)
      next.above.push(vertex)
    }
    return bends
  })
}

function bendIn(layer: number): Vertex {
  return { width: 0, height: 0, isBend: true, above: [], below: [], layer, place: 0 }
}

/** Notes in each vertex its place in its layer. */
export function number(layers: Layers): void {
  for (const layer of layers) for (const [place, vertex] of layer.entries()) vertex.place = place
}
