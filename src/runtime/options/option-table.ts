/**
 * The options of agents and of their runs: how each is read, which patterns take it, how the journal keeps it, and its
 * default. Checks, settings, profiles and docs/reference/options.md follow from this table; its types and descriptions
 * are those of the interfaces in `options.ts`, which must have the same names.
 */
import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  aText,
  aRunId,
  either,
  is,
  listOf,
  milliseconds,
  oneOf,
  positiveInteger,
} from '../../actors/strict/checks.ts'
import {
  type Defaulted,
  type Field,
  type Fields,
  type Reader,
  anObject,
  defaultsOf,
  isObject,
  optional,
} from '../../actors/strict/read-options.ts'
import { firstOf, optionElsewhere, otherName } from '../../actors/strict/hints.ts'
import type { Hint } from '../../actors/strict/plain-name.ts'
import { ConfigurationError } from '../../errors.ts'
import type { CapsProfile } from '../../machines/contract/profile.ts'
import { readClientTools } from '../../actors/toolset/client-tools.ts'
import { readNames, readState } from '../../actors/strict/ids.ts'
import { unsetState } from '../../actors/tool-groups.ts'
import { aTraceparent, aTracestate } from '../../actors/strict/trace-context.ts'
import {
  readBackgroundTasks,
  booleanOrFunction,
  budgetFields,
  completionFields,
  contextEditingFields,
  delegationFields,
  readCompaction,
  readFallbackOn,
  readMemory,
  readProcessors,
  readToolChoice,
  signalsFields,
  structuredOutputFields,
} from './option-fields.ts'
import type { CallOptions, SupervisorOptions } from './options.ts'
import type { PatternCaps, PlanOptions, RouteOptions } from './pattern-options.ts'
import { callingPatterns, type Pattern } from './pattern.ts'
import { readVersions } from './version-selectors.ts'

/** Every option that a definition and a run of it may have. */
export type AnyOptions<Key extends string = string> = SupervisorOptions<Key> &
  PatternCaps &
  RouteOptions<Key> &
  PlanOptions

/**
 * How the journal keeps an option. `json`: as it is; `cap`: as it is, among the caps of the pattern; `function`: by its
 * name alone; `form`: in a form that `settings.ts` makes.
 */
export type Kept = 'json' | 'cap' | 'function' | 'form'

/** A value with functions is not JSON. */
type KindOf<Value> = true extends HasFunction<Value> ? 'function' | 'form' : Kept

type HasFunction<Value> = Value extends string
  ? false
  : Value extends (...args: never) => unknown
    ? true
    : Value extends readonly (infer Item)[]
      ? HasFunction<Item>
      : Value extends object
        ? Extract<Value[keyof Value], (...args: never) => unknown> extends never
          ? false
          : true
        : false

export interface Option extends Field {
  readonly patterns: readonly Pattern[]
  readonly kept: Kept
}

interface Row<Patterns, Way> extends Field {
  readonly patterns: Patterns
  readonly kept: Way
}

const every = [
  'react',
  'supervisor',
  'router',
  'plan-then-execute',
  'fan-out',
  'meta-router',
  'reflexion',
  'debate',
  'dispatch',
] as const satisfies readonly Pattern[]

type Every = (typeof every)[number]

/** An option that a pattern would ignore is refused, so that no caller relies on it. */
function but<const Others extends Pattern>(...others: readonly Others[]): readonly Exclude<Every, Others>[] {
  return every.filter(
    (pattern): pattern is Exclude<Every, Others> => !others.some((other) => other === pattern),
  )
}

/** An agent that another system serves has no model, tools and agents here. */
const alsoRemote = [...every, 'remote'] as const

/** The chart of an adapter has no model and no processors of ours. */
const any = [...alsoRemote, 'custom', 'program'] as const

/** A program calls tools, and no model. */
const withTools = [...alsoRemote, 'program'] as const

/** The other patterns delegate their task and write no answer of their own. */
const speaking = but('dispatch', 'meta-router')
const answering = [...speaking, 'remote'] as const
const delegating = but('react', 'reflexion')
const supervised = ['supervisor', 'router'] as const

