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
  notNegative,
  positiveInteger,
  recordOf,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  show,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import type { Prompt } from '../../actors/message.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Outcome } from '../../machines/contract/records.ts'
import { isAgent } from '../../runtime/definition/agents-given.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { readCall } from '../../runtime/definition/validate-options.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import { taskOf } from '../../runtime/run/prompt.ts'
import type { EvaluationUser } from './conversation.ts'
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
  /** Options of its runs, beside those of all cases. */
  readonly run?: Options & CallOptions
  /**
   * Makes a conversation of the case: the messages of the user after `prompt`, or a function that gives them one by one, such as
   * `simulatedUser`. Default: the user says nothing more.
   */
  readonly user?: EvaluationUser
  /** The most answers of a conversation. A user that has not done by then fails the case. Default: 10. */
  readonly maxTurns?: number
}

/** What must hold of all cases together. */
export interface EvaluationGates {
  /** The least share of cases that pass, from 0 to 1. Default: 1. */
  readonly passed?: number
  /** The least mean of the scores, by the id of the scorer. */
  readonly scores?: Readonly<Record<string, number>>
  /** The most tokens of all cases. Those of simulated users do not count. */
  readonly tokens?: number
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
  /** The report has passed where all of them hold. Default: every case passes. */
  readonly gates?: EvaluationGates
  /** Milliseconds for one message of a user that is a function. Default: 120 000. */
  readonly userTimeout?: number
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
  user: optional(
    is(
      'a list of texts that are not empty, or a function',
      (given) =>
        typeof given === 'function' ||
        (Array.isArray(given) && given.every((text) => typeof text === 'string' && text.trim() !== '')),
    ),
  ),
  maxTurns: optional(positiveInteger),
}

const gateFields: Fields<EvaluationGates> = {
  passed: optional(aShare),
  scores: optional(recordOf(aShare, 'a record of numbers from 0 to 1')),
  tokens: optional(notNegative),
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
  gates: withDefault(anObject(gateFields, { expected: 'gates', word: 'option' }), {}),
  userTimeout: withDefault(milliseconds, 120_000),
} satisfies Fields<EvaluateOptions>

const readCases = listOf(anObject(caseFields, { expected: 'a case', word: 'field' }), 'a list of cases')

/** Throws a `ConfigurationError`. */
export function readEvaluation(
  agent: AgentDefinition,
  cases: readonly EvaluationCase[],
  options: EvaluateOptions,
): { readonly settings: Settings; readonly ready: readonly Prepared[] } {
  if (!isAgent(agent))
    throw new ConfigurationError(`evaluate: the first argument must be an agent, not ${show(agent)}.`)
  const settings: Settings = {
    ...defaultsOf(fields),
    ...readOptions<EvaluateOptions>(options, 'evaluate', fields),
  }
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
  for (const id of Object.keys(settings.gates.scores ?? {}))
    if (settings.scorers.every((scorer) => scorer.id !== id))
      throw new ConfigurationError(
        `evaluate: gates.scores: there is no scorer "${id}". Known: ${settings.scorers.map((scorer) => scorer.id).join(', ') || 'none'}.`,
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
