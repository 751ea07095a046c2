/** The row that is shown: its facts, what it led to, and its content. */
import type { JournalEntry } from '../../../index.ts'
import { Fragment, type VNode } from 'preact'
import type { Row, RowTransition } from '../../wire/rows.ts'
import { askFork } from '../actions/ask-fork.ts'
import type { RunModel } from '../model/run-model.ts'
import { Button } from '../shared/button.tsx'
import { Failed } from '../shared/failed.tsx'
import { durationText, timeText, usageText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { forkRefusal, usePage } from '../shared/page-context.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import type { ShownRun } from '../connection/run-session.ts'
import { Few } from '../shared/few.tsx'
import { EventFacts } from './event-facts.tsx'

export function EntryPanel({ session }: { readonly session: ShownRun }): VNode {
  const model = session.model.value
  const row = model.rows[model.cursor.value]
  const { api } = usePage()
  const detail = useLoaded(
    row === undefined || session.isPassing.value ? undefined : `${row.journal} ${row.entry}`,
    (signal) => api.row(session.runId, row?.row ?? 0, signal),
  )
  if (row === undefined) return <NoRow isOpening={session.feed.value.state === 'opening'} />
  const entry = detail.value?.entry
  return (
    <>
      <h2 class="entry-title">
        <span class={`kind kind-${row.kind ?? 'other'}`}>{row.kind ?? row.type}</span>
        <span class="said" dir="auto">
          {row.line}
        </span>
        {row.scripted === true && <span class="badge">scripted</span>}
      </h2>
      <Facts row={row} start={model.rows[0]?.at ?? row.at} model={model} />
      <ForkButtons row={row} rows={model.rows} runId={session.runId} />
      <LedTo row={row} model={model} isUntold={session.untold.value !== undefined} />
      {detail.state === 'failed' ? (
        <Failed subject="The content of the entry" error={detail.error} retry={detail.retry} />
      ) : (
        <section aria-busy={detail.state === 'loading'}>
          {detail.value?.isCut === true && <p class="muted">Long texts and lists are cut.</p>}
          {entry !== undefined &&
            contentOf(entry).map(([name, value]) => <Content key={name} name={name} value={value} />)}
        </section>
      )}
    </>
  )
}

interface LedToProps {
  readonly row: Row
  readonly model: RunModel
  /** The rows have no transitions. */
  readonly isUntold: boolean
}

/** The transitions, actors and events that an entry has led to, actor by actor. */
function LedTo({ row, model, isUntold }: LedToProps): VNode {
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
                  <EventFacts event={event} />
                </li>
              ))}
            </ul>
          )}
        </Few>
      )}
    </section>
  )
}

/** One actor is the chosen one. */
interface Choice {
  readonly path: { readonly value: string }
  choose(path: string): void
}

interface ActorNameProps {
  readonly path: string
  /** The actors that it is among. */
  readonly model: Choice
}

/** The path of an actor. A click chooses it. */
function ActorName({ path, model }: ActorNameProps): VNode {
  return (
    <button
      type="button"
      class="actor-name said"
      title={`Choose ${path}`}
      aria-pressed={model.path.value === path}
      onClick={() => model.choose(path)}
    >
      {path.split('/').map((part, index) => (
        <Fragment key={index}>
          {index > 0 && '/'}
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </button>
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

function NoRow({ isOpening }: { readonly isOpening: boolean }): VNode {
  return isOpening ? (
    <p class="empty">Loading the entries …</p>
  ) : (
    <div class="empty">
      <h2>The run has no entry</h2>
      <p>It has been created and not started yet.</p>
    </div>
  )
}

function Facts({ row, start, model }: { readonly row: Row; readonly start: number } & ModelProps): VNode {
  const facts: readonly (readonly [string, VNode | string])[] = [
    ['Actor', <ActorName key="actor" path={row.path ?? row.journal} model={model} />],
    ['Time', `${timeText(row.at)} · ${durationText(row.at - start)} after the start`],
    ...(row.duration === undefined ? [] : [['Took', durationText(row.duration)] as const]),
    ...(row.usage === undefined ? [] : [['Tokens', usageText(row.usage)] as const]),
    ...(row.error === undefined ? [] : [['Error', row.error] as const]),
    ...(row.late === true ? [['Late', 'The run had let go of the effect before.'] as const] : []),
  ]
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={name === 'Error' ? 'said fault' : 'said'}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ModelProps {
  readonly model: RunModel
}

interface ForkButtonsProps {
  readonly row: Row
  readonly rows: readonly Row[]
  readonly runId: string
}

function ForkButtons({ row, rows, runId }: ForkButtonsProps): VNode | null {
  const { service, isStory } = usePage()
  const refusal = forkRefusal(service)
  const fork = (withPatch: boolean) => askFork(runId, rows, row, withPatch)
  if (isStory === true) return null
  return (
    <div class="entry-actions">
      <Button refusal={refusal} shortcut="f" onClick={() => fork(false)}>
        Fork here …
      </Button>
      {row.type === 'effect.settled' && (
        <Button refusal={refusal} onClick={() => fork(true)}>
          Replace the outcome …
        </Button>
      )}
    </div>
  )
}

function Content({ name, value }: { readonly name: string; readonly value: unknown }): VNode {
  return (
    <section class="block">
      <h3>{name}</h3>
      <Json value={value} />
    </section>
  )
}

/** The parts of an entry that the facts do not have. */
function contentOf(entry: JournalEntry): readonly (readonly [string, unknown])[] {
  switch (entry.type) {
    case 'effect.settled': {
      const { value, error } = entry.settlement
      return error === undefined ? [['Outcome', value]] : [['Error', error]]
    }
    case 'signal.received':
      return [['Signal', entry.signal]]
    case 'run.started': {
      const { task, settings, history, ...rest } = entry
      return [
        ['Task', task],
        ...(history.length === 0 ? [] : [['History', history] as const]),
        ['Settings', settings],
        ['Start', rest],
      ]
    }
    case 'effect.started':
    case 'timer.fired':
    case 'program.drifted':
    case 'run.restored':
    case 'run.settled':
      return [['Entry', entry]]
  }
}