function option<const Of extends Pattern, const Way extends Kept, const Value>(
  patterns: readonly Of[],
  kept: Way,
  read: Reader,
  value: Value,
): Row<readonly Of[], Way> & Defaulted<Value>
function option<const Of extends Pattern, const Way extends Kept>(
  patterns: readonly Of[],
  kept: Way,
  read: Reader,
): Row<readonly Of[], Way>
function option(patterns: readonly Pattern[], kept: Kept, read: Reader, value?: unknown): Option {
  return { patterns, kept, read, ...(value === undefined ? {} : { default: value }) }
}

/** For the fields of an option: an option of the agent stands beside it. */
function inside(parent: string): Hint {
  const beside: Hint = (key) =>
    Object.hasOwn(optionTable, key) ? `it stands beside "${parent}", and not in it` : undefined
  return firstOf(otherName, beside, optionElsewhere)
}

const ofShape = anObject(structuredOutputFields, {
  hint: inside('structuredOutput'),
  expected: '{ schema, name? }',
})

/** Reads `structuredOutput`: a schema alone is told of the object around it. */
const readStructuredOutput: Reader = (given, where) => {
  const isSchema = isObject(given) && ['~standard', '_def'].some((name) => name in given)
  if (isSchema) throw new ConfigurationError(`${where} must be { schema }, and this is the schema itself.`)
  return ofShape(given, where)
}

/** A function, or several. */
const functions = either(Array.isArray, listOf(aFunction), aFunction)

export const optionTable = {
  maxSteps: option(speaking, 'json', positiveInteger, 5),
  toolGroups: option(every, 'json', (given, where) => readNames(given, where, true)),
  toolState: option(but('fan-out', 'debate', 'meta-router'), 'json', readState, unsetState),
  onExhausted: option(but('meta-router'), 'json', oneOf('finalTurn', 'stop'), 'finalTurn'),
  keepPartial: option(
    speaking,
    'json',
    either((given) => given === 'thread', oneOf('thread'), aBoolean),
  ),
  stopWhen: option(but('dispatch', 'meta-router', 'plan-then-execute'), 'function', functions),
  structuredOutput: option(answering, 'form', readStructuredOutput),
  toolChoice: option(callingPatterns, 'json', readToolChoice, 'auto'),
  toolCallConcurrency: option(
    [...but('dispatch', 'meta-router', 'router'), 'program'],
    'json',
    positiveInteger,
    10,
  ),
  /** Goals and plan steps are no calls of a reply: their patterns have caps of their own. */
  maxToolCallsPerStep: option(callingPatterns, 'json', positiveInteger, 128),
  retries: option(withTools, 'json', aCount, 3),
  hookErrors: option(withTools, 'json', oneOf('fail', 'ignore'), 'fail'),
  hookTimeout: option(any, 'json', milliseconds, 60_000),
  modelTimeout: option(every, 'json', milliseconds),
  fallbackOn: option(every, 'json', readFallbackOn),
  maxRepeatedCalls: option(
    but('dispatch', 'meta-router', 'plan-then-execute', 'fan-out', 'debate'),
    'json',
    positiveInteger,
  ),
  budget: option(
    any,
    'json',
    anObject(budgetFields, {
      hint: inside('budget'),
      expected: 'an object of limits, such as { tokens: 100_000 }',
    }),
  ),
  memory: option(every, 'form', readMemory),
  compaction: option(every, 'form', readCompaction),
  contextEditing: option(callingPatterns, 'json', anObject(contextEditingFields)),
  inputProcessors: option(alsoRemote, 'form', readProcessors('processInput')),
  outputProcessors: option(answering, 'form', readProcessors('processOutput', 'processOutputStream')),
  maxProcessorRetries: option(speaking, 'json', aCount, 3),
  onStepFinish: option(but('meta-router'), 'function', aFunction),
  onFinish: option(any, 'function', aFunction),
  handoffFilter: option(callingPatterns, 'function', aFunction),

  delegation: option(delegating, 'form', anObject(delegationFields, { hint: inside('delegation') })),
  completion: option(
    supervised,
    'form',
    anObject(completionFields, { hint: inside('completion'), expected: 'an object { scorers, … }' }),
  ),
  onIterationComplete: option(supervised, 'function', aFunction),
  bailStrategy: option(['supervisor'], 'json', oneOf('first', 'last'), 'first'),
  scoreEvery: option(supervised, 'json', oneOf('answer', 'iteration'), 'answer'),
  maxDepth: option(delegating, 'json', positiveInteger, 5),
  backgroundTasks: option(['supervisor'], 'form', readBackgroundTasks),

  maxIterations: option(['router'], 'cap', positiveInteger, 10),
  maxReplans: option(['plan-then-execute'], 'cap', positiveInteger, 2),
  maxPlanSteps: option(['plan-then-execute'], 'cap', positiveInteger, 20),
  reviewSteps: option(['plan-then-execute'], 'json', aBoolean, false),
  approvePlan: option(['plan-then-execute'], 'form', booleanOrFunction),
  maxGoals: option(['fan-out'], 'cap', positiveInteger, 8),
  maxRounds: option(['fan-out'], 'cap', positiveInteger, 3),
  goalTimeout: option(['fan-out'], 'cap', positiveInteger, 120_000),
  maxCritiques: option(['reflexion'], 'cap', positiveInteger, 3),
  rounds: option(['debate'], 'cap', positiveInteger, 1),
  quorum: option(['debate'], 'cap', positiveInteger),
  pattern: option(['meta-router'], 'form', aName),
  taskType: option(['meta-router'], 'form', aName),
  framing: option(['meta-router'], 'form', aText),
  signals: option(['meta-router'], 'form', anObject(signalsFields, { hint: inside('signals') })),
} satisfies { readonly [Name in keyof AnyOptions]: Option & { readonly kept: KindOf<AnyOptions[Name]> } }

