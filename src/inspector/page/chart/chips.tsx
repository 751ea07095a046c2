/** The transitions that a composite state, or the whole chart, has in all of its states. */
import type { Diagram, DrawnTransition } from './diagram.ts'
import type { Highlights } from './highlights.ts'

interface ChipsProps {
  readonly diagram: Diagram
  readonly highlights: Highlights
}

export function Chips({ diagram, highlights }: ChipsProps) {
  const groups = [diagram, ...diagram.regions].map(({ state, common }) => ({
    state,
    shown: chipsOf(common, highlights),
  }))
  return (
    <>
      {groups
        .filter(({ shown }) => shown.length > 0)
        .map(({ state, shown }) => (
          <dl key={state.path} class="chips">
            <dt>{state.path === '' ? 'In any state' : `Anywhere in ${state.name}`}</dt>
            {shown.map((one) => (
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
    </>
  )
}

/** Those that lead somewhere, and those without a target that were taken. */
function chipsOf(common: readonly DrawnTransition[], highlights: Highlights): readonly DrawnTransition[] {
  return common.filter((one) => one.target !== undefined || highlights.count([one]) > 0)
}
