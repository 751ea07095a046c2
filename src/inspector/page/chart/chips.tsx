/** The transitions that a composite state, or the whole chart, has in all of its states. */
import type { Diagram, DrawnTransition } from './diagram.ts'
import type { Highlights } from './highlights.ts'

interface ChipsProps {
  readonly diagram: Diagram
  readonly highlights: Highlights
}

/** One row, whose height does not change: the chart below it stands still. */
export function Chips({ diagram, highlights }: ChipsProps) {
  const groups = [diagram, ...diagram.regions].filter(({ common }) => common.length > 0)
  if (groups.length === 0) return null
  return (
    <div
      class="chips"
      tabIndex={0}
      role="group"
      aria-label={`Transitions of all states in ${diagram.state.name}`}
    >
      {groups.map(({ state, common }) => (
        <dl key={state.path}>
          <dt>{state.path === '' ? 'In any state' : `Anywhere in ${state.name}`}</dt>
          {chipsOf(common, highlights).map((one) => (
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
