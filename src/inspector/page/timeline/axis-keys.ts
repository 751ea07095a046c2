/** The keys of the axis of the timeline. */
import type { RunModel } from '../model/run-model.ts'
import type { PartKey } from '../shared/part-keys.ts'
import type { TimelineView } from './view.ts'

interface AxisPart {
  readonly model: RunModel
  readonly view: TimelineView
}

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
