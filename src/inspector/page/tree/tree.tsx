/** The actors of a run up to the row that is shown, with their states and outcomes, and those that wait for a person. */
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { RunModel } from '../model/run-model.ts'
import { press, type PartKey } from '../shared/part-keys.ts'
import { useSize } from '../shared/use-size.ts'
import { sinceText } from '../shared/format.ts'
import { useNow } from '../shared/use-now.ts'
import { ActorRow } from './actor-cells.tsx'
import { columnStyle, ColumnHeads } from './columns.tsx'

/** Pixels. */
const rowHeight = 24
const headHeight = 30
/** Rows above and below those that are seen. */
const spare = 6

export function Tree({ model }: { readonly model: RunModel }) {
  const id = useId()
  const ref = useRef<HTMLDivElement>(null)
  const { height } = useSize(ref)
  const top = useSignal(0)
  const rows = model.tree.value
  const chosen = rows.findIndex(({ place }) => place.path === model.path.value)
  const first = Math.max(0, Math.floor(top.value / rowHeight) - spare)
  const shown = rows.slice(first, first + Math.ceil(height / rowHeight) + 2 * spare)
  const asking = new Set(model.open.value.map(({ path }) => path))
  useLayoutEffect(() => {
    if (ref.current !== null && chosen >= 0) bringIntoView(ref.current, chosen)
  }, [chosen, height])
  return (
    <section class="tree" aria-label="Actors">
      <h2 class="unseen">Actors</h2>
      <div
        class="tree-rows"
        ref={ref}
        role="treegrid"
        aria-label="Actors"
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        style={columnStyle()}
        aria-activedescendant={isShown(chosen, first, shown.length) ? `${id}-${chosen}` : undefined}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => press(treeKeys, event, model)}
      >
        <ColumnHeads count={rows.length} />
        <div role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
          <div role="rowgroup" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {shown.map((row, at) => (
              <ActorRow
                key={row.place.path}
                id={`${id}-${first + at}`}
                model={model}
                row={row}
                isChosen={first + at === chosen}
                isAsking={asking.has(row.place.path)}
              />
            ))}
          </div>
        </div>
      </div>
      <Waiting model={model} />
    </section>
  )
}

/** The keys of the tree of actors. */
export const treeKeys: readonly PartKey<RunModel>[] = [
  { key: 'ArrowDown', label: 'the actor below', run: (model) => model.chooseBy(1) },
  { key: 'ArrowUp', label: 'the actor above', run: (model) => model.chooseBy(-1) },
  {
    key: ' ',
    label: 'hide or show the actors inside',
    run: (model) => model.toggle(model.path.peek()),
  },
]

function isShown(at: number, first: number, count: number): boolean {
  return at >= first && at < first + count
}

function bringIntoView(list: HTMLElement, row: number): void {
  const start = row * rowHeight
  const { scrollTop, clientHeight } = list
  if (start < scrollTop) list.scrollTop = start
  else if (start + rowHeight + headHeight > scrollTop + clientHeight)
    list.scrollTop = start + rowHeight + headHeight - clientHeight
}

/** How many questions are open, and since when; it chooses the actors that ask them, one after another. */
function Waiting({ model }: { readonly model: RunModel }) {
  const now = useNow(model.tail.value !== undefined)
  const open = model.open.value
  const [first] = open
  if (first === undefined) return null
  const next = open[open.findIndex(({ path }) => path === model.path.value) + 1] ?? first
  const since = model.isLive.value ? model.rows[first.row]?.at : undefined
  return (
    <button type="button" class="tree-waiting" onClick={() => model.choose(next.path)}>
      <span aria-hidden="true">☝</span> {open.length} {open.length === 1 ? 'question is' : 'questions are'}{' '}
      open {since !== undefined && sinceText(since, now)}
    </button>
  )
}
