/** Which options a pattern takes beside those of every agent, and those that are its own. */
import type { Pattern } from './pattern.ts'

const delegating = ['delegation', 'maxDepth'] as const
const supervised = [...delegating, 'completion', 'onIterationComplete', 'scoreEvery'] as const

export const patternOptions: Readonly<Record<Pattern, readonly string[]>> = {
  react: [],
  supervisor: [...supervised, 'bailStrategy', 'backgroundTasks'],
  router: [...supervised, 'maxIterations'],
  'plan-then-execute': [...delegating, 'maxReplans', 'maxPlanSteps', 'reviewSteps'],
  'fan-out': [...delegating, 'maxGoals', 'maxRounds', 'goalTimeout'],
  'meta-router': [...delegating, 'pattern', 'signals'],
  reflexion: ['maxCritiques'],
  debate: [...delegating, 'rounds', 'quorum'],
  dispatch: [...delegating],
}

/** An agent that hands its task over has no words of its own: these are for the agents that it chooses from. */
const wordless = [
  'maxSteps',
  'stopWhen',
  'toolCallConcurrency',
  'maxToolCallsPerStep',
  'maxRepeatedCalls',
  'structuredOutput',
  'outputProcessors',
  'maxProcessorRetries',
] as const

/** Options of every agent that would mean nothing to a pattern: refused, so that nobody relies on them. */
export const refusedOptions: Readonly<Partial<Record<Pattern, readonly string[]>>> = {
  router: ['toolCallConcurrency', 'maxToolCallsPerStep'],
  'plan-then-execute': ['stopWhen', 'maxToolCallsPerStep', 'maxRepeatedCalls'],
  // Their own model calls neither tools nor agents.
  'fan-out': ['maxToolCallsPerStep', 'maxRepeatedCalls', 'toolState'],
  debate: ['maxToolCallsPerStep', 'maxRepeatedCalls', 'toolState'],
  dispatch: wordless,
  'meta-router': [...wordless, 'onExhausted', 'onStepFinish', 'toolState'],
}

/** Caps of single patterns: positive integers, handed to the machine as they are. */
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
  /** `reflexion`: how often the agent criticises itself; a critique that is none does not count. Default: 3. */
  readonly maxCritiques?: number
  /** `debate`: rounds of criticism. Default: 1. */
  readonly rounds?: number
  /** `debate`: how many proposals are enough to go on; at most as many as there are agents. Default: all but one, and at least one. */
  readonly quorum?: number
}

export const capNames = [
  'maxIterations',
  'maxReplans',
  'maxPlanSteps',
  'maxGoals',
  'maxRounds',
  'goalTimeout',
  'maxCritiques',
  'rounds',
  'quorum',
] as const satisfies readonly (keyof PatternCaps)[]

/** The caps among options. */
export function capsOf(options: PatternCaps): PatternCaps {
  return Object.fromEntries(
    capNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  )
}

/** The cap on the steps of an agent that sets none. Rounds are steps; an answer and a second try follow. */
export function defaultSteps(pattern: Pattern, { maxRounds = 3, rounds = 1 }: PatternCaps): number {
  if (pattern === 'fan-out') return maxRounds + 2
  return pattern === 'debate' ? Math.max(5, 1 + rounds + 2) : 5
}
