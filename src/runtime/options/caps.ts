/** The default caps. */
import { defaultsOf } from '../../actors/strict/read-options.ts'
import type { CapsProfile } from '../../machines/contract/profile.ts'
import { optionTable } from './option-table.ts'
import type { Pattern } from './pattern.ts'

const { maxIterations, maxReplans, maxPlanSteps, maxGoals, maxRounds, goalTimeout, maxCritiques, rounds } =
  defaultsOf(optionTable)

export const capDefaults: CapsProfile = {
  maxIterations,
  maxReplans,
  maxPlanSteps,
  maxGoals,
  maxRounds,
  goalTimeout,
  maxCritiques,
  rounds,
}

/** The default cap on the steps of an agent. Rounds are steps; an answer and a second try follow. */
export function defaultSteps(pattern: Pattern, { maxRounds, rounds }: CapsProfile): number {
  const { default: steps } = optionTable.maxSteps
  if (pattern === 'fan-out') return maxRounds + 2
  return pattern === 'debate' ? Math.max(steps, 1 + rounds + 2) : steps
}
