/** The fields of options whose values are objects. */
import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  aShare,
  aText,
  anything,
  either,
  is,
  listOf,
  milliseconds,
  notNegative,
  oneOf,
  positive,
  positiveInteger,
  recordOf,
  aSchema,
} from '../../actors/strict/checks.ts'
import { fallbackWords } from '../../actors/models/fallbacks.ts'
import { expectedModel } from '../../actors/strict/foreign.ts'
import { anyHint, otherName } from '../../actors/strict/hints.ts'
import { assertId } from '../../actors/strict/ids.ts'
import type { ModelPrice } from '../../actors/pricing.ts'
import type { Scorer } from '../../actors/scorer.ts'
import {
  anObject,
  isObject,
  optional,
  required,
  withDefault,
  wrong,
  type Field,
  type Fields,
  type Reader,
} from '../../actors/strict/read-options.ts'
import type { RequestSignals } from '../../actors/task-types.ts'
import { ConfigurationError } from '../../errors.ts'
import type { BudgetOptions } from './budget-options.ts'
import type { InputProcessor, OutputProcessor } from '../../actors/processor.ts'
import type {
  BackgroundTask,
  CompactionOptions,
  CompletionOptions,
  ContextEditingOptions,
  DelegationOptions,
  MemoryOptions,
  StructuredOutput,
} from './options.ts'

const toolChoices = ['auto', 'none', 'required']

const aHook: Field = { read: aFunction, isFunction: true }

/** `ToolChoice`: one of the names, or an object that names a tool. */
export const readToolChoice: Reader = either(
  isObject,
  anObject({ tool: required(aName) }, { hint: () => 'the choice of one tool is { tool: name }' }),
  is("'auto', 'none', 'required' or { tool }", (given) => toolChoices.some((choice) => choice === given)),
)

/** Whether a person must approve: a function decides for each case. */
export const booleanOrFunction: Reader = is(
  'true, false or a function',
  (given) => typeof given === 'function' || typeof given === 'boolean',
)

export const delegationFields = {
  onDelegationStart: aHook,
  onDelegationComplete: aHook,
  messageFilter: aHook,
  requireApproval: optional(booleanOrFunction),
  approvalTimeout: optional(milliseconds),
  includeConversationHistory: withDefault(aBoolean, true),
  filterInternalMessages: withDefault(aBoolean, true),
  maxMessages: withDefault(positiveInteger, 20),
  includeSubAgentToolResultsInModelContext: withDefault(aBoolean, false),
  timeout: optional(milliseconds),
} satisfies Fields<DelegationOptions>

export const completionFields = {
  scorers: required(readScorers),
  strategy: withDefault(oneOf('all', 'any'), 'all'),
  continueOnFail: withDefault(aBoolean, true),
  feedbackToLLM: withDefault(aBoolean, true),
  timeout: withDefault(milliseconds, 30_000),
  parallel: withDefault(aBoolean, true),
  onComplete: aHook,
} satisfies Fields<CompletionOptions>

/** Reads `backgroundTasks`: others have the agents one level deeper. */
export const readBackgroundTasks: Reader = (given, where) => {
  const { tools } = (isObject(given) ? given : {}) as { readonly tools?: unknown }
  if (isObject(tools) && Object.values(tools).some(isObject)) {
    throw new ConfigurationError(
      `${where} has agents by their keys, and not within "tools": { ${Object.keys(tools).join(', ')} }.`,
    )
  }
  return tasksByKey(given, where)
}

const tasksByKey = recordOf(
  (given, where) => anObject(backgroundFields, { hint: otherName })(given, where),
  'an object by the keys of agents',
)

export const backgroundFields = {
  enabled: withDefault(aBoolean, true),
  timeoutMs: optional(milliseconds),
  concurrency: withDefault(positiveInteger, 10),
} satisfies Fields<BackgroundTask>

export const structuredOutputFields = {
  schema: required(aSchema),
  name: withDefault(aName, 'answer'),
} satisfies Fields<StructuredOutput>

export const memoryFields = {
  lastMessages: withDefault(aCount, 20),
  workingMemory: withDefault(
    orBoolean(anObject({ template: optional(aName) }, { expected: 'true, false or { template }' })),
    false,
  ),
} satisfies Fields<MemoryOptions>

const readMemoryOptions = orBoolean(
  anObject(memoryFields, { expected: 'true, false or an object of options', hint: anyHint }),
)

/** Keys of a run that other libraries have within `memory`. */
const idsBesideMemory = {
  thread: 'threadId',
  threadId: 'threadId',
  resource: 'resourceId',
  resourceId: 'resourceId',
}

export const readMemory: Reader = (given, where) => {
  for (const [key, id] of Object.entries(idsBesideMemory)) {
    if (!isObject(given) || !Object.hasOwn(given, key)) continue
    throw new ConfigurationError(
      `${where}: there is no option "${key}"; ${id} is an option of a run, beside memory: { memory: true, ${id}: … }.`,
    )
  }
  if (isObject(given) && typeof Reflect.get(given, 'append') === 'function')
    throw new ConfigurationError(
      `${where}: a store belongs in createTroupe({ agents, store }). An agent has memory: true, or options such as { lastMessages: 20 }.`,
    )
  return readMemoryOptions(given, where)
}

