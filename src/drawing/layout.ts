/** The geometry of a diagram: in layers, and the same for the same diagram. */
import type { ChartState } from '../index.ts'
import type { Diagram, DiagramEdge, DiagramNode } from './diagram.ts'
import { around, boundsOf, moved, type Box, type Point, type Size } from './layers/geometry.ts'
import { layered, type Gaps } from './layers/layered.ts'
import { endsSize, lineHeight, sizeOf, type Measure } from './node-size.ts'

/** `down`: from top to bottom. `right`: from left to right. */
export type Direction = 'down' | 'right'

export interface PlacedNode extends Box {
  readonly node: DiagramNode
  /** Of the final states: a box for each of them. */
  readonly parts: readonly PlacedPart[]
}

export interface PlacedPart extends Box {
  readonly state: ChartState
}

export interface PlacedEdge {
  readonly edge: DiagramEdge
  /** From the border of the one node to that of the other. */
  readonly points: readonly Point[]
  /** Where there is room for its label. */
  readonly label?: Box
}

/** A region of a parallel state, or the whole inside of another one. */
export interface PlacedRegion extends Box {
  readonly diagram: Diagram
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
}

export interface Layout extends Size {
  readonly diagram: Diagram
  readonly regions: readonly PlacedRegion[]
}

const margin = 6
const origin: Point = { x: 0, y: 0 }
/** Above the states of a region: its name. */
const title = lineHeight

/** How a diagram is drawn, where it is not as the page of the inspector draws it. */
export interface Drawn {
  /** The extent of a node. */
  readonly node?: (node: DiagramNode) => Size
  /** The extent of the label of an edge, for which room is left. */
  readonly label?: (edge: DiagramEdge) => Size | undefined
  readonly gaps?: Gaps
}

export function layoutOf(
  diagram: Diagram,
  direction: Direction,
  measure: Measure,
  drawn: Drawn = {},
): Layout {
  if (diagram.regions.length === 0) {
    const inside = placed(diagram, direction, measure, drawn)
    return { diagram, width: inside.width, height: inside.height, regions: [inside] }
  }
  const regions = diagram.regions.map((region) => {
    const inside = placed(region, direction, measure, drawn)
    const width = Math.max(inside.width, measure(region.state.name) + 2 * margin)
    const below = movedRegion(inside, { x: 0, y: title })
    return { ...below, x: 0, y: 0, width, height: inside.height + title }
  })
  const { boxes, width, height } = packed(regions, direction)
  return { diagram, width, height, regions: regions.map((region, at) => movedRegion(region, boxes[at])) }
}

const gap = 12

/** The regions of a parallel state: side by side, or below one another, in rows of about the same extent. */
function packed(
  sizes: readonly Size[],
  direction: 'down' | 'right',
): Size & { readonly boxes: readonly Point[] } {
  const perRow = direction === 'down' ? Math.ceil(Math.sqrt(sizes.length)) : 1
  const boxes: Box[] = []
  let y = 0
  for (let first = 0; first < sizes.length; first += perRow) {
    const row = sizes.slice(first, first + perRow)
    let x = 0
    for (const { width, height } of row) {
      boxes.push({ x, y, width, height })
      x += width + gap
    }
    y += Math.max(...row.map(({ height }) => height)) + gap
  }
  const right = Math.max(0, ...boxes.map(({ x, width }) => x + width))
  return { boxes, width: right, height: Math.max(0, y - gap) }
}

