/** A laid-out diagram, with the marks of an actor at a row. */
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { measureText } from '../shared/measure.ts'
import { edgeLabels, edgeTitle, markedEdges, type EdgeLabel, type MarkedEdge } from './edge-labels.ts'
import { smoothPath } from './layers/geometry.ts'
import type { Highlights, Mark } from './highlights.ts'
import type { Layout } from './layout.ts'
import { SheetNode } from './sheet-node.tsx'

export interface SheetProps {
  readonly layout: Layout
  readonly scale: number
  readonly highlights: Highlights
  /** The path of the state that is shown beside the sheet. */
  readonly opened: string
  /** Asks to show a state beside the sheet. */
  readonly onOpen: (path: string) => void
}

const marks: readonly Mark[] = ['never', 'visited', 'now']

export function Sheet({ layout, scale, highlights, opened, onOpen }: SheetProps) {
  const id = useId()
  const near = useSignal<string | undefined>(undefined)
  const edges = markedEdges(layout, highlights)
  const labels = edgeLabels(layout, edges, { highlights, near: near.value, measure: measureText })
  const { width, height, regions } = layout
  return (
    <svg
      class="sheet"
      width={Math.round(width * scale)}
      height={Math.round(height * scale)}
      viewBox={`0 0 ${width} ${height}`}
    >
      <defs>
        {marks.map((mark) => (
          <marker
            key={mark}
            id={`${id}-${mark}`}
            class={`tip ${mark}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0,1 L8,4 L0,7 z" />
          </marker>
        ))}
      </defs>
      {layout.diagram.regions.length > 0 &&
        regions.map((region) => (
          <g key={region.diagram.state.path} class={`region ${highlights.of(region.diagram.state.path)}`}>
            <rect x={region.x} y={region.y} width={region.width} height={region.height} rx="6" />
            <text x={region.x + 8} y={region.y + 15}>
              {region.diagram.state.name}
            </text>
          </g>
        ))}
      {edges.map((edge) => (
        <SheetEdge
          key={edge.edge.id}
          edge={edge}
          near={near.value}
          tip={`${id}-${edge.mark}`}
          title={edgeTitle(edge, highlights)}
        />
      ))}
      {regions.flatMap(({ nodes }) =>
        nodes.map((placed) => (
          <SheetNode
            key={placed.node.id}
            placed={placed}
            highlights={highlights}
            opened={opened}
            onOpen={onOpen}
            onNear={(isNear) => (near.value = isNear ? placed.node.id : undefined)}
          />
        )),
      )}
      {labels.map((label) => (
        <SheetLabel key={label.id} label={label} />
      ))}
    </svg>
  )
}

interface EdgeProps {
  readonly edge: MarkedEdge
  readonly near: string | undefined
  /** The id of the arrowhead. */
  readonly tip: string
  readonly title: string
}

function SheetEdge({ edge: { edge, points, mark }, near, tip, title }: EdgeProps) {
  const path = smoothPath(points)
  const isNear = near !== undefined && (edge.from === near || edge.to === near)
  return (
    <g class={`edge ${mark} ${isNear ? 'near' : ''}`}>
      <title>{title}</title>
      <path class="reach" d={path} />
      <path class="line" d={path} marker-end={`url(#${tip})`} />
    </g>
  )
}

function SheetLabel({ label: { x, y, width, height, text, mark } }: { readonly label: EdgeLabel }) {
  return (
    <g class={`label ${mark}`} aria-hidden="true">
      <rect x={x} y={y} width={width} height={height} rx="3" />
      <text x={x + width / 2} y={y + height - 4}>
        {text}
      </text>
    </g>
  )
}
