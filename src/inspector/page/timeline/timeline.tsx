/** The effects of a run over its time, in one lane for each agent, with the row that is shown. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import type { Bar } from '../model/lanes.ts'
import type { RunModel } from '../model/run-model.ts'
import { useSize } from '../shared/use-size.ts'
import { Axis } from './axis.tsx'
import { barAt, boxOf } from './bars.ts'
import { BarCanvas } from './bar-canvas.tsx'
import { durationText } from './ticks.ts'
import { TimelineHead } from './timeline-head.tsx'
import { TimelineView } from './view.ts'

export function Timeline({ model }: { readonly model: RunModel }) {
  const view = useMemo(() => new TimelineView(model), [model])
  const ref = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(ref)
  const scrolled = useSignal(0)
  const near = useSignal<Bar | undefined>(undefined)
  const cursor = model.cursor.value
  useLayoutEffect(() => {
    view.width.value = width
    view.reveal(cursor)
  }, [view, width, cursor])
  const lanes = view.lanes.value
  const scale = view.scale.value
  const last = lanes.at(-1)
  const whole = last === undefined ? 0 : last.top + last.height
  const shown = model.rows[cursor]
  const focused = near.value ?? (shown?.key === undefined ? undefined : model.lanes.at(shown.key))
  const lane = lanes.find((one) => one.lane === focused?.lane)
  const box = focused === undefined || lane === undefined ? undefined : boxOf(focused, lane, scale)
  const pointed = (event: MouseEvent): { readonly x: number; readonly y: number } => {
    const bounds = ref.current?.getBoundingClientRect()
    return { x: event.clientX - (bounds?.left ?? 0), y: event.clientY - (bounds?.top ?? 0) + scrolled.value }
  }
  return (
    <section class="timeline" aria-label="Timeline">
      <TimelineHead model={model} view={view} near={near.value} />
      <Axis model={model} view={view} />
      <div class="lanes" onScroll={(event) => (scrolled.value = event.currentTarget.scrollTop)} tabIndex={-1}>
        <ol class="lane-names" style={{ height: `${whole}px` }}>
          {lanes.map(({ lane, top, height }) => (
            <li key={lane.id} style={{ top: `${top}px`, height: `${height}px` }} title={lane.id}>
              <span class="said cut" style={{ paddingLeft: `${lane.depth * 10}px` }}>
                {lane.agent}
              </span>
            </li>
          ))}
        </ol>
        <div
          class="lane-bars"
          ref={ref}
          onPointerMove={(event) => (near.value = barAt(lanes, scale, pointed(event)))}
          onPointerLeave={() => (near.value = undefined)}
          onClick={(event) => {
            const at = pointed(event)
            const bar = barAt(lanes, scale, at)
            model.moveTo(bar === undefined ? scale.rowAt(at.x) : (bar.until ?? bar.from))
            if (bar !== undefined) model.choose(bar.path)
          }}
          onWheel={(event) => {
            const { ctrlKey, deltaX, deltaY, shiftKey } = event
            if (ctrlKey) view.zoomBy(deltaY < 0 ? 1.25 : 0.8, pointed(event).x)
            else if (deltaX !== 0 || shiftKey) view.panBy(deltaX === 0 ? deltaY : deltaX)
            else return
            event.preventDefault()
          }}
        >
          <BarCanvas lanes={lanes} scale={scale} width={width} height={height} scrolled={scrolled.value} />
          {box !== undefined && (
            <div
              class={`focused-bar ${near.value === undefined ? '' : 'near'}`}
              style={{
                left: `${box.x - 2}px`,
                top: `${box.y - 2 - scrolled.value}px`,
                width: `${box.width + 4}px`,
                height: `${box.height + 4}px`,
              }}
            />
          )}
          {view.cuts.value.map((cut) => {
            const { from, until } = scale.cutAt(cut.row)
            return (
              <div
                key={cut.row}
                class="cut-mark"
                style={{ left: `${from}px`, width: `${until - from}px` }}
                title={`${durationText(cut.duration)} ${cutWords[cut.reason]}`}
              >
                <span>{durationText(cut.duration)}</span>
              </div>
            )
          })}
          <Tail model={model} view={view} />
          <div class="future" style={{ left: `${Math.min(Math.max(0, scale.xOf(cursor)), width - 2)}px` }} />
        </div>
      </div>
    </section>
  )
}

const cutWords = { people: 'of waiting for people', fork: 'between the shared entries and those of the fork' }

/** How long the effects at work, or the people that the run waits for, have taken since the last entry. */
function Tail({ model, view }: { readonly model: RunModel; readonly view: TimelineView }) {
  const ms = model.tail.value
  const { tail, isWaiting } = view.tail.value
  const { end } = view.scale.value
  if (ms === undefined || (tail === 0 && !isWaiting)) return null
  const from = view.scale.value.xOf(model.length.value - 1)
  const words = isWaiting ? 'of waiting for people so far' : 'since the last entry'
  return (
    <div
      class={isWaiting ? 'cut-mark' : 'tail'}
      style={{ left: `${from}px`, width: `${Math.max(0, end - from)}px` }}
      title={`${durationText(ms)} ${words}`}
    >
      <span>{durationText(ms)}</span>
    </div>
  )
}
