/** A laid-out diagram, with the marks of an actor at a row. */
import type { ChartState } from '../../../index.ts'
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { cutTo, padding } from '../../../drawing/node-size.ts'
import { measureText } from './measure-text.ts'
import { edgeLabels, edgeTitle, markedEdges, type EdgeLabel, type MarkedEdge } from './edge-labels.ts'
import { smoothPath, type Box } from '../../../drawing/layers/geometry.ts'
import type { Highlights, Mark } from './highlights.ts'
import type { Layout, PlacedNode } from '../../../drawing/layout.ts'

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

interface NodeProps {
  readonly placed: PlacedNode
  readonly highlights: Highlights
  readonly opened: string
  readonly onOpen: (path: string) => void
  /** The pointer, or the focus, has come to the node or left it. */
  readonly onNear: (isNear: boolean) => void
}

/** One node of a diagram: a state, the final states, or a state outside. */
function SheetNode({ placed, highlights, opened, onOpen, onNear }: NodeProps) {
  const { node, parts } = placed
  const near = {
    onPointerEnter: () => onNear(true),
    onPointerLeave: () => onNear(false),
    onFocusIn: () => onNear(true),
    onFocusOut: () => onNear(false),
  }
  const [state] = node.states
  if (node.kind === 'ends')
    return (
      <g class="ends" {...near}>
        <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx="8" />
        {parts.map((part) => (
          <StateBox
            key={part.state.path}
            box={part}
            state={part.state}
            mark={highlights.of(part.state.path)}
          />
        ))}
      </g>
    )
  if (node.kind === 'entry' && state === undefined && node.text === '')
    return <circle class="initial" cx={placed.x + 5} cy={placed.y + 5} r="4" />
  if (node.kind !== 'state' || state === undefined)
    return (
      <g class="outside" {...near}>
        <rect x={placed.x} y={placed.y} width={placed.width} height={placed.height} rx="11" />
        <StateText box={placed} text={node.text} />
      </g>
    )
  const isOpened = opened === state.path || opened.startsWith(`${state.path}.`)
  const mark = highlights.of(state.path)
  const open = (): void => onOpen(state.path)
  return (
    <g
      class={`openable ${isOpened ? 'opened' : ''}`}
      role="button"
      tabIndex={0}
      aria-pressed={isOpened}
      aria-label={`${state.name}, ${saidOf[mark]}`}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        event.stopPropagation()
        open()
      }}
      {...near}
    >
      <StateBox box={placed} state={state} mark={mark} />
    </g>
  )
}

const saidOf: Readonly<Record<Mark, string>> = {
  now: 'active now',
  visited: 'visited',
  never: 'never entered',
}

function StateBox({
  box,
  state,
  mark,
}: {
  readonly box: Box
  readonly state: ChartState
  readonly mark: Mark
}) {
  const radius = state.type === 'final' ? 11 : 5
  return (
    <g class={`state ${mark} ${state.type}`}>
      {state.description !== undefined && <title>{state.description}</title>}
      {state.states.length > 0 && (
        <rect
          class="behind"
          x={box.x + 2.5}
          y={box.y + 2.5}
          width={box.width}
          height={box.height}
          rx={radius}
        />
      )}
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={radius} />
      <StateText box={box} text={state.name} />
    </g>
  )
}

function StateText({ box, text }: { readonly box: Box; readonly text: string }) {
  return (
    <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 4}>
      {cutTo(text, box.width - 2 * padding + 2, measureText)}
    </text>
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
