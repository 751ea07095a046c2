/** What is drawn of a chart: each transition once, from the node that has its source to the node that has its target. */
import type { Chart } from 'troupe'
import { describe, expect, test } from 'vitest'
import { chartOf } from '../../../../src/actors/charts/chart.ts'
import {
  diagramOf,
  transitionsBelow,
  type Diagram,
  type DrawnTransition,
} from '../../../../src/drawing/diagram.ts'
import { ChartIndex } from '../../../../src/drawing/chart-index.ts'
import { deep, hundred, libraryCharts, nested, parallel, single } from './charts.ts'

function drawn(machine: Parameters<typeof chartOf>[0], path = ''): Diagram {
  return diagramOf(new ChartIndex(chartOf(machine)), path)
}

function edgesOf({ edges }: Diagram): readonly string[] {
  return edges.map(({ id, transitions }) => `${id} ${transitions.map(({ text }) => text).join(', ')}`.trim())
}

function placesOf(transitions: readonly DrawnTransition[]): readonly string[] {
  return transitions.map(({ source, position, target }) => `${source} ${position} ${target}`).toSorted()
}

describe('the whole of a chart', () => {
  test.each(libraryCharts().map((chart): [string, Chart] => [chart.id, chart]))(
    'has each transition of %s between two of its states on one edge, and no other',
    (_, chart) => {
      const { edges, common } = diagramOf(new ChartIndex(chart), '')
      const outermost = (path: string): string => path.split('.')[0] ?? ''
      const between = transitionsBelow(chart).filter(
        ({ source, target }) =>
          source !== '' && target !== undefined && outermost(source) !== outermost(target),
      )
      expect(placesOf(edges.flatMap(({ transitions }) => transitions))).toEqual(placesOf(between))
      expect(common).toEqual(transitionsBelow(chart).filter(({ source }) => source === ''))
    },
  )

  test('has one edge between two states, and the final states in one node', () => {
    const { nodes, common } = drawn(nested)
    expect(edgesOf(drawn(nested))).toEqual(['initial→open', 'open→working pay', 'working→.ends cancel, done'])
    expect(nodes.map(({ kind, states }) => [kind, states.map(({ name }) => name)])).toEqual([
      ['state', ['open']],
      ['state', ['working']],
      ['ends', ['sent', 'lost']],
      ['entry', []],
    ])
    expect(common).toEqual([])
  })

  test('of a machine without states is one node', () => {
    expect(drawn(single).nodes).toMatchObject([{ kind: 'state', text: 'single' }])
  })

  test('of a hundred states has them all', () => {
    const { nodes, edges } = drawn(hundred)
    expect(nodes).toHaveLength(101)
    expect(edges.length).toBeGreaterThan(150)
  })
})

describe('the inside of a state', () => {
  test('has the ways out, and the ways that lead into its middle', () => {
    expect(edgesOf(drawn(parallel, 'transfer.sending'))).toEqual([
      'initial→transfer.sending.first',
      'transfer.sending.first→transfer.sending.rest next',
      'entry notice→transfer.sending.rest retry',
    ])
    const inner = Array.from({ length: 8 }, () => 'level').join('.')
    expect(edgesOf(drawn(deep, inner))).toEqual([
      `initial→${inner}.level`,
      `${inner}.level→exit end leave`,
      `${inner}.beside→${inner}.level down`,
    ])
  })

  test('of a parallel state has a diagram for each region, with the transitions of that region', () => {
    const { regions, common } = drawn(parallel)
    expect(common.map(({ text, target }) => [text, target])).toEqual([['reset', 'transfer.idle']])
    expect(regions.map(({ state, common }) => [state.name, common.map(({ text }) => text)])).toEqual([
      ['transfer', ['drop']],
      ['notice', []],
      ['lamp', []],
    ])
    expect(regions.map(edgesOf)).toEqual([
      [
        'initial→transfer.idle',
        'entry →transfer.idle reset',
        'transfer.idle→transfer.sending start',
        'entry notice→transfer.sending retry',
      ],
      ['initial→notice.hidden', 'notice.hidden→notice.shown fail', 'notice.shown→exit transfer retry'],
      [],
    ])
  })
})
