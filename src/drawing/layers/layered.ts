/** Places nodes in layers, from top to bottom or from left to right, with the ways of the edges between them. */
import type { Point, Size } from './geometry.ts'
import { aligned } from './alignment.ts'
import { connect, vertexOf, type Layers, type Link, type Vertex } from './graph.ts'
import { ordered } from './order.ts'
import { rank } from './ranks.ts'

/** Between nodes by their positions; `from` is less than `to`. */
export interface LayeredEdge {
  readonly from: number
  readonly to: number
  readonly weight: number
  /** The extent of its label, for which there is room on its way. */
  readonly label?: Size | undefined
}

/** Distances in pixels. */
export interface Gaps {
  readonly nodes: number
  readonly edges: number
  readonly layers: number
}

export interface Placed {
  /** The middle of each node. */
  readonly nodes: readonly Point[]
  /** Of each edge, from the border of the one node to that of the other. */
  readonly edges: readonly (readonly Point[])[]
  /** The middle of the label of each edge. */
  readonly labels: readonly (Point | undefined)[]
}

/** `down`: edges lead from top to bottom, and otherwise from left to right. */
export function layered(
  sizes: readonly Size[],
  edges: readonly LayeredEdge[],
  { gaps, isDown }: { readonly gaps: Gaps; readonly isDown: boolean },
): Placed {
  const turned = (size: Size): Size => (isDown ? size : { width: size.height, height: size.width })
  const point = (x: number, y: number): Point => (isDown ? { x, y } : { x: y, y: x })
  const nodes = sizes.map((size) => vertexOf(turned(size)))
  const links = edges.flatMap(({ from, to, weight, label }): readonly Link[] => {
    const [start, end] = [nodes[from], nodes[to]]
    return start === undefined || end === undefined
      ? []
      : [{ from: start, to: end, weight, label: label && turned(label) }]
  })
  rank(nodes, links)
  // Every other layer is one of bends alone: two edges between the same nodes have ways of their own.
  for (const node of nodes) node.layer *= 2
  const ways = connect(links)
  const layers = ordered(nodes)
  const across = aligned(layers, (left, right) => (left.width + right.width + gap(left) + gap(right)) / 2)
  const along = middlesOf(layers, gaps.layers / 2)
  const placeOf = (vertex: Vertex): Point => ({ x: across.get(vertex) ?? 0, y: along[vertex.layer] ?? 0 })
  return {
    nodes: nodes.map(placeOf).map(({ x, y }) => point(x, y)),
    edges: links.map(({ from, to }, at) => {
      const points = (ways[at]?.bends ?? []).map(placeOf)
      const [start, end] = [placeOf(from), placeOf(to)]
      const ends = [border(from, start, points[0] ?? end), border(to, end, points.at(-1) ?? start)] as const
      return [ends[0], ...points, ends[1]].map(({ x, y }) => point(x, y))
    }),
    labels: ways.map(({ labelled }) => {
      if (labelled === undefined) return undefined
      const { x, y } = placeOf(labelled)
      return point(x, y)
    }),
  }

  function gap({ isBend }: Vertex): number {
    return isBend ? gaps.edges : gaps.nodes
  }
}

/** The middle of each layer. */
function middlesOf(layers: Layers, gap: number): readonly number[] {
  let start = 0
  return layers.map((layer) => {
    const height = Math.max(0, ...layer.map((vertex) => vertex.height))
    const middle = start + height / 2
    start += height + gap
    return middle
  })
}

/** Where the line from the middle of a node to a point outside leaves the node. */
function border({ width, height }: Vertex, middle: Point, towards: Point): Point {
  const [x, y] = [towards.x - middle.x, towards.y - middle.y]
  const share = Math.min(
    x === 0 ? Infinity : width / 2 / Math.abs(x),
    y === 0 ? Infinity : height / 2 / Math.abs(y),
  )
  return { x: middle.x + x * share, y: middle.y + y * share }
}
