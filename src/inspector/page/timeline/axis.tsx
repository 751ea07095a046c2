/** The axis of the timeline: its marks, and a slider that shows a row and chooses another. */
import type { RunModel } from '../model/run-model.ts'
import { ticksOf } from './ticks.ts'
import type { TimelineView } from './view.ts'

interface AxisProps {
  readonly model: RunModel
  readonly view: TimelineView
}

export function Axis({ model, view }: AxisProps) {
  const scale = view.scale.value
  const cursor = model.cursor.value
  const length = model.length.value
  const offsets = view.offsets.value
  const inRows = view.inRows.value || model.axis.length === 0
  const ticks = ticksOf(scale, {
    from: offsets[scale.rowAt(0)] ?? 0,
    until: offsets.at(-1) ?? 0,
    width: view.width.value,
    inRows,
  })
  const moveTo = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { left } = event.currentTarget.getBoundingClientRect()
    model.moveTo(scale.rowAt(event.clientX - left))
  }
  return (
    <div class="axis">
      <div
        class="axis-line"
        role="slider"
        tabIndex={0}
        aria-label="Entry"
        aria-valuemin={Math.min(1, length)}
        aria-valuemax={length}
        aria-valuenow={cursor + 1}
        aria-valuetext={`entry ${cursor + 1} of ${length}${model.isLive.value ? ', live' : ''}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          moveTo(event)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) moveTo(event)
        }}
        onKeyDown={(event) => {
          if (!press(event.key, { model, view })) return
          event.preventDefault()
          event.stopPropagation()
        }}
      >
        {ticks.map(({ offset, x, text }) => (
          <span key={offset} class="tick" style={{ left: `${x}px` }}>
            {text}
          </span>
        ))}
        {length > 0 && (
          <span class="playhead" style={{ left: `${Math.min(scale.xOf(cursor), view.width.value - 2)}px` }} />
        )}
      </div>
    </div>
  )
}

/** What a key does on the slider. Returns whether it does something; the other keys are those of the page. */
function press(key: string, { model, view }: AxisProps): boolean {
  const page = Math.max(10, Math.round(model.length.value / 10))
  const actions: Readonly<Record<string, () => void>> = {
    ArrowUp: () => model.moveBy(1),
    ArrowDown: () => model.moveBy(-1),
    PageUp: () => model.moveBy(page),
    PageDown: () => model.moveBy(-page),
    '+': () => view.zoomBy(1.5, view.scale.value.xOf(model.cursor.value)),
    '-': () => view.zoomBy(1 / 1.5, view.scale.value.xOf(model.cursor.value)),
    '0': () => view.showAll(),
  }
  const action = actions[key]
  action?.()
  return action !== undefined
}
