/** The actors of a run up to the row that is shown, with their states and outcomes, and those that wait for a person. */
import { useSignal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { RunModel } from '../model/run-model.ts'
import { press, type PartKey } from '../shared/part-keys.ts'
import { useSize } from '../shared/use-size.ts'
import type { TreeRow } from '../model/tree-rows.ts'
import { effectsOf, kindOf, nameOf, signOf, standingOf } from './actor-words.ts'

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

interface ItemProps {
  readonly id: string
  readonly model: RunModel
  readonly row: TreeRow
  readonly isChosen: boolean
  readonly isAsking: boolean
}

/** One actor in the tree. */
function TreeItem({ id, model, row, isChosen, isAsking }: ItemProps) {
  const { place, level, position, siblings, isExpanded } = row
  const cursor = model.cursor.value
  const actor = place.at(cursor)
  const state = actor === undefined ? undefined : model.stateOf(actor, cursor)
  const standing = actor === undefined ? undefined : standingOf(actor, state, cursor)
  const effects = standing?.kind === 'active' ? effectsOf(place, cursor) : []
  return (
    <div
      id={id}
      class={`tree-item ${standing?.kind ?? ''}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isExpanded}
      aria-selected={isChosen}
      style={{ paddingLeft: `${(level - 1) * 10 + 4}px` }}
      title={[place.path, state, place.line].filter(Boolean).join('\n')}
      onClick={() => model.choose(place.path)}
      onDblClick={() => isExpanded !== undefined && model.toggle(place.path)}
    >
      <span
        class="twisty"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          if (isExpanded !== undefined) model.toggle(place.path)
        }}
      >
        {isExpanded === undefined ? '' : isExpanded ? '▾' : '▸'}
      </span>
      <span class="sign" aria-hidden="true">
        {signOf(place)}
      </span>
      <span class="tree-name said cut">
        {kindOf(place) !== '' && <span class="unseen">{kindOf(place)} </span>}
        {nameOf(place)}
      </span>
      <span class="tree-line said cut">{place.line}</span>
      {effects
        .filter((effect) => !isAsking || effect !== 'signal')
        .map((effect) => (
          <span key={effect} class={`effect ${effect}`}>
            {effect}
          </span>
        ))}
      {isAsking && <span class="asks">asks</span>}
      <span class="standing cut">
        {standing?.isGood === true ? (
          <>
            <span aria-hidden="true">✓</span>
            <span class="unseen">{standing.text}</span>
          </>
        ) : (
          standing?.text
        )}
      </span>
    </div>
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
