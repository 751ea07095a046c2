/** The axis of the timeline: its marks, and a slider that shows a row and chooses another. */
import type { RunModel } from '../model/run-model.ts'
import { press } from '../shared/part-keys.ts'
import { axisKeys } from './axis-keys.ts'
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
        onKeyDown={(event) => press(axisKeys, event, { model, view })}
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
