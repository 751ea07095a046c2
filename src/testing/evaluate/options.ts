/** The cases and options of `evaluate`, read and checked before any run. */
import {
  aName,
  aShare,
  aText,
  anything,
  aFunction,
  is,
  listOf,
  milliseconds,
  oneOf,
  positiveInteger,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import type { Prompt } from '../../actors/message.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Outcome } from '../../machines/contract/records.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { readCall } from '../../runtime/definition/validate-options.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import { taskOf } from '../../runtime/run/prompt.ts'
import type { EvaluationScorer } from './scoring.ts'
import { readTools, type ToolRecord } from './tool-recording.ts'

/** A case: a prompt, the recorded tools, and the scores that it must reach. */
export interface EvaluationCase<Options extends object = object> {
  /** Default: `case` and its number. */
  readonly name?: string
  readonly prompt: Prompt
  /** The calls of tools that the case may make, from `recordTools`. Default: none. */
  readonly recording?: string
  /** Passed to the scorers. */
  readonly expected?: unknown
  /** The outcome that the run must have. Default: `completed`, `bailed` or `stopped`. */
  readonly outcome?: Outcome
  /** Options of its run, beside those of all cases. */
  readonly run?: Options & CallOptions
}

/** The options of `evaluate`. */
export interface EvaluateOptions<Options extends object = object> {
  /** Score each answer; a case passes when all of them do. Default: none, the outcome alone counts. */
  readonly scorers?: readonly EvaluationScorer[]
  /** Tools answer from the recording of the case: no tool of the agents runs. Default: `'recorded'`. */
  readonly tools?: 'recorded'
  /**
   * A call that the recording does not have: `'fail'` ends the run and fails the case, `'run'` runs the tool.
   * Default: `'fail'`.
   */
  readonly unrecorded?: 'fail' | 'run'
  /** Options of all runs. Default: none. */
  readonly run?: Options & CallOptions
  /** Agents that functions of the run may give. Default: none. */
  readonly agents?: readonly AgentDefinition[]
  /** How many cases run side by side. Default: 1. */
  readonly concurrency?: number
}

const outcomes: readonly Outcome[] = [
  'completed',
  'bailed',
  'exhausted',
  'stopped',
  'tripped',
  'failed',
  'cancelled',
]

const caseFields: Fields<EvaluationCase> = {
  name: optional(aName),
  prompt: required(
    is('a text or a list of messages', (given) => typeof given === 'string' || Array.isArray(given)),
  ),
  recording: optional(aText),
  expected: optional(anything),
  outcome: optional(oneOf(...outcomes)),
  run: optional(anything),
}

const scorerFields: Fields<EvaluationScorer> = {
  id: required(aName),
  threshold: optional(aShare),
  timeout: optional(milliseconds),
  score: required(aFunction),
}

const fields = {
  scorers: withDefault(listOf(anObject(scorerFields, { expected: 'a scorer', word: 'field' })), []),
  tools: withDefault(oneOf('recorded'), 'recorded'),
  unrecorded: withDefault(oneOf('fail', 'run'), 'fail'),
  run: withDefault(anything, {}),
  agents: withDefault(listOf(anything, 'a list of agents'), []),
  concurrency: withDefault(positiveInteger, 1),
} satisfies Fields<EvaluateOptions>

const readCases = listOf(anObject(caseFields, { expected: 'a case', word: 'field' }), 'a list of cases')

/** Throws a `ConfigurationError`. */
export function readEvaluation(
  agent: AgentDefinition,
  cases: readonly EvaluationCase[],
  options: EvaluateOptions,
): { readonly settings: Settings; readonly ready: readonly Prepared[] } {
  const settings = { ...defaultsOf(fields), ...readOptions<EvaluateOptions>(options, 'evaluate', fields) }
  const ready = readCases(cases, 'evaluate: cases').map((given, index) =>
    prepared(given as EvaluationCase, index, agent, settings),
  )
  assertDistinct(
    ready.map(({ name }) => name),
    'cases have the name',
  )
  assertDistinct(
    settings.scorers.map(({ id }) => id),
    'scorers have the id',
  )
  return { settings, ready }
}

export type Settings = Required<EvaluateOptions>

/** A case with its defaults, its recording read. */
export interface Prepared extends EvaluationCase {
  readonly name: string
  readonly run: object
  readonly records: readonly ToolRecord[]
}

function prepared(
  given: EvaluationCase,
  index: number,
  { pattern }: AgentDefinition,
  { run }: Settings,
): Prepared {
  const { name = `case ${index + 1}`, recording = '' } = given
  const where = `evaluate: ${name}`
  const options = { ...run, ...given.run }
  readCall(options, `${where}: run`, pattern)
  checkPrompt(given.prompt, where)
  return { ...given, name, run: options, records: readTools(recording, `${where}: recording`) }
}

function checkPrompt(prompt: Prompt, where: string): void {
  try {
    taskOf(prompt)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new ConfigurationError(`${where}: ${error.message}`)
  }
}

function assertDistinct(all: readonly string[], what: string): void {
  const twice = all.find((one, index) => all.indexOf(one) < index)
  if (twice !== undefined) throw new ConfigurationError(`evaluate: two ${what} "${twice}".`)
}
