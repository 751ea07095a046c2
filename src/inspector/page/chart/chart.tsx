/** The chart of the chosen actor at the row that is shown: its outermost states, and the inside of one of them. */
import { useSignal, type Signal } from '@preact/signals'
import type { RunModel } from '../model/run-model.ts'
import { lastOf } from '../shared/format.ts'
import { Canvas, clamped } from './canvas.tsx'
import { Chips } from './chips.tsx'
import { diagramOf, transitionsBelow } from '../../../drawing/diagram.ts'
import { Highlights } from './highlights.ts'
import type { ChartIndex } from '../../../drawing/chart-index.ts'

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

interface InsetProps {
  readonly index: ChartIndex
  /** The state; empty: there is none to look into. */
  readonly path: string
  readonly highlights: Highlights
  readonly zoom: Signal<number>
  /** A person has chosen the state, which stays until the page follows the actor again. */
  readonly isChosen: boolean
  /** Chooses a state; empty: follows the actor. */
  readonly onOpen: (path: string) => void
}

/** The state that is looked into: its place in the chart, its description, and its inside, or the ways out of it. */
function Inset({ index, path, highlights, zoom, isChosen, onOpen }: InsetProps) {
  const state = index.state(path)
  const around = index.lineage(path)
  if (state === undefined || path === '') return <div class="inset empty-inset" />
  return (
    <section class="inset" aria-label={`Inside ${state.name}`}>
      <header class="inset-head">
        <h3 class="crumbs">
          {around.map((one, at) => (
            <span key={one}>
              {at > 0 && <span class="muted"> ▸ </span>}
              {one === path ? (
                <b>{state.name}</b>
              ) : (
                <button type="button" class="crumb" onClick={() => onOpen(one)}>
                  {index.state(one)?.name}
                </button>
              )}
            </span>
          ))}
        </h3>
        <p class="inset-text cut" title={state.description}>
          {state.description}
        </p>
        {isChosen && (
          <button type="button" class="button follow" onClick={() => onOpen('')}>
            Follow the actor
          </button>
        )}
      </header>
      {state.states.length > 0 ? (
        <>
          <Chips diagram={diagramOf(index, path)} highlights={highlights} />
          <Canvas
            index={index}
            path={path}
            label={`States of ${state.name}`}
            highlights={highlights}
            zoom={zoom}
            opened={path}
            onOpen={onOpen}
          />
        </>
      ) : (
        <Ways index={index} path={path} highlights={highlights} />
      )}
    </section>
  )
}

/** The actors of a state without states inside, and its transitions in the order in which they are tried. */
function Ways({ index, path, highlights }: Pick<InsetProps, 'index' | 'path' | 'highlights'>) {
  const state = index.state(path)
  if (state === undefined) return null
  const ways = transitionsBelow(state)
  return (
    <div class="ways" tabIndex={0} role="group" aria-label={`Transitions of ${state.name}`}>
      {state.invokes.length > 0 && (
        <p>
          <span class="muted">runs </span>
          {state.invokes.map(({ id, source }) => (id === source ? id : `${id} (${source})`)).join(', ')}
        </p>
      )}
      {state.type === 'final' && (
        <p class="muted">A final state: the actor, or the state around it, is done.</p>
      )}
      <ul>
        {ways.map((way) => (
          <li key={`${way.position} ${way.target}`} class={highlights.ofWay([way])} title={way.description}>
            {way.text} <span class="muted">→ {way.target ?? 'stays'}</span>
            {highlights.count([way]) > 0 && <span class="times"> ×{highlights.count([way])}</span>}
          </li>
        ))}
      </ul>
    </div>
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
