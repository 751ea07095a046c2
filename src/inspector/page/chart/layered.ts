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

interface Dagre {
  readonly graphlib: { readonly Graph: new (options: { readonly multigraph: true }) => LayeredGraph }
  readonly layout: (graph: LayeredGraph) => void
}

const { graphlib, layout } = dagre as unknown as Dagre

export function layeredGraph(): LayeredGraph {
  return new graphlib.Graph({ multigraph: true })
}

/** Gives each node and each edge of the graph its place. */
export function placeAll(graph: LayeredGraph): void {
  layout(graph)
}
