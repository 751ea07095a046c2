/** The options of agents of single patterns, and of runs of them. */
import type { RequestSignals } from '../../actors/task-types.ts'
import type { AgentOptions, MemoryOptions, SupervisorOptions } from './options.ts'
import type { PatternCaps } from './pattern-caps.ts'

/** The options of a meta-router, and of a run of it. It has no loop, and writes no answer of its own. */
export interface MetaRouterOptions<Key extends string = string> extends Pick<
  SupervisorOptions<Key>,
  | 'memory'
  | 'compaction'
  | 'retries'
  | 'hookErrors'
  | 'hookTimeout'
  | 'modelTimeout'
  | 'budget'
  | 'inputProcessors'
  | 'toolGroups'
  | 'onFinish'
  | 'delegation'
  | 'maxDepth'
> {
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

/** The options of a router. `scoreEvery` is `'iteration'` by default: the scorers see each primitive's result. */
export interface RouterOptions<Key extends string = string> extends Omit<
  SupervisorOptions<Key>,
  | 'memory'
  | 'toolCallConcurrency'
  | 'toolChoice'
  | 'maxToolCallsPerStep'
  | 'bailStrategy'
  | 'backgroundTasks'
  | 'handoffFilter'
> {
  /** A router always has memory: `createRouter` refuses one without. */
  readonly memory?: true | MemoryOptions
  /**
   * Decisions, each with the primitive that it leads to. Where `maxSteps` is given too, the smaller holds.
   * Default: 10.
   */
  readonly maxIterations?: number
}

/** The options of a dispatcher. Its answer is that of the primitive that it chooses, so it shapes and screens none. */
export interface DispatcherOptions<Key extends string = string> extends Pick<
  SupervisorOptions<Key>,
  | 'memory'
  | 'compaction'
  | 'retries'
  | 'onExhausted'
  | 'hookErrors'
  | 'hookTimeout'
  | 'modelTimeout'
  | 'budget'
  | 'inputProcessors'
  | 'toolGroups'
  | 'toolState'
  | 'onStepFinish'
  | 'onFinish'
  | 'delegation'
  | 'maxDepth'
> {}

/** The options of a planner. It has no loop of its own, so nothing to stop or to repeat. */
export interface PlannerOptions<Key extends string = string>
  extends
    Omit<
      AgentOptions,
      'stopWhen' | 'toolChoice' | 'maxRepeatedCalls' | 'maxToolCallsPerStep' | 'handoffFilter'
    >,
    Pick<SupervisorOptions<Key>, 'delegation' | 'maxDepth'>,
    Pick<PatternCaps, 'maxReplans' | 'maxPlanSteps'> {
  /** Model calls that make the answer of the steps' results. Default: 5. */
  readonly maxSteps?: number
  /** Steps that run concurrently; a held one does not count. Default: 10. */
  readonly toolCallConcurrency?: number
  /**
   * The model reviews the result of each step that others wait for, and may have the rest planned anew.
   * Default: `false`.
   */
  readonly reviewSteps?: boolean
}
