/** The head of the timeline: what the colours mean, the bar under the pointer, and its controls. */
import type { Bar } from '../model/lanes.ts'
import type { RunModel } from '../model/run-model.ts'
import { durationText } from './ticks.ts'
import type { TimelineView } from './view.ts'

interface HeadProps {
  readonly model: RunModel
  readonly view: TimelineView
  /** The bar under the pointer. */
  readonly near: Bar | undefined
}

const kinds = ['model', 'tool', 'hook', 'scorer', 'signal', 'other', 'failed'] as const

const names: Readonly<Partial<Record<string, string>>> = { signal: 'question' }

export function TimelineHead({ model, view, near }: HeadProps) {
  const middle = view.scale.value.xOf(model.cursor.value)
  return (
    <header class="timeline-head">
      <h2>Timeline</h2>
      <ul class="kinds" aria-label="Colours of effects">
        {kinds.map((kind) => (
          <li key={kind} class={kind}>
            {names[kind] ?? kind}
          </li>
        ))}
      </ul>
      <p class="near-bar said cut">{near === undefined ? '' : wordsOf(near, model)}</p>
      <div class="axis-choice" role="group" aria-label="Axis">
        {[false, true].map((inRows) => (
          <button
            key={String(inRows)}
            type="button"
            class="button plain"
            aria-pressed={view.inRows.value === inRows}
            onClick={() => (view.inRows.value = inRows)}
          >
            {inRows ? 'Entries' : 'Time'}
          </button>
        ))}
      </div>
      <div class="zoom" role="group" aria-label="Size of the timeline">
        <button
          type="button"
          class="button plain"
          aria-label="Smaller"
          onClick={() => view.zoomBy(1 / 1.5, middle)}
        >
          −
        </button>
        <button type="button" class="button plain" onClick={() => view.showAll()}>
          All
        </button>
        <button
          type="button"
          class="button plain"
          aria-label="Larger"
          onClick={() => view.zoomBy(1.5, middle)}
        >
          +
        </button>
      </div>
    </header>
  )
}

function wordsOf({ kind, path, from, until, status, before = 0 }: Bar, model: RunModel): string {
  const started = model.rows[from]?.at ?? 0
  const ended = until === undefined ? undefined : model.rows[until]?.at
  const last = model.rows.at(-1)?.at ?? started
  const soFar = last - started + (model.tail.value ?? 0)
  const taken =
    ended === undefined ? `running for ${durationText(soFar)}` : durationText(ended - started + before)
  const outcome = status === undefined || status === 'done' ? '' : `, ${status}`
  return `${kind} of ${path}, ${taken}${outcome}, ${until === undefined ? `since entry ${from + 1}` : `entry ${until + 1}`}`
}
