/** The options of `explore`, and how they are read. */
import {
  aBoolean,
  aCount,
  aFunction,
  anything,
  aName,
  either,
  is,
  listOf,
  oneOf,
  positiveInteger,
  recordOf,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  isObject,
  optional,
  readOptions,
  required,
  type Fields,
} from '../../actors/strict/read-options.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'
import type { Prompt } from '../../actors/message.ts'
import {
  functionSaying,
  modelSaying,
  toolSaying,
  type ConfigItems,
  type Says,
  type ToolSays,
} from './alphabet/alphabet-options.ts'
import type { PersonSays } from './alphabet/people.ts'
import type { FunctionSaying } from './alphabet/sayings.ts'
import type { Rule } from './rules/user-rules.ts'

/** The cancels, crashes and delays that an exploration tries at any state. */
export interface AdversaryOptions {
  /** Whether the run may be cancelled, at any state. Default: `true`. */
  readonly cancel?: boolean
  /** Whether each delegation, and each tool call in the background, may be cancelled, at any state. Default: `true`. */
  readonly cancelDelegations?: boolean
  /**
   * Whether the process may end, at any state: the journal must then lead to the same run. Where a tool is at work,
   * another process goes on, at most `limits.crashes` times in a run. Default: `true`.
   */
  readonly crash?: boolean
  /**
   * Whether an effect whose deadline is set may not answer in time: `timeout` of a tool or scorer, `modelTimeout`,
   * `hookTimeout`. Deadlines pass as `timers` says. Default: `true`.
   */
  readonly deadlines?: boolean
  /**
   * `any`: timers end in every order, whatever their times; `inOrder`: the earliest first; `never`: none ends.
   * Default: `any`.
   */
  readonly timers?: 'any' | 'inOrder' | 'never'
  /** Whether models and tools whose alphabets are derived may fail. Default: `true`. */
  readonly failures?: boolean
}

/** The limits of an exploration. */
export interface LimitOptions {
  /** How many states are visited; the report is then not complete. Default: 20 000. */
  readonly states?: number
  /** How many replies with calls an agent gives; then it answers. Default: 2. */
  readonly steps?: number
  /** How many processes of a run end while a tool is at work. Default: 1. */
  readonly crashes?: number
}

/** `Options`: those of a run of the agent. */
export interface ExploreOptions<Options extends object = object> {
  /** The prompt of the run. Default: a text. */
  readonly task?: Prompt
  /** The options of the run, as for `generate`. */
  readonly run?: Options
  /**
   * The replies that the model of each agent may give, by the ids of the agents; a function gets the request. Default:
   * an answer, each tool, subagent and handoff on offer, all subagents together, and a failure.
   */
  readonly say?: Readonly<Record<string, Says>>
  /**
   * The outcomes of each tool and workflow, by its name; a function gets the arguments. No tool is called. Default: a
   * value that fits its output schema, and a failure.
   */
  readonly tools?: Readonly<Record<string, ToolSays>>
  /** The answers of people to approvals and suspended calls. Default: `approve` and `deny`. */
  readonly people?: readonly PersonSays[]
  /** The messages that a person says to the run (`run.say`), in this order, each at any state. Default: none. */
  readonly messages?: readonly string[]
  /**
   * The outcomes of hooks, by name, for the whole tree. Default: the function of the agent is called, once for each
   * distinct input.
   */
  readonly hooks?: Readonly<Partial<Record<HookName, readonly FunctionSaying[]>>>
  /** The outcomes of scorers, by id. Default: the scorer is called, once for each distinct input. */
  readonly scorers?: Readonly<Record<string, readonly FunctionSaying[]>>
  /** The items of the live configuration. Default: none. */
  readonly config?: readonly ConfigItems[]
  readonly adversary?: AdversaryOptions
  readonly limits?: LimitOptions
  /** Groups of agents, by id, that are alike: an exploration then tries one of those that differ in their names alone. */
  readonly interchangeable?: readonly (readonly string[])[]
  /** Rules of your own, by name. The built-in rules always hold. */
  readonly rules?: Readonly<Record<string, Rule>>
  /**
   * Whether each function is called again with each of its inputs when the search is done: another answer is a
   * violation. Default: `true`.
   */
  readonly recheck?: boolean
}