export type OptionTable = typeof optionTable

/** The names of the options that a pattern takes. */
export type OptionsOf<Of extends Pattern> = {
  [Name in keyof OptionTable]: Of extends OptionTable[Name]['patterns'][number] ? Name : never
}[keyof OptionTable]

/** The options of a run of programs. */
export type ProgramRunOptions = Pick<AnyOptions, OptionsOf<'program'>>

/** The options that a pattern takes. `Key`: the keys of its agents. */
export type OptionsFor<Of extends Pattern, Key extends string = string> = Pick<AnyOptions<Key>, OptionsOf<Of>>

/** The names of the options that the journal keeps in one way. */
export type KeptAs<Way extends Kept> = {
  [Name in keyof OptionTable]: OptionTable[Name]['kept'] extends Way ? Name : never
}[keyof OptionTable]

function keptAs<Way extends Kept>(way: Way): readonly KeptAs<Way>[] {
  return Object.entries(optionTable).flatMap(([name, { kept }]) =>
    kept === way ? [name as KeptAs<Way>] : [],
  )
}

export const jsonOptions = keptAs('json')
export const capOptions = keptAs('cap')

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

/** Options that only a run takes. */
export const callFields: Fields<CallOptions> = {
  signal: optional(is('an AbortSignal', (given) => given instanceof AbortSignal)),
  runId: optional(aRunId),
  instructions: optional(aText),
  threadId: optional(aName),
  resourceId: optional(aName),
  conversationId: optional(aName),
  promptId: optional(aName),
  restored: optional(aBoolean),
  traceparent: optional(aTraceparent),
  tracestate: optional(aTracestate),
  context: optional((given) => given),
  clientTools: optional(readClientTools),
  versions: optional(readVersions),
  stream: optional(aBoolean),
  onError: optional(aFunction),
}

type Rows = Readonly<Record<string, Field>>

function rowsFor(pattern: Pattern): Rows {
  return Object.fromEntries(
    Object.entries<Option>(optionTable).filter(([, { patterns }]) => patterns.includes(pattern)),
  )
}

function byPattern(rows: (pattern: Pattern) => Rows): Readonly<Record<Pattern, Rows>> {
  return Object.fromEntries(any.map((pattern) => [pattern, rows(pattern)])) as Record<Pattern, Rows>
}

/** The rows of the options that each pattern takes in its definition. */
export const optionsOf = byPattern(rowsFor)

/** The rows of the options that a run of each pattern takes. */
export const callOptionsOf = byPattern((pattern) => ({ ...optionsOf[pattern], ...callFields }))
