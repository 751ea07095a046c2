/** One node of a diagram: a state, the final states, or a state outside. */
import type { ChartState } from '../../../actors/charts/chart.ts'
import { measureText } from '../shared/measure.ts'
import type { Box } from './layers/geometry.ts'
import type { Highlights, Mark } from './highlights.ts'
import type { PlacedNode } from './layout.ts'
import { cutTo, padding } from './node-size.ts'

interface NodeProps {
  readonly placed: PlacedNode
  readonly highlights: Highlights
  readonly opened: string
  readonly onOpen: (path: string) => void
  /** The pointer, or the focus, has come to the node or left it. */
  readonly onNear: (isNear: boolean) => void
}

export function SheetNode({ placed, highlights, opened, onOpen, onNear }: NodeProps) {
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
