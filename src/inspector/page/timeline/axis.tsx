/** The axis of the timeline: its marks, and a slider that shows a row and chooses another. */
import type { RunModel } from '../model/run-model.ts'
import { press, type PartKey } from '../shared/part-keys.ts'
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
  const inRows = view.isByRows.value
  const ticks = ticksOf(scale, {
    from: offsets[scale.rowAt(0)] ?? 0,
    until: (offsets.at(-1) ?? 0) + view.tail.value.tail,
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

interface AxisPart {
  readonly model: RunModel
  readonly view: TimelineView
}

/** The keys of the axis of the timeline. */
export const axisKeys: readonly PartKey<AxisPart>[] = [
  { key: 'ArrowUp', label: 'the next entry', run: ({ model }) => model.moveBy(1) },
  { key: 'ArrowDown', label: 'the entry before', run: ({ model }) => model.moveBy(-1) },
  { key: 'PageUp', label: 'a tenth of the run on', run: ({ model }) => model.moveBy(tenthOf(model)) },
  { key: 'PageDown', label: 'a tenth of the run back', run: ({ model }) => model.moveBy(-tenthOf(model)) },
  { key: '+', label: 'show less of the time, larger', run: (part) => zoom(part, 1.5) },
  { key: '-', label: 'show more of the time, smaller', run: (part) => zoom(part, 1 / 1.5) },
  { key: '0', label: 'show all of the time', run: ({ view }) => view.showAll() },
]

function tenthOf({ length }: RunModel): number {
  return Math.max(10, Math.round(length.peek() / 10))
}

function zoom({ model, view }: AxisPart, by: number): void {
  view.zoomBy(by, view.scale.peek().xOf(model.cursor.peek()))
}
