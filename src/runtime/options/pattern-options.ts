/** The options that single patterns have of their own: no other pattern takes them. */
import type { RequestSignals } from '../../actors/task-types.ts'
import type { ProposedPlanStep } from '../../machines/contract/plan.ts'
import type { Awaitable, IterationContext } from './options.ts'

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

/** The argument of `approvePlan`. */
export interface PlanApprovalContext extends IterationContext {
  /** The revision that the plan would be, from 1. */
  readonly revision: number
  /** The steps that the plan adds. */
  readonly proposed: readonly ProposedPlanStep[]
  /** Why the rest is planned again. */
  readonly reason?: string
}

/** The options of a planner alone. */
export interface PlanOptions {
  /**
   * The model reviews the result of each step that others wait for, and may have the rest planned anew.
   * Default: `false`.
   */
  readonly reviewSteps?: boolean
  /**
   * Holds each plan, also a revision, until a person approves it, changes its steps, or rejects it. A function decides
   * for each plan. A step calls the tool of its `toolHint` alone; a step without a hint may call any tool. Default: `false`.
   */
  readonly approvePlan?: boolean | ((context: PlanApprovalContext) => Awaitable<boolean>)
}

/** What is settled about the task of a meta-router: it is not chosen. */
export interface RouteOptions<Key extends string = string> {
  /** Names the pattern: no pattern is chosen, nor a type without `taskType`. Default: none. */
  readonly pattern?: Key
  /**
   * Names the type of the task: none is identified. A type that is not configured fails the run (`UNKNOWN_TASK_TYPE`).
   * Default: none.
   */
  readonly taskType?: string
  /** Instructions for the agent of the pattern and all agents below it, after those of the type. Default: none. */
  readonly framing?: string
  /**
   * Describes the request: shown to the model that chooses the pattern and to all agents that work on the request, and
   * recorded. Default: none.
   */
  readonly signals?: RequestSignals
}
