/** The actors of a run up to the row that is shown, with their states and outcomes, and those that wait for a person. */
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { RunModel } from '../model/run-model.ts'
import { press } from '../shared/part-keys.ts'
import { useSize } from '../shared/use-size.ts'
import { TreeItem } from './tree-item.tsx'
import { treeKeys } from './tree-keys.ts'

/** Pixels. */
const rowHeight = 24
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
      <h2 class="tree-head">
        Actors <span class="muted number">{rows.length}</span>
      </h2>
      <div
        class="tree-rows"
        ref={ref}
        role="tree"
        aria-label="Actors"
        tabIndex={0}
        aria-activedescendant={isShown(chosen, first, shown.length) ? `${id}-${chosen}` : undefined}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => press(treeKeys, event, model)}
      >
        <div role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
          <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {shown.map((row, at) => (
              <TreeItem
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

function isShown(at: number, first: number, count: number): boolean {
  return at >= first && at < first + count
}

function bringIntoView(list: HTMLElement, row: number): void {
  const start = row * rowHeight
  const { scrollTop, clientHeight } = list
  if (start < scrollTop) list.scrollTop = start
  else if (start + rowHeight > scrollTop + clientHeight) list.scrollTop = start + rowHeight - clientHeight
}

/** How many questions are open; it chooses the actors that ask them, one after another. */
function Waiting({ model }: { readonly model: RunModel }) {
  const open = model.open.value
  const [first] = open
  if (first === undefined) return null
  const next = open[open.findIndex(({ path }) => path === model.path.value) + 1] ?? first
  return (
    <button type="button" class="tree-waiting" onClick={() => model.choose(next.path)}>
      <span aria-hidden="true">☝</span> {open.length} {open.length === 1 ? 'question is' : 'questions are'}{' '}
      open
    </button>
  )
}
