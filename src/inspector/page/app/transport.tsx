/** Moves through the entries of a run, back to the first and on to those that arrive. */
import type { VNode } from 'preact'
import type { RunSession } from '../connection/run-session.ts'
import { countText } from '../shared/format.ts'

export function Transport({ session }: { readonly session: RunSession }): VNode {
  const model = session.model.value
  const isOpening = session.feed.value.state === 'opening' && model.length.value > 0
  const length = model.length.value
  const cursor = model.cursor.value
  const isLive = model.isLive.value
  const row = model.rows[cursor]
  return (
    <div class="transport" role="group" aria-label="Time travel">
      <button type="button" class="button plain" title="Entry before (←)" onClick={() => model.moveBy(-1)}>
        <span aria-hidden="true">◀</span>
        <span class="unseen">Entry before</span>
      </button>
      <input
        type="range"
        min={0}
        max={Math.max(0, length - 1)}
        value={Math.max(0, cursor)}
        disabled={length < 2}
        aria-label="Entry"
        aria-valuetext={row === undefined ? 'none' : `${cursor + 1} of ${length}, ${row.kind ?? row.type}`}
        onInput={(event) => model.moveTo(event.currentTarget.valueAsNumber)}
      />
      <button type="button" class="button plain" title="Next entry (→)" onClick={() => model.moveBy(1)}>
        <span aria-hidden="true">▶</span>
        <span class="unseen">Next entry</span>
      </button>
      <span class="transport-place number">
        entry {countText(cursor + 1)} of {countText(length)}
      </span>
      <span class="transport-more" role="status">
        {isOpening && 'more entries are on the way …'}
      </span>
      <button
        type="button"
        class={isLive ? 'button transport-live on' : 'button transport-live'}
        aria-pressed={isLive}
        title="The last entry, and those that follow (End)"
        onClick={() => model.goLive()}
      >
        {isLive ? '● latest' : '○ time travel'}
      </button>
    </div>
  )
}
