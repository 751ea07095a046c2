/** The events of the run: each leads to the row that it came of. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { RowEvent } from '../../wire/rows.ts'
import type { RunModel } from '../model/run-model.ts'
import { countText, lastOf } from '../shared/format.ts'
import { WindowList } from '../shared/window-list.tsx'
import { Untold } from './not-there.tsx'
import type { ShownRun } from '../connection/run-session.ts'

interface PlacedEvent {
  readonly row: number
  readonly event: RowEvent
  readonly position: number
}

export function EventsPanel({ session }: { readonly session: ShownRun }): VNode {
  const model = session.model.value
  const [isOfActor, setOfActor] = useState(false)
  const log = useMemo(() => new EventLog(model), [model])
  const all = log.upTo(model.length.value)
  const path = model.path.value
  const shown = useMemo(
    () => (isOfActor ? all.filter(({ event }) => event.path === path) : all),
    [all, isOfActor, path],
  )
  const cursor = model.cursor.value
  const active = lastUpTo(shown, cursor)
  return (
    <div class="events">
      <div class="events-bar">
        <label class="check">
          <input
            type="checkbox"
            checked={isOfActor}
            onChange={(event) => setOfActor(event.currentTarget.checked)}
          />
          Only of <span class="said">{lastOf(path)}</span>
        </label>
        <span class="muted">{countText(shown.length)}</span>
      </div>
      {shown.length === 0 && session.untold.value !== undefined ? (
        <Untold subject="The events" />
      ) : shown.length === 0 ? (
        <p class="empty">{isOfActor ? 'This actor has sent no events.' : 'There are no events yet.'}</p>
      ) : (
        <WindowList
          label="Events"
          items={shown}
          keyOf={({ position }) => position}
          rowHeight={26}
          active={active}
          onActive={(index) => model.moveTo(shown[index]?.row ?? cursor)}
          onOpen={({ event }) => model.choose(event.path)}
          draw={({ event, row }) => (
            <div class={row > cursor ? 'event later' : 'event'} role="gridcell">
              <span class="event-row number">{row + 1}</span>
              <code>{event.type}</code>
              <span class="said cut" dir="auto">
                {event.line}
              </span>
            </div>
          )}
        />
      )}
    </div>
  )
}

/** The events of the rows of a model, in one list that grows with them. */
class EventLog {
  readonly #model: RunModel
  #rows = 0
  #events: readonly PlacedEvent[] = []

  constructor(model: RunModel) {
    this.#model = model
  }

  /** The same list while there are no more rows. */
  upTo(length: number): readonly PlacedEvent[] {
    if (length === this.#rows) return this.#events
    const events = [...this.#events]
    for (const { row, events: more } of this.#model.rows.slice(this.#rows, length)) {
      for (const event of more) events.push({ row, event, position: events.length })
    }
    this.#rows = length
    this.#events = events
    return events
  }
}

/** The position of the last event up to a row; -1: there is none. */
function lastUpTo(events: readonly PlacedEvent[], row: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.row ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}