/** The option `onDelegationStart` and its like; `stopWhen` and processors are hooks too. */
const hookNames = [
  'onDelegationStart',
  'messageFilter',
  'onDelegationComplete',
  'onIterationComplete',
  'stopWhen',
  'onStepFinish',
  'onFinish',
  'onComplete',
  'requireApproval',
  'requireDelegationApproval',
  'approvePlan',
  'validateArguments',
  'validateObject',
  'configure',
  'handoffFilter',
  'processInput',
  'processOutput',
] as const satisfies readonly HookName[]

const sayings = either(
  (given) => typeof given === 'function',
  aFunction,
  listOf(modelSaying, 'a list of replies, or a function'),
)

const toolSayings = either(
  (given) => typeof given === 'function',
  aFunction,
  listOf(toolSaying, 'a list of outcomes, or a function'),
)
const functionSayings = listOf(functionSaying, 'a list of outcomes')

const adversaryFields: Fields<AdversaryOptions> = {
  cancel: optional(aBoolean),
  cancelDelegations: optional(aBoolean),
  crash: optional(aBoolean),
  deadlines: optional(aBoolean),
  timers: optional(oneOf('any', 'inOrder', 'never')),
  failures: optional(aBoolean),
}

const limitFields: Fields<LimitOptions> = {
  states: optional(positiveInteger),
  steps: optional(positiveInteger),
  crashes: optional(aCount),
}

const resumeFields: Fields<{ readonly resume: unknown }> = { resume: required(anything) }
const changeFields: Fields<{ readonly change: unknown }> = { change: required(anything) }

const person = either(
  (given) => typeof given === 'string',
  oneOf('approve', 'deny', 'never'),
  either(
    (given) => isObject(given) && 'change' in given,
    anObject(changeFields, { word: 'field' }),
    anObject(resumeFields, {
      expected: "'approve', 'deny', 'never', { resume } or { change }",
      word: 'field',
    }),
  ),
)

const hookFields = Object.fromEntries(hookNames.map((name) => [name, optional(functionSayings)])) as Fields<
  NonNullable<ExploreOptions['hooks']>
>

const itemFields: Fields<ConfigItems> = {
  kind: required(aName),
  key: required(aName),
  value: required(anything),
}

const rule = is(
  'a rule, from never(), always(), precedes(), sometimes() or eventually()',
  (given) => isObject(given) && typeof Reflect.get(given, 'kind') === 'string',
)

const fields: Fields<ExploreOptions> = {
  task: optional(anything),
  run: optional(is('an object of options', isObject)),
  say: optional(recordOf(sayings, 'an object of replies by agent')),
  tools: optional(recordOf(toolSayings, 'an object of outcomes by tool')),
  people: optional(listOf(person, 'a list of answers')),
  messages: optional(listOf(aName, 'a list of messages')),
  hooks: optional(anObject(hookFields, { expected: 'an object of outcomes by hook' })),
  scorers: optional(recordOf(functionSayings, 'an object of outcomes by scorer')),
  config: optional(listOf(anObject(itemFields, { word: 'field' }), 'a list of items')),
  adversary: optional(anObject(adversaryFields)),
  limits: optional(anObject(limitFields)),
  interchangeable: optional(listOf(listOf(aName, 'a list of agents'), 'a list of groups')),
  rules: optional(recordOf(rule, 'an object of rules by name')),
  recheck: optional(aBoolean),
}

/** Throws a `ConfigurationError`. */
export function readExplore(given: object, where: string): ExploreOptions {
  return readOptions<ExploreOptions>(given, where, fields)
}
