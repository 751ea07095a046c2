/** From a plan that fails to one that fails in the same check with less: fewer actions, fewer kinds of trouble. */
import type { CheckName } from './checks/findings.ts'
import { planOf, type Plan, type Settings } from './plan.ts'

/** What is left out of the plan of a seed. */
export interface Without {
  /** Positions in its list of actions. */
  readonly actions: readonly number[]
  readonly trouble: readonly Trouble[]
}

const troubles = ['storeFailures', 'userErrors', 'clockSkew', 'slowness'] as const
export type Trouble = (typeof troubles)[number]

export function isTrouble(name: string): name is Trouble {
  return (troubles as readonly string[]).includes(name)
}

export function planWithout(seed: number, { actions, trouble }: Without, planned = planOf): Plan {
  const plan = planned(seed)
  const settings: Settings = { ...plan.settings, ...Object.fromEntries(trouble.map((name) => [name, 0])) }
  return { ...plan, settings, actions: plan.actions.filter((_, index) => !actions.includes(index)) }
}

/** `failsIn`: in which checks a plan fails. Gives what can be left out. */
export async function shrink(
  seed: number,
  check: CheckName,
  failsIn: (plan: Plan) => Promise<ReadonlySet<CheckName>>,
  planned = planOf,
): Promise<Without> {
  let without: Without = { actions: [], trouble: [] }
  const tryWithout = async (more: Without): Promise<void> => {
    if ((await failsIn(planWithout(seed, more, planned))).has(check)) without = more
  }
  for (let index = planned(seed).actions.length - 1; index >= 0; index--) {
    await tryWithout({ ...without, actions: [...without.actions, index] })
  }
  for (const trouble of troubles) {
    await tryWithout({ ...without, trouble: [...without.trouble, trouble] })
  }
  return without
}
