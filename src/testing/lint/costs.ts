/** Findings about the model calls that a run may make. */
import { budgetLimits } from '../../runtime/state/effects/budget.ts'
import { finding, type Finding } from './finding.ts'
import { boundOf } from './model-call-bound.ts'
import type { AgentTree } from './tree.ts'

/** `most`: the model calls that the user allows a run to make. */
export function costs(tree: AgentTree, most: number | undefined): Finding[] {
  const { root } = tree
  const { calls, formula, unbounded } = boundOf(tree)
  const bound =
    calls === undefined
      ? `Its model calls have no bound: ${unbounded.join(' ')}`
      : `It may make ${calls} model calls, and final turns beside them: ${formula}.`
  if (most !== undefined) {
    return calls === undefined || calls > most
      ? [
          finding(
            'too-many-model-calls',
            root.path,
            `${bound} At most ${most} are allowed here; budget.modelCalls limits them.`,
          ),
        ]
      : []
  }
  const { budget } = root.settings
  const isLimited = budgetLimits.some((limit) => budget?.[limit] !== undefined)
  if (isLimited || tree.places.length === 1) return []
  return [finding('calls-without-budget', root.path, `${bound} A budget limits the whole tree.`)]
}
