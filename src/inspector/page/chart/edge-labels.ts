/** The labels of the edges that are to be read: those that were taken, and those of the state under the pointer. */
import type { Box } from '../../../drawing/layers/geometry.ts'
import type { Highlights, Mark } from './highlights.ts'
import type { Layout, PlacedEdge } from '../../../drawing/layout.ts'
import { cutTo, type Measure } from '../../../drawing/node-size.ts'
import { placeLabels, type Label } from '../../../drawing/place-labels.ts'

export interface MarkedEdge extends PlacedEdge {
  readonly mark: Mark
  /** How often it was taken. */
  readonly count: number
}

export interface EdgeLabel extends Box {
  readonly id: string
  readonly text: string
  readonly mark: Mark
}

const widest = 176
const height = 15
const padding = 4
/** The text of a label, as a share of that of a node. */
const labelSize = 11 / 12
/** How much wider bold text is. */
const bold = 1.08

/** The edges of a layout, those that were never taken first: the others are drawn over them. */
export function markedEdges({ regions }: Layout, highlights: Highlights): readonly MarkedEdge[] {
  const marks: readonly Mark[] = ['never', 'visited', 'now']
  return regions
    .flatMap(({ edges, diagram: { state } }) =>
      edges.map((placed): MarkedEdge => {
        const { transitions } = placed.edge
        // The way to the initial state is no transition: it was taken by entering the state.
        if (transitions.length > 0)
          return { ...placed, mark: highlights.ofWay(transitions), count: highlights.count(transitions) }
        return { ...placed, mark: highlights.of(state.path) === 'never' ? 'never' : 'visited', count: 0 }
      }),
    )
    .toSorted((a, b) => marks.indexOf(a.mark) - marks.indexOf(b.mark))
}

/** `near`: the id of the node under the pointer. */
export function edgeLabels(
  layout: Layout,
  edges: readonly MarkedEdge[],
  {
    highlights,
    near,
    measure,
  }: { readonly highlights: Highlights; readonly near?: string; readonly measure: Measure },
): readonly EdgeLabel[] {
  const isNear = ({ edge }: MarkedEdge): boolean => edge.from === near || edge.to === near
  const read = edges.filter((one) => one.edge.transitions.length > 0 && (one.mark !== 'never' || isNear(one)))
  const ordered = [...read.filter(isNear), ...read.filter((one) => !isNear(one)).toReversed()]
  const texts = new Map(
    ordered.map((one) => [one.edge.id, cutTo(labelText(one, highlights), widest, measure)]),
  )
  const boxes = placeLabels(
    ordered.map(({ edge, points, mark }): Label => {
      const weight = mark === 'now' ? bold : 1
      const width = measure(texts.get(edge.id) ?? '') * labelSize * weight + 2 * padding
      return { id: edge.id, points, size: { width, height } }
    }),
    {
      nodes: layout.regions.flatMap(({ nodes }) => nodes),
      width: layout.width,
      height: layout.height,
    },
  )
  return ordered.flatMap(({ edge: { id }, mark }) => {
    const box = boxes.get(id)
    return box === undefined ? [] : [{ id, text: texts.get(id) ?? '', mark, ...box }]
  })
}

/** Of several transitions, those that the actor has taken, by the row itself first. */
function labelText({ edge, mark, count }: MarkedEdge, highlights: Highlights): string {
  const { transitions } = edge
  const taken = transitions.filter((one) => highlights.ofWay([one]) === mark)
  const [first] = taken.length > 0 ? taken : transitions
  const others = new Set(taken.map(({ text }) => text)).size - 1
  return [first?.text, others > 0 && `+${others}`, count > 1 && `×${count}`].filter(Boolean).join(' ')
}

/** All transitions of an edge, one a line, with the number of times that each was taken. */
export function edgeTitle({ edge }: PlacedEdge, highlights: Highlights): string {
  const lines = edge.transitions.map((one) => {
    const count = highlights.count([one])
    const line = count === 0 ? one.text : `${one.text} ×${count}`
    return one.description === undefined ? line : `${line}: ${one.description}`
  })
  return lines.length === 0 ? 'the initial state' : lines.join('\n')
}
