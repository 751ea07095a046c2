/** One actor in the tree. */
import type { RunModel } from '../model/run-model.ts'
import type { TreeRow } from '../model/tree-rows.ts'
import { effectsOf, kindOf, nameOf, signOf, standingOf } from './actor-words.ts'

interface ItemProps {
  readonly id: string
  readonly model: RunModel
  readonly row: TreeRow
  readonly isChosen: boolean
  readonly isAsking: boolean
}

export function TreeItem({ id, model, row, isChosen, isAsking }: ItemProps) {
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
