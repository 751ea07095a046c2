/** BEHAVIOUR 74: the layers of a chart: short edges, few crossings, and no vertex over another. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { vertexOf, type Link } from '../../../../src/drawing/layers/graph.ts'
import { layered, type LayeredEdge } from '../../../../src/drawing/layers/layered.ts'
import { rank } from '../../../../src/drawing/layers/ranks.ts'

const size = { width: 60, height: 20 }
const gaps = { nodes: 14, edges: 8, layers: 34 }

function placed(count: number, ends: readonly (readonly [number, number])[], isDown = true) {
  const edges = ends.map(([from, to]): LayeredEdge => ({ from, to, weight: 1 }))
  const sizes = Array.from({ length: count }, () => size)
  return layered(sizes, edges, { gaps, isDown })
}

/** Edges between up to six nodes, each from a node to a later one, with their weights. */
const anyEdges = fc.array(
  fc
    .record({ from: fc.nat(4), by: fc.integer({ min: 1, max: 5 }), weight: fc.integer({ min: 1, max: 4 }) })
    .map(({ from, by, weight }) => ({ from, to: Math.min(5, from + by), weight })),
  { maxLength: 9 },
)

function lengthOf(layers: readonly number[], edges: readonly LayeredEdge[]): number {
  return edges.reduce((sum, { from, to, weight }) => {
    const length = (layers[to] ?? 0) - (layers[from] ?? 0)
    return length < 1 ? Infinity : sum + length * weight
  }, 0)
}

/** The least length of all ways to put six nodes into six layers. */
function leastLength(edges: readonly LayeredEdge[], layers: readonly number[] = []): number {
  if (layers.length === 6) return lengthOf(layers, edges)
  const entering = edges.filter(({ to }) => to === layers.length).map(({ from }) => (layers[from] ?? 0) + 1)
  const first = Math.max(0, ...entering)
  const choices = Array.from({ length: 6 - first }, (_, at) => first + at)
  return Math.min(...choices.map((layer) => leastLength(edges, [...layers, layer])))
}

describe('the layers of a chart', () => {
  test('keep all edges together as short as they can be', () => {
    fc.assert(
      fc.property(anyEdges, (edges) => {
        const nodes = Array.from({ length: 6 }, () => vertexOf(size))
        const links = edges.flatMap(({ from, to, weight }): readonly Link[] => {
          const [start, end] = [nodes[from], nodes[to]]
          return start && end ? [{ from: start, to: end, weight }] : []
        })
        rank(nodes, links)
        const layers = nodes.map(({ layer }) => layer)
        expect(lengthOf(layers, edges)).toBe(leastLength(edges))
        expect(Math.min(...layers)).toBe(0)
      }),
      { numRuns: 40 },
    )
  })

  test('have the nodes in an order in which the edges of a tree do not cross', () => {
    // Two nodes with two each, named across.
    const { nodes } = placed(7, [
      [0, 1],
      [0, 2],
      [1, 4],
      [1, 6],
      [2, 3],
      [2, 5],
    ])
    const across = [4, 6, 3, 5].map((node) => nodes[node]?.x ?? NaN)
    const [left, right] = [across.slice(0, 2), across.slice(2)]
    expect(Math.max(...left) < Math.min(...right) || Math.max(...right) < Math.min(...left)).toBe(true)
  })

  test('hold a chain straight, from top to bottom and from left to right', () => {
    const chain = [
      [0, 1],
      [1, 2],
    ] as const
    expect(new Set(placed(3, chain).nodes.map(({ x }) => x)).size).toBe(1)
    expect(new Set(placed(3, chain, false).nodes.map(({ y }) => y)).size).toBe(1)
  })

  test('give two edges between the same nodes a way each, from border to border', () => {
    const { nodes, edges } = placed(2, [
      [0, 1],
      [0, 1],
    ])
    const [first = [], second = []] = edges
    expect(first[1]?.x).not.toBe(second[1]?.x)
    for (const points of edges) {
      expect(points[0]?.y).toBe((nodes[0]?.y ?? 0) + size.height / 2)
      expect(points.at(-1)?.y).toBe((nodes[1]?.y ?? 0) - size.height / 2)
    }
  })
})