function placed(diagram: Diagram, direction: Direction, measure: Measure, drawn: Drawn): PlacedRegion {
  const order = nodeOrder(diagram)
  const place = (id: string): number => order.get(id) ?? 0
  const nodes = diagram.nodes.toSorted((a, b) => place(a.id) - place(b.id))
  const sizes = nodes.map((node) =>
    node.kind === 'ends' ? endsSize(node, direction, measure) : (drawn.node?.(node) ?? sizeOf(node, measure)),
  )
  // An edge against the order is turned round: it leads back.
  const edges = diagram.edges.map((edge) => {
    const [from, to] = isBackward(edge, order) ? [edge.to, edge.from] : [edge.from, edge.to]
    const weight = edge.transitions.length === 0 ? 4 : 1
    return { from: place(from), to: place(to), weight, label: drawn.label?.(edge) }
  })
  const isDown = direction === 'down'
  const drawing = layered(sizes, edges, {
    gaps: drawn.gaps ?? { nodes: 14, edges: 8, layers: isDown ? 17 : 34 },
    isDown,
  })
  const placedNodes = nodes.map((node, at): PlacedNode => {
    const box = around(drawing.nodes[at] ?? origin, sizes[at] ?? { width: 0, height: 0 })
    const parts = node.kind === 'ends' ? endsSize(node, direction, measure).parts : []
    return { node, ...box, parts: parts.map((part) => moved(part, box)) }
  })
  const placedEdges = diagram.edges.map((edge, at): PlacedEdge => {
    const points = drawing.edges[at] ?? []
    const [middle, size] = [drawing.labels[at], edges[at]?.label]
    return {
      edge,
      points: isBackward(edge, order) ? points.toReversed() : points,
      ...(middle === undefined || size === undefined ? {} : { label: around(middle, size) }),
    }
  })
  const bounds = boundsOf(
    [...placedNodes, ...placedEdges.flatMap(({ label }) => label ?? [])],
    placedEdges.flatMap(({ points }) => points),
    margin,
  )
  const region = { diagram, nodes: placedNodes, edges: placedEdges, ...bounds }
  return { ...movedRegion(region, { x: -bounds.x, y: -bounds.y }), x: 0, y: 0 }
}

// The order of the nodes of a diagram, from its beginning to its end. An edge against the order is drawn as a way
// back, so a good order has few of them: it is that of the definition, or that of the steps from the initial state.

/** By the ids of the nodes, their places from 0. Entries come first, then states, final states and exits. */
function nodeOrder({ nodes, edges }: Diagram): ReadonlyMap<string, number> {
  const kinds = ['entry', 'state', 'ends', 'exit']
  const defined = nodes.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)).map(({ id }) => id)
  const first = placesOf(defined)
  const steps = stepsFrom('initial', edges)
  const stepped = defined.toSorted((a, b) => rankOf(a) - rankOf(b))
  const second = placesOf(stepped)
  return backward(edges, second) < backward(edges, first) ? second : first

  function rankOf(id: string): number {
    const kind = nodes.find((node) => node.id === id)?.kind ?? 'state'
    return kind === 'state' ? (steps.get(id) ?? nodes.length) : (kinds.indexOf(kind) - 0.5) * nodes.length * 2
  }
}

function placesOf(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map(ids.map((id, place) => [id, place]))
}

function backward(edges: readonly DiagramEdge[], places: ReadonlyMap<string, number>): number {
  return edges.filter((edge) => isBackward(edge, places)).length
}

function isBackward({ from, to }: DiagramEdge, places: ReadonlyMap<string, number>): boolean {
  return (places.get(from) ?? 0) > (places.get(to) ?? 0)
}

/** The number of edges on the shortest way from a node to each that it leads to. */
function stepsFrom(start: string, edges: readonly DiagramEdge[]): ReadonlyMap<string, number> {
  const steps = new Map([[start, 0]])
  const targets = Map.groupBy(edges, ({ from }) => from)
  for (const [id, count] of steps)
    for (const { to } of targets.get(id) ?? []) if (!steps.has(to)) steps.set(to, count + 1)
  return steps
}

/** The region with all that it holds, `by` so much to the right and down. Its own corner moves too. */
function movedRegion(region: PlacedRegion, by: Point = origin): PlacedRegion {
  return {
    ...moved(region, by),
    nodes: region.nodes.map((node) => ({
      ...moved(node, by),
      parts: node.parts.map((part) => moved(part, by)),
    })),
    edges: region.edges.map((edge) => ({
      ...edge,
      points: edge.points.map((point) => moved(point, by)),
      ...(edge.label === undefined ? {} : { label: moved(edge.label, by) }),
    })),
  }
}
