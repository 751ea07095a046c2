/** The geometry of a diagram: layered by dagre, in the same way for the same diagram. */
import { graphlib, layout as layOut } from '@dagrejs/dagre'
import type { ChartState } from '../../../actors/charts/chart.ts'
import type { Diagram, DiagramEdge, DiagramNode } from './diagram.ts'
import { isBackward, nodeOrder } from './node-order.ts'
import type { Box, Point, Size } from './geometry.ts'

/** `down`: from top to bottom. `right`: from left to right. */
export type Direction = 'down' | 'right'

/** The width of a text in pixels. */
export type Measure = (text: string) => number

export interface PlacedNode extends Box {
  readonly node: DiagramNode
  /** Of the final states: a box for each of them. */
  readonly parts: readonly (Box & { readonly state: ChartState })[]
}

export interface PlacedEdge {
  readonly edge: DiagramEdge
  /** From the border of the one node to that of the other. */
  readonly points: readonly Point[]
}

/** A region of a parallel state, or the whole inside of another one. */
export interface PlacedRegion extends Box {
  readonly state: ChartState
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
}

export interface Layout extends Size {
  readonly regions: readonly PlacedRegion[]
}

const lineHeight = 22
const padding = 9
const widest = 190
const margin = 6

export function layoutOf(diagram: Diagram, direction: Direction, measure: Measure): Layout {
  const inside = placed(diagram, direction, measure)
  return { width: inside.width, height: inside.height, regions: [inside] }
}

interface NodeLabel extends Size {
  x?: number
  y?: number
}

function placed(diagram: Diagram, direction: Direction, measure: Measure): PlacedRegion {
  const { state, nodes, edges } = diagram
  const order = nodeOrder(diagram)
  const graph = new graphlib.Graph({ multigraph: true })
  graph.setGraph({
    rankdir: direction === 'down' ? 'TB' : 'LR',
    nodesep: 14,
    edgesep: 8,
    ranksep: direction === 'down' ? 24 : 34,
    marginx: margin,
    marginy: margin,
  })
  const ends = new Map<string, ReturnType<typeof endsOf>>()
  for (const node of nodes) {
    const size = node.kind === 'ends' ? endsOf(node, direction, measure) : undefined
    if (size !== undefined) ends.set(node.id, size)
    graph.setNode(node.id, size === undefined ? sizeOf(node, measure) : { width: size.width, height: size.height })
  }
  for (const edge of edges) graph.setEdge(...endsOfEdge(edge, order), { weight: edge.transitions.length === 0 ? 4 : 1, minlen: 1 }, edge.id)
  layOut(graph)
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>
  return {
    state,
    x: 0,
    y: 0,
    width,
    height,
    nodes: nodes.map((node) => {
      const { x = 0, y = 0, width, height } = graph.node(node.id) as NodeLabel
      const box = { x: x - width / 2, y: y - height / 2, width, height }
      const parts = ends.get(node.id)?.parts ?? []
      return { node, ...box, parts: parts.map((part) => ({ ...part, x: part.x + box.x, y: part.y + box.y })) }
    }),
    edges: edges.map((edge) => {
      const { points } = graph.edge(...endsOfEdge(edge, order), edge.id) as { readonly points: readonly Point[] }
      return { edge, points: isBackward(edge, order) ? points.toReversed() : points }
    }),
  }
}

/** The ends as dagre takes them: it is given no way back. */
function endsOfEdge(edge: DiagramEdge, order: ReadonlyMap<string, number>): [string, string] {
  return isBackward(edge, order) ? [edge.to, edge.from] : [edge.from, edge.to]
}

function sizeOf({ kind, text }: DiagramNode, measure: Measure): Size {
  if (kind === 'entry' && text === '') return { width: 10, height: 10 }
  return { width: Math.min(widest, Math.ceil(measure(text)) + 2 * padding), height: lineHeight }
}

function endsOf({ states }: DiagramNode, direction: Direction, measure: Measure) {
  const perRow = direction === 'down' ? Math.min(4, states.length) : 1
  const width = Math.max(...states.map(({ name }) => Math.ceil(measure(name)) + 2 * padding))
  const parts = states.map((state, at) => ({
    state,
    x: 4 + (at % perRow) * (width + 4),
    y: 4 + Math.floor(at / perRow) * (lineHeight + 4),
    width,
    height: lineHeight,
  }))
  const rows = Math.ceil(states.length / perRow)
  return { width: perRow * (width + 4) + 4, height: rows * (lineHeight + 4) + 4, parts }
}
