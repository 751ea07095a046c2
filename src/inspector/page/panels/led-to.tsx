/** The transitions, actors and events that an entry has led to, actor by actor. */
import type { VNode } from 'preact'
import type { Row, RowTransition } from '../../wire/rows.ts'
import type { RunModel } from '../model/run-model.ts'
import { Few } from '../shared/few.tsx'
import { ActorName } from './actor-name.tsx'

interface LedToProps {
  readonly row: Row
  readonly model: RunModel
  /** The rows have no transitions. */
  readonly isUntold: boolean
}

export function LedTo({ row, model, isUntold }: LedToProps): VNode {
  const byActor = [...Map.groupBy(row.transitions, ({ path }) => path)]
  const isQuiet = byActor.length === 0 && row.events.length === 0
  return (
    <section class="block">
      <h3>What it led to</h3>
      {isQuiet && (
        <p class="muted">
          {isUntold ? 'Unknown: the run cannot be replayed here.' : 'No transition and no event.'}
        </p>
      )}
      <Few key={`actors ${row.row}`} items={byActor} most={30} word="actor">
        {(shown) => (
          <ul class="led-to">
            {shown.map(([path, transitions]) => (
              <li key={path}>
                <ActorName path={path} model={model} />
                <ol>
                  {transitions.map((taken, index) => (
                    <Taken key={index} taken={taken} model={model} />
                  ))}
                </ol>
              </li>
            ))}
          </ul>
        )}
      </Few>
      {row.actorsAdded.length > 0 && (
        <p class="actors-changed">
          <span class="muted">started </span>
          <Paths paths={row.actorsAdded.map(({ path }) => path)} />
        </p>
      )}
      {row.actorsEnded.length > 0 && (
        <p class="actors-changed">
          <span class="muted">ended </span>
          <Paths paths={row.actorsEnded.map(({ path, status }) => `${path} (${status})`)} />
        </p>
      )}
      {row.events.length > 0 && (
        <Few key={`events ${row.row}`} items={row.events} most={30} word="event">
          {(shown) => (
            <ul class="row-events">
              {shown.map((event, index) => (
                <li key={index}>
                  <code>{event.type}</code>{' '}
                  <span class="said" dir="auto">
                    {event.line}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Few>
      )}
    </section>
  )
}

function Taken({ taken, model }: { readonly taken: RowTransition; readonly model: RunModel }): VNode {
  const { from, to, event, guard } = taken
  const words = model.chartOf(taken.machine)?.transition(taken)?.label ?? event
  const description = model.descriptionOf(taken)
  return (
    <li class="taken">
      <span class="said">{from}</span>
      {from === to ? <span class="muted"> stays</span> : <span class="taken-to said"> → {to}</span>}
      {event !== undefined && (
        <span class="taken-event said" title={event}>
          {' '}
          {words}
        </span>
      )}
      {guard !== undefined && <span class="taken-guard said"> [{guard}]</span>}
      {description !== undefined && <p class="muted said">{description}</p>}
    </li>
  )
}

function Paths({ paths }: { readonly paths: readonly string[] }): VNode {
  const shown = paths.slice(0, 12)
  return (
    <span class="said">
      {shown.join(', ')}
      {paths.length > shown.length && ` and ${paths.length - shown.length} more`}
    </span>
  )
}