const aChatModel: Reader = (given, where) => {
  const isModel =
    isObject(given) &&
    typeof Reflect.get(given, 'generate') === 'function' &&
    ['provider', 'modelId'].every((name) => typeof Reflect.get(given, name) === 'string')
  if (isModel) return given
  throw new ConfigurationError(`${where} must be ${expectedModel(given)}.`)
}

const aFallbackRule = is(
  `${fallbackWords.map((word) => `'${word}'`).join(', ')} or the code of an error, such as 'RATE_LIMITED'`,
  (given) =>
    typeof given === 'string' &&
    (fallbackWords.some((word) => word === given) || /^[A-Z][A-Za-z0-9_]{0,127}$/.test(given)),
)

export const readFallbackOn = listOf(aFallbackRule, 'a list of rules')

export const compactionFields = {
  window: required(positiveInteger),
  at: withDefault(
    is('a number above 0, and at most 1', (given) => typeof given === 'number' && given > 0 && given <= 1),
    0.8,
  ),
  model: optional(aChatModel),
  summarize: aHook,
} satisfies Fields<CompactionOptions>

export const contextEditingFields = {
  above: required(positiveInteger),
  keep: withDefault(positiveInteger, 3),
  clear: withDefault(listOf(oneOf('results', 'thoughts', 'files')), ['results'] as const),
  except: optional(listOf(aName, 'a list of names')),
  atLeast: optional(aCount),
} satisfies Fields<ContextEditingOptions>

export const readCompaction: Reader = (given, where) => {
  const read = anObject<CompactionOptions>(compactionFields, { hint: anyHint })(given, where)
  if (read.model === undefined || read.summarize === undefined) return read
  throw new ConfigurationError(`${where}: the summaries are written by model or by summarize, not by both.`)
}

const aCurrency = is('the name of a currency, of 1 to 16 letters and signs', (given) =>
  typeof given === 'string' ? /^[\p{L}\p{Sc}.]{1,16}$/u.test(given) : false,
)

const priceFields: Fields<ModelPrice> = {
  input: required(notNegative),
  output: required(notNegative),
  cachedInput: optional(notNegative),
  cacheWrite: optional(notNegative),
}

/** Prices by the model. */
export const priceTable = recordOf(anObject(priceFields), 'an object of prices by model id')

export const budgetFields = {
  tokens: optional(positiveInteger),
  cost: optional(positive),
  wallClock: optional(milliseconds),
  modelCalls: optional(positiveInteger),
  warnAt: withDefault(aShare, 0.8),
  onUnknownUsage: withDefault(oneOf('exhaust', 'estimate', 'ignore'), 'exhaust'),
  prices: optional(priceTable),
  currency: optional(aCurrency),
} satisfies Fields<BudgetOptions>

export const signalsFields: Fields<RequestSignals> = {
  complexity: optional(aText),
  urgency: optional(aText),
  scope: optional(aText),
}

/* @__NO_SIDE_EFFECTS__ */
function orBoolean(read: Reader): Reader {
  return either((given) => typeof given === 'boolean', aBoolean, read)
}

function readScorers(given: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new ConfigurationError(`${where} must hold at least one scorer; make them with createScorer().`)
  }
  const scorers = listOf((one) => {
    const { score, id } = (one ?? {}) as Partial<Scorer>
    if (typeof score === 'function' && typeof id === 'string') return one
    throw new ConfigurationError(`${where}: every scorer must come from createScorer().`)
  })(given, where)
  assertDistinct(scorers as readonly Scorer[], where)
  return scorers
}

const processorFields: Fields<InputProcessor & OutputProcessor> = {
  id: required(anything),
  processInput: aHook,
  processOutput: aHook,
  processOutputStream: aHook,
}

/** Gives processors as they are: they may be of a class. One may be in both lists: here it needs one of `functions`. */
export function readProcessors(...functions: readonly (keyof typeof processorFields)[]): Reader {
  const readOne: Reader = (given, where) => {
    if (!isObject(given)) throw wrong(given, where, 'a processor')
    const { id, ...rest } = anObject(processorFields)(given, where)
    assertId(id, where)
    if (functions.some((name) => name in rest)) return given
    throw new ConfigurationError(`${where}: the processor "${id}" needs ${functions.join(' or ')}.`)
  }
  return (given, where) => {
    const processors = listOf(readOne, 'a list of processors')(given, where)
    assertDistinct(processors as readonly { readonly id: string }[], where)
    return processors
  }
}

function assertDistinct(given: readonly { readonly id: string }[], where: string): void {
  const ids = new Set<string>()
  for (const { id } of given) {
    if (ids.has(id)) throw new ConfigurationError(`${where}: the id "${id}" stands twice.`)
    ids.add(id)
  }
}
