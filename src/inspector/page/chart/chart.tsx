/** The chart of the chosen actor at the row that is shown: its outermost states, and the inside of one of them. */
import { useSignal } from '@preact/signals'
import type { RunModel } from '../model/run-model.ts'
import { lastOf } from '../shared/format.ts'
import { Canvas, clamped } from './canvas.tsx'
import { Chips } from './chips.tsx'
import { diagramOf } from './diagram.ts'
import { Highlights } from './highlights.ts'
import { Inset } from './inset.tsx'

export function Chart({ model }: { readonly model: RunModel }) {
  const zoom = useSignal(1)
  const insetZoom = useSignal(1)
  const chosen = useSignal<{ readonly machine: string; readonly path: string } | undefined>(undefined)
  const index = model.chart.value
  const path = model.path.value
  if (index === undefined) return <WithoutChart model={model} />
  const machine = index.chart.id
  const highlights = new Highlights(index, model.actor.value, model.cursor.value)
  const chosenPath = chosen.value?.machine === machine ? chosen.value.path : undefined
  const shown = chosenPath ?? (highlights.focus || firstActive(highlights))
  const onOpen = (opened: string): void => {
    chosen.value = opened === '' || opened === chosenPath ? undefined : { machine, path: opened }
  }
  const zoomBy = (factor: number) => () => (zoom.value = clamped(zoom.value * factor))
  return (
    <section class="chart" aria-label={`Chart of ${path}`}>
      <header class="chart-head">
        <h2>{machine}</h2>
        <ChosenPath path={path} />
        <span class="chart-state now cut">{highlights.state ?? 'not started'}</span>
        <ul class="legend" aria-label="Colours">
          <li class="now">now</li>
          <li class="visited">visited</li>
          <li class="never">never</li>
        </ul>
        <div class="zoom" role="group" aria-label="Size of the chart">
          <button type="button" class="button plain" aria-label="Smaller" onClick={zoomBy(1 / 1.2)}>
            −
          </button>
          <button type="button" class="button plain" onClick={() => (zoom.value = 1)}>
            Fit
          </button>
          <button type="button" class="button plain" aria-label="Larger" onClick={zoomBy(1.2)}>
            +
          </button>
        </div>
      </header>
      <Chips diagram={diagramOf(index, '')} highlights={highlights} />
      <Canvas
        index={index}
        path=""
        label={`States of ${machine}`}
        highlights={highlights}
        zoom={zoom}
        opened={shown}
        onOpen={onOpen}
      />
      <Inset
        index={index}
        path={shown}
        highlights={highlights}
        zoom={insetZoom}
        isChosen={chosenPath !== undefined}
        onOpen={onOpen}
      />
    </section>
  )
}

/** The path of the chosen actor; where there is little room, its last part. */
function ChosenPath({ path }: { readonly path: string }) {
  const last = lastOf(path)
  const around = path.slice(0, path.length - last.length)
  return (
    <span class="chart-path said muted" title={path}>
      {around !== '' && <span class="cut">{around}</span>}
      <span class="cut">{last}</span>
    </span>
  )
}

/** The path of the outermost state that is active; empty where none is. */
function firstActive({ state }: Highlights): string {
  return (state ?? '').split(', ')[0] ?? ''
}

/** Why there is no chart, and where there is one. */
function WithoutChart({ model }: { readonly model: RunModel }) {
  const place = model.actors.at(model.path.value)
  const { parent } = place ?? {}
  if (model.length.value === 0) return <section class="chart empty" aria-label="Chart" />
  return (
    <section class="chart empty" aria-label="Chart">
      <h2>No chart</h2>
      {place === undefined ? (
        <p>This run has no actor of this path.</p>
      ) : place.isEffect ? (
        <p>An effect has no states: it begins, and has one outcome.</p>
      ) : (
        <p>The chart of this actor is not known here. Start the inspector with the agents of the run.</p>
      )}
      {parent !== undefined && (
        <button type="button" class="button" onClick={() => model.choose(parent.path)}>
          Show {parent.path}
        </button>
      )}
    </section>
  )
}
