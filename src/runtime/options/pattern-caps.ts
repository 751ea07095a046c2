/** Numeric options of single patterns. */
import { defaultsOf } from '../../actors/strict/read-options.ts'
import type { CapsProfile } from '../../machines/contract/profile.ts'
import { optionTable } from './option-table.ts'
import type { Pattern } from './pattern.ts'

/** Caps of single patterns: positive integers, passed to the machine as they are. */
export interface PatternCaps {
  /** `router`: decisions, each with the primitive that it leads to. Default: 10. */
  readonly maxIterations?: number
  /** `plan-then-execute`: how often the rest of a plan is made anew. Default: 2. */
  readonly maxReplans?: number
  /** `plan-then-execute`: steps of one plan. Default: 20. */
  readonly maxPlanSteps?: number
  /** `fan-out`: goals of one round. Default: 8. */
  readonly maxGoals?: number
  /** `fan-out`: rounds. Default: 3. */
  readonly maxRounds?: number
  /** `fan-out`: milliseconds that the goals of a round may take, from their dispatch. Default: 120 000. */
  readonly goalTimeout?: number
  /** `reflexion`: how often the agent criticises itself; an invalid critique does not count. Default: 3. */
  readonly maxCritiques?: number
  /** `debate`: rounds of criticism. Default: 1. */
  readonly rounds?: number
  /**
   * `debate`: how many proposals are enough to go on; at most as many as there are agents. Default: all but one, and at
   * least one.
   */
  readonly quorum?: number
}

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
