/** The state that is looked into: its place in the chart, its description, and its inside, or the ways out of it. */
import type { Signal } from '@preact/signals'
import type { ChartIndex } from '../model/chart-index.ts'
import { Canvas } from './canvas.tsx'
import { Chips } from './chips.tsx'
import { diagramOf, transitionsBelow } from './diagram.ts'
import type { Highlights } from './highlights.ts'

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

export function Inset({ index, path, highlights, zoom, isChosen, onOpen }: InsetProps) {
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
