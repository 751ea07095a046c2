/** The layers of dagre, with types: its own declarations name a package that it does not bring. */
import * as dagre from '@dagrejs/dagre'
import type { Point, Size } from './geometry.ts'

interface Placed extends Size {
  /** Of the middle. */
  readonly x: number
  readonly y: number
}

interface LayeredGraph {
  setGraph(options: {
    readonly rankdir: 'TB' | 'LR'
    readonly nodesep: number
    readonly edgesep: number
    readonly ranksep: number
  }): void
  setNode(id: string, size: Size): void
  setEdge(from: string, to: string, options: { readonly weight: number }, name: string): void
  node(id: string): Placed
  edge(from: string, to: string, name: string): { readonly points: readonly Point[] }
}

// By name: a bundle leaves out the parts of dagre that it does not name.
const Graph = dagre.Graph as unknown as new (options: { readonly multigraph: true }) => LayeredGraph
const layout = dagre.layout as unknown as (graph: LayeredGraph) => void

export function layeredGraph(): LayeredGraph {
  return new Graph({ multigraph: true })
}

/** Gives each node and each edge of the graph its place. */
export function placeAll(graph: LayeredGraph): void {
  layout(graph)
}
