/** BEHAVIOUR 74: charts are laid out without overlaps, with every edge at its nodes, and in the same way each time. */
import fc from 'fast-check'
import type { Chart, ChartState } from 'troupe'
import { describe, expect, test } from 'vitest'
import { diagramOf } from '../../../../src/drawing/diagram.ts'
import { overlaps, type Box, type Point } from '../../../../src/drawing/layers/geometry.ts'
import { layoutOf, type Layout } from '../../../../src/drawing/layout.ts'
import { placeLabels } from '../../../../src/drawing/place-labels.ts'
import { fitted } from '../../../../src/inspector/page/chart/canvas.tsx'
import { ChartIndex } from '../../../../src/drawing/chart-index.ts'
import { anyChart, libraryCharts, userCharts } from './charts.ts'

const measure = (text: string): number => text.length * 6.6

function composites(state: ChartState): readonly string[] {
  return state.states.length === 0 ? [] : [state.path, ...state.states.flatMap(composites)]
}

/** Whether a point lies on the border of a box, or as good as there. */
function isOnBorder({ x, y }: Point, box: Box): boolean {
  const reach = 1.5
  const isWithin = (grown: number): boolean =>
    x >= box.x - grown &&
    x <= box.x + box.width + grown &&
    y >= box.y - grown &&
    y <= box.y + box.height + grown
  return isWithin(reach) && !isWithin(-reach)
}

function assertApart(boxes: readonly Box[], others: readonly Box[] = []): void {
  const over = boxes.flatMap((box, at) =>
    [...boxes.slice(at + 1), ...others].filter((other) => overlaps(box, other)).map((other) => [box, other]),
  )
  expect(over).toEqual([])
}

function assertWithin(box: Box, { width, height }: Layout): void {
  expect(box.x).toBeGreaterThanOrEqual(-0.5)
  expect(box.y).toBeGreaterThanOrEqual(-0.5)
  expect(box.x + box.width).toBeLessThanOrEqual(width + 0.5)
  expect(box.y + box.height).toBeLessThanOrEqual(height + 0.5)
}

function assertGood(layout: Layout): void {
  const { regions, width, height } = layout
  if (regions.length > 1) assertApart(regions)
  assertApart(regions.flatMap(({ nodes }) => nodes))
  for (const { nodes, edges } of regions) {
    const byId = new Map(nodes.map((node) => [node.node.id, node]))
    for (const node of nodes) {
      assertWithin(node, layout)
      assertApart(node.parts)
      for (const part of node.parts) assertWithin({ ...part, width: 0, height: 0 }, layout)
    }
    for (const { edge, points } of edges) {
      const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
      const [first, last] = [points[0], points.at(-1)]
      const isBegun = from && first && isOnBorder(first, from)
      const isEnded = to && last && isOnBorder(last, to)
      expect([edge.id, isBegun, isEnded]).toEqual([edge.id, true, true])
      for (const point of points) assertWithin({ ...point, width: 0, height: 0 }, layout)
    }
  }
  const nodes = regions.flatMap((region) => region.nodes)
  const labels = regions.flatMap(({ edges }) =>
    edges.map(({ edge, points }) => ({ id: edge.id, points, size: { width: 90, height: 15 } })),
  )
  assertApart([...placeLabels(labels, { nodes, width, height }).values()], nodes)
}

function assertDrawn(chart: Chart, paths: readonly string[]): void {
  const index = new ChartIndex(chart)
  for (const path of paths)
    for (const direction of ['down', 'right'] as const) {
      const layout = layoutOf(diagramOf(index, path), direction, measure)
      assertGood(layout)
      if (direction === 'down')
        expect(layoutOf(diagramOf(new ChartIndex(structuredClone(chart)), path), direction, measure)).toEqual(
          layout,
        )
    }
}

describe.each(libraryCharts().map((chart) => [chart.id, chart] as const))('the chart of %s', (_, chart) => {
  test('is laid out well, and each of its composite states', () => assertDrawn(chart, composites(chart)))
})

describe.each(userCharts.map((chart) => [chart.id, chart] as const))("a user's machine, %s,", (_, chart) => {
  test('is laid out well, and each of its composite states', () =>
    assertDrawn(chart, chart.states.length === 0 ? [''] : composites(chart)))
})

test('any machine is laid out well', () => {
  fc.assert(
    fc.property(anyChart, (chart) => assertDrawn(chart, composites(chart))),
    { numRuns: 60 },
  )
})

describe('a chart in a space', () => {
  const index = new ChartIndex(libraryCharts().find(({ id }) => id === 'supervisor') ?? expect.fail())
  const scaleIn = (width: number, height: number): number =>
    fitted(index, '', { width, height }, measure).scale
  const extentIn = (width: number, height: number): readonly number[] => {
    const { layout } = fitted(index, '', { width, height }, measure)
    return [layout.width, layout.height]
  }

  test('is laid out once, and stands still while its actor moves', () => {
    const first = fitted(index, '', { width: 800, height: 500 }, measure)
    expect(fitted(index, '', { width: 800, height: 500 }, measure).layout).toBe(first.layout)
  })

  test('takes the direction in which it is larger, or in which more of it is seen', () => {
    const [down, right] = [extentIn(700, 900), extentIn(1500, 320)]
    expect(down[1]).toBeGreaterThan(right[1] ?? 0)
    expect(right[0]).toBeGreaterThan(down[0] ?? 0)
    expect(extentIn(700, 150)).toEqual(right)
    expect(extentIn(300, 420)).toEqual(down)
  })

  test('stays large enough to read, and grows little', () => {
    expect([scaleIn(100, 100), scaleIn(9000, 9000)]).toEqual([0.88, 1.1])
    expect(scaleIn(640, 420)).toBeGreaterThan(0.8)
  })
})
