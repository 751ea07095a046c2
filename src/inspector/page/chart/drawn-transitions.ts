/** The transitions of a chart as they are drawn: one for each target, with its words. */
import type { ChartState, ChartTransition } from '../../../actors/charts/chart.ts'
import type { TransitionPlace } from '../model/transition-place.ts'

export interface DrawnTransition extends TransitionPlace {
  /** The path of a state that it leads to; absent: the state stays as it is. */
  readonly target?: string
  /** The event and the guard, for example `model done [hasToolCalls]`; `else` for a transition without both. */
  readonly text: string
  readonly description?: string
}

/** Those of the state and of all states inside it. */
export function transitionsBelow(state: ChartState): readonly DrawnTransition[] {
  const own = state.transitions.flatMap((transition, position) => {
    const { targets, description } = transition
    const said = { text: textOf(transition), ...(description === undefined ? {} : { description }) }
    const drawn = { source: state.path, position, ...said }
    return targets.length === 0 ? [drawn] : targets.map((target) => ({ ...drawn, target }))
  })
  return [...own, ...state.states.flatMap(transitionsBelow)]
}

function textOf({ label, guard }: ChartTransition): string {
  const words = guard === undefined ? label : `${label} [${guard}]`
  return words.trim() || 'else'
}
