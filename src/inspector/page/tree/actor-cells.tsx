/** One actor in the tree: its name first, and how it is with it, how long it took, and what it has spent. */
import type { VNode } from 'preact'
import type { RunModel } from '../model/run-model.ts'
import type { Actor } from '../model/actor.ts'
import type { TreeRow } from '../model/tree-rows.ts'
import { costText, durationText, tokensText } from '../shared/format.ts'
import { aboutOf, effectsOf, kindOf, nameOf, signOf, standingOf, type Standing } from './actor-words.ts'

interface ActorRowProps {
  readonly id: string
  readonly model: RunModel
  readonly row: TreeRow
  readonly isChosen: boolean
  readonly isAsking: boolean
}

export function ActorRow({ id, model, row, isChosen, isAsking }: ActorRowProps): VNode {
  const { place, level, position, siblings, isExpanded } = row
  const cursor = model.cursor.value
  const actor = place.at(cursor)
  const state = actor === undefined ? undefined : model.stateOf(actor, cursor)
  const standing = actor === undefined ? undefined : standingOf(actor, state, cursor)
  const about = aboutOf(place)
  const spent = place.spent.until(cursor)
  return (
    <div
      id={id}
      class={`tree-item tree-cells ${standing?.kind ?? ''}`}
      role="row"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isExpanded}
      aria-selected={isChosen}
      title={[place.path, state, about].filter(Boolean).join('\n')}
      onClick={() => model.choose(place.path)}
      onDblClick={() => isExpanded !== undefined && model.toggle(place.path)}
    >
      <span class="tree-first" role="gridcell" style={{ paddingLeft: `${(level - 1) * 8}px` }}>
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
        <span class="tree-line said cut">{about}</span>
      </span>
      <span class="tree-outcome" role="gridcell">
        <Outcome
          standing={standing}
          effects={standing?.kind === 'active' ? effectsOf(place, cursor) : []}
          isAsking={isAsking}
        />
      </span>
      <span class="tree-time number" role="gridcell">
        {actor?.isTold === true && <Time model={model} actor={actor} />}
      </span>
      <span class="tree-tokens number" role="gridcell">
        {spent === undefined ? '' : tokensText(spent.tokens)}
      </span>
      <span class="tree-cost number" role="gridcell">
        {spent?.cost === undefined ? '' : costText(spent.cost)}
      </span>
    </div>
  )
}

interface OutcomeProps {
  readonly standing: Standing | undefined
  /** The kinds of its effects that are at work. */
  readonly effects: readonly string[]
  readonly isAsking: boolean
}

/** What it waits for, while it does; else its state, or its end. */
function Outcome({ standing, effects, isAsking }: OutcomeProps): VNode {
  const others = effects.filter((effect) => !isAsking || effect !== 'signal')
  const isBusy = isAsking || others.length > 0
  return (
    <>
      {isAsking && <span class="asks">asks</span>}
      {others.map((effect) => (
        <span key={effect} class={`effect ${effect}`}>
          {effect}
        </span>
      ))}
      {standing?.isGood === true ? (
        <span class="standing cut">
          <span aria-hidden="true">✓</span>
          <span class="unseen">{standing.text}</span>
        </span>
      ) : (
        <span class={isBusy ? 'unseen' : 'standing cut'}>{standing?.text}</span>
      )}
    </>
  )
}

/** How long it took, without the times of waiting for people, as a bar within the time of the run. */
function Time({ model, actor }: { readonly model: RunModel; readonly actor: Actor }): VNode {
  const { offsets } = model.axis
  const cursor = model.cursor.value
  const span = model.span.value
  const from = offsets[actor.added] ?? 0
  const isOver = actor.end !== undefined && actor.end.row <= cursor
  const isLast = cursor === model.length.value - 1
  const until = isOver ? (offsets[actor.end?.row ?? 0] ?? 0) : isLast ? span : (offsets[cursor] ?? 0)
  const isGrowing = !isOver && isLast && model.tail.value !== undefined
  const counted = isGrowing && model.axis.isAtWork ? model.axis.length + (model.tail.value ?? 0) : until
  return (
    <>
      {span > 0 && (
        <span
          class={isOver ? 'time-bar' : 'time-bar now'}
          style={{ left: `${(100 * from) / span}%`, width: `${(100 * (until - from)) / span}%` }}
        />
      )}
      <span class="time-text">{durationText(counted - from)}</span>
    </>
  )
}
