/** Why there is nothing to show of the chosen actor: it has not started yet, or the run is known by its journal alone. */
import type { VNode } from 'preact'
import { isNotFound } from '../connection/failure.ts'
import type { ShownRun } from '../connection/run-session.ts'
import { Failed } from '../shared/failed.tsx'
import { countText } from '../shared/format.ts'
import type { ViewDetail } from '../../wire/routes.ts'
import { usePage } from '../shared/page-context.ts'
import { useLoaded, type Loaded } from '../shared/use-loaded.ts'

interface NotThereProps {
  readonly session: ShownRun
  /** What was asked for, as the subject of a sentence. */
  readonly subject: string
  readonly error: unknown
  readonly retry: () => void
}

export function NotThere({ session, subject, error, retry }: NotThereProps): VNode {
  if (!isNotFound(error)) return <Failed subject={subject} error={error} retry={retry} />
  return session.untold.value === undefined ? <NotStarted session={session} /> : <Untold subject={subject} />
}

function NotStarted({ session }: Pick<NotThereProps, 'session'>): VNode {
  const model = session.model.value
  const place = model.actors.at(model.path.value)
  const row = model.cursor.value
  const isGone = place !== undefined && place.added <= row
  return (
    <div class="empty">
      <h2>{place === undefined ? 'Not in this run' : isGone ? 'Gone' : 'Not yet'}</h2>
      <p>
        <span class="said">{model.path.value}</span>{' '}
        {place === undefined ? (
          'is no actor of this run. Choose another.'
        ) : isGone ? (
          'has ended, and nothing is on record of it. Go back in the run, or choose another actor.'
        ) : (
          <>
            starts at entry{' '}
            <button type="button" class="button" onClick={() => model.moveTo(place.added)}>
              {countText(place.added + 1)}
            </button>
          </>
        )}
      </p>
    </div>
  )
}

/** An actor that has ended by the row that is shown is shown as it ended. */
export function AsItEnded({ session }: Pick<NotThereProps, 'session'>): VNode | null {
  const model = session.model.value
  const row = model.cursor.value
  const end = model.actors.at(model.path.value)?.at(row)?.end
  if (end === undefined || end.row > row) return null
  return (
    <p class="as-it-ended">
      Gone ({end.status}): as it ended at entry{' '}
      <button type="button" class="button" onClick={() => model.moveTo(end.row)}>
        {countText(end.row + 1)}
      </button>
    </p>
  )
}

/** The run cannot be replayed here. */
export function Untold({ subject }: Pick<NotThereProps, 'subject'>): VNode {
  return (
    <div class="empty">
      <h2>Not known here</h2>
      <p>
        {subject} follow from a replay, and the run cannot be replayed here: give the inspector the agents
        that it began with.
      </p>
    </div>
  )
}

/** The chosen actor as it was after the row that is shown. */
export function useView({ runId, model: { value: model }, isPassing }: ShownRun): Loaded<ViewDetail> {
  const { api } = usePage()
  const row = model.cursor.value
  const path = model.path.value
  const key = row < 0 || isPassing.value ? undefined : `${row} ${path}`
  return useLoaded(key, (signal) => api.view(runId, row, path, signal))
}
