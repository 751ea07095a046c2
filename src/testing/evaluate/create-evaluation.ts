/** An evaluation as a value: `npx troupe evaluate` runs those that a module exports. */
import { anything, aName, is, listOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { isRecord } from '../../actors/values/json.ts'
import { isAgent } from '../../runtime/definition/agents-given.ts'
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import { evaluate } from './evaluate.ts'
import { readEvaluation, type EvaluateOptions, type EvaluationCase } from './options.ts'
import type { EvaluationReport } from './report.ts'

/** The options of `createEvaluation`. */
export interface EvaluationConfig<Options extends object = object> {
  /** Names the evaluation in its reports. */
  readonly id: string
  readonly agent: AnyAgent<Options>
  readonly cases: readonly EvaluationCase<Options>[]
  /** As for `evaluate`. Default: none. */
  readonly options?: EvaluateOptions<Options>
}

/** Cases, and the agent that is evaluated by them. */
export interface Evaluation {
  readonly type: 'evaluation'
  readonly id: string
  /** Runs all cases. */
  run(): Promise<EvaluationReport>
}

const fields = {
  id: required(aName),
  agent: required(is('an agent', isAgent)),
  cases: required(listOf(anything, 'a list of cases')),
  options: optional(is('an object', isRecord)),
} satisfies Fields<EvaluationConfig>

/**
 * Makes an evaluation that runs later. A module that exports evaluations is run by `npx troupe evaluate <module>`, whose exit code
 * says whether their gates hold. Throws a `ConfigurationError` for a wrong option, case or recording.
 */
export function createEvaluation<Options extends object, Object, Args extends readonly unknown[]>(
  config: Omit<EvaluationConfig<Options>, 'agent'> & { readonly agent: AnyAgent<Options, Object, Args> },
): Evaluation
export function createEvaluation(config: EvaluationConfig): Evaluation {
  const { id, agent, cases, options = {} } = readOptions<EvaluationConfig>(config, 'createEvaluation', fields)
  readEvaluation(asDefinition(agent), cases, options)
  return { type: 'evaluation', id, run: () => evaluate(agent, cases, options) }
}
