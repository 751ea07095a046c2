/** The transitions that a composite state, or the whole chart, has in all of its states. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Diagram, DrawnTransition } from '../../../drawing/diagram.ts'
import type { Highlights } from './highlights.ts'

interface ChipsProps {
  readonly diagram: Diagram
  readonly highlights: Highlights
}

/** One row, whose height does not change: the chart below it stands still. */
export function Chips({ diagram, highlights }: ChipsProps) {
  const groups = [diagram, ...diagram.regions]
    .filter(({ common }) => common.length > 0)
    .map(({ state, common }) => ({ state, chips: chipsOf(common, highlights) }))
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (row.current !== null) showTaken(row.current)
  })
  if (groups.length === 0) return null
  return (
    <div
      ref={row}
      class="chips"
      tabIndex={0}
      role="group"
      aria-label={`Transitions of all states in ${diagram.state.name}`}
    >
      {groups.map(({ state, chips }) => (
        <dl key={state.path}>
          {chips.length > 0 && <dt>{state.path === '' ? 'In any state' : `Anywhere in ${state.name}`}</dt>}
          {chips.map((one) => (
            <dd
              key={`${one.position} ${one.target}`}
              class={`chip ${highlights.ofWay([one])}`}
              title={one.description}
            >
              {one.text}
              {one.target !== undefined && <span class="to"> → {one.target}</span>}
              {highlights.count([one]) > 1 && <span class="times"> ×{highlights.count([one])}</span>}
            </dd>
          ))}
        </dl>
      ))}
    </div>
  )
}

/** Those that lead somewhere, and those without a target that were taken. */
function chipsOf(common: readonly DrawnTransition[], highlights: Highlights): readonly DrawnTransition[] {
  return common.filter((one) => one.target !== undefined || highlights.count([one]) > 0)
}

/** Scrolls to the transition that the row has taken, where it is out of sight. */
function showTaken(row: HTMLElement): void {
  const taken = row.querySelector('.chip.now')?.getBoundingClientRect()
  if (taken === undefined) return
  const seen = row.getBoundingClientRect()
  if (taken.right > seen.right) row.scrollLeft += taken.right - seen.right + gap
  else if (taken.left < seen.left) row.scrollLeft -= seen.left - taken.left + gap
}

/** Pixels between the transition and the edge. */
const gap = 10
