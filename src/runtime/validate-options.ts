/** Checks options where they are written: what was wrong, where, and what was expected. */
import { isRecord } from '../actors/json.ts'
import { isSchema } from '../actors/schema.ts'
import { assertId, assertKnown } from '../actors/tool.ts'
import { assertNames, assertState } from '../actors/tool-groups.ts'
import { ConfigurationError } from '../errors.ts'
import { validateBudget } from './validate-budget.ts'
import { validateMemory } from './memory-options.ts'
import type { AgentDefinition } from './definition.ts'
import type { Pattern } from './pattern.ts'
import { capNames, patternOptions, refusedOptions, type PatternCaps } from './pattern-options.ts'
import type { CallOptions, PlannerOptions, SupervisorOptions } from './options.ts'
import { assertOnError } from './report.ts'
import { selectorsOf } from './versions.ts'

/** What may be given for one run only. */
export const callNames = [
  'signal',
  'instructions',
  'threadId',
  'resourceId',
  'conversationId',
  'context',
  'versions',
  'stream',
  'onError',
] as const satisfies readonly (keyof CallOptions)[]

const known = {
  agent: [
    'maxSteps',
    'structuredOutput',
    'toolGroups',
    'toolState',
    'memory',
    'stopWhen',
    'toolCallConcurrency',
    'retries',
    'onExhausted',
    'hookErrors',
    'hookTimeout',
    'modelTimeout',
    'maxRepeatedCalls',
    'budget',
    'inputProcessors',
    'outputProcessors',
    'maxProcessorRetries',
    'onStepFinish',
    'onFinish',
  ],
  delegation: [
    'onDelegationStart',
    'onDelegationComplete',
    'messageFilter',
    'includeConversationHistory',
    'filterInternalMessages',
    'maxMessages',
    'includeSubAgentToolResultsInModelContext',
    'timeout',
  ],
  completion: ['scorers', 'strategy', 'continueOnFail', 'feedbackToLLM', 'timeout', 'parallel', 'onComplete'],
} as const

/** Throws a `ConfigurationError` for an unknown option, a cap that is no positive integer, or a wrong choice. */
export function validateOptions(
  options: object,
  where: string,
  pattern: Pattern,
  more: readonly string[],
): void {
  const refused = refusedOptions[pattern] ?? []
  const taken = known.agent.filter((name) => !refused.includes(name))
  checkNames(options, where, [...taken, ...patternOptions[pattern], ...more])
  const given = options as SupervisorOptions
  for (const cap of ['maxSteps', 'maxDepth', 'toolCallConcurrency', 'maxRepeatedCalls'] as const)
    positive(given[cap], `${where}: ${cap}`)
  for (const cap of capNames) positive((options as PatternCaps)[cap], `${where}: ${cap}`)
  for (const count of ['retries', 'maxProcessorRetries'] as const) {
    notNegative(given[count], `${where}: ${count}`)
  }
  oneOf(given.onExhausted, ['finalTurn', 'stop'], `${where}: onExhausted`)
  oneOf(given.hookErrors, ['fail', 'ignore'], `${where}: hookErrors`)
  for (const name of ['hookTimeout', 'modelTimeout'] as const) milliseconds(given[name], `${where}: ${name}`)
  oneOf(given.bailStrategy, ['first', 'last'], `${where}: bailStrategy`)
  oneOf(given.scoreEvery, ['answer', 'iteration'], `${where}: scoreEvery`)
  for (const name of ['onStepFinish', 'onFinish', 'onIterationComplete'] as const)
    aFunction(given[name], `${where}: ${name}`)
  for (const condition of [given.stopWhen ?? []].flat()) aFunction(condition, `${where}: stopWhen`)
  if (given.structuredOutput !== undefined && !isSchema(given.structuredOutput.schema)) {
    throw new ConfigurationError(
      `${where}: structuredOutput.schema must be a zod schema or another Standard Schema.`,
    )
  }
  if (given.toolGroups !== undefined) assertNames(given.toolGroups, `${where}: toolGroups`, true)
  if (given.toolState !== undefined) assertState(given.toolState, `${where}: toolState`)
  aBoolean((options as PlannerOptions).reviewSteps, `${where}: reviewSteps`)
  validateMemory(given.memory, `${where}: memory`)
  checkProcessors(given.inputProcessors, ['processInput'], `${where}: inputProcessors`)
  checkProcessors(
    given.outputProcessors,
    ['processOutput', 'processOutputStream'],
    `${where}: outputProcessors`,
  )
  if (given.budget !== undefined) validateBudget(given.budget, `${where}: budget`)
  validateBackground(given.backgroundTasks, `${where}: backgroundTasks`)
  if (given.delegation !== undefined) validateDelegation(given.delegation, `${where}: delegation`)
  if (given.completion !== undefined) validateCompletion(given.completion, `${where}: completion`)
}

/** Throws a `ConfigurationError` for a wrong value among what is given for one run only. */
export function validateCall(
  {
    signal,
    instructions,
    threadId,
    resourceId,
    conversationId,
    versions,
    stream,
    onError,
  }: Partial<CallOptions>,
  where: string,
): void {
  assertOnError(onError, where)
  if (instructions !== undefined && typeof instructions !== 'string') {
    throw new ConfigurationError(`${where}: instructions must be a text.`)
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ConfigurationError(`${where}: signal must be an AbortSignal.`)
  }
  for (const [name, id] of Object.entries({ threadId, resourceId, conversationId })) {
    if (id !== undefined && (typeof id !== 'string' || id === '')) {
      throw new ConfigurationError(`${where}: ${name} must be a text that is not empty.`)
    }
  }
  selectorsOf(versions, `${where}: versions`)
  aBoolean(stream, `${where}: stream`)
}

function validateDelegation(options: NonNullable<SupervisorOptions['delegation']>, where: string): void {
  checkNames(options, where, known.delegation)
  positive(options.maxMessages, `${where}.maxMessages`)
  milliseconds(options.timeout, `${where}.timeout`)
  aBoolean(options.includeConversationHistory, `${where}.includeConversationHistory`)
  aBoolean(
    options.includeSubAgentToolResultsInModelContext,
    `${where}.includeSubAgentToolResultsInModelContext`,
  )
  aBoolean(options.filterInternalMessages, `${where}.filterInternalMessages`)
  for (const name of ['onDelegationStart', 'onDelegationComplete', 'messageFilter'] as const) {
    aFunction(options[name], `${where}.${name}`)
  }
}

function validateBackground(tasks: SupervisorOptions['backgroundTasks'], where: string): void {
  if (tasks === undefined) return
  if (!isRecord(tasks)) throw new ConfigurationError(`${where} must be an object by the keys of agents.`)
  for (const [key, task] of Object.entries(tasks)) {
    if (task === undefined) continue
    checkNames(task, `${where}.${key}`, ['enabled', 'timeoutMs', 'concurrency'])
    aBoolean(task.enabled, `${where}.${key}.enabled`)
    milliseconds(task.timeoutMs, `${where}.${key}.timeoutMs`)
    positive(task.concurrency, `${where}.${key}.concurrency`)
  }
}

/** Throws a `ConfigurationError` for a background task of an agent that the supervisor does not have. */
export function assertBackground(
  tasks: SupervisorOptions['backgroundTasks'],
  agents: Readonly<Record<string, unknown>>,
  where: string,
): void {
  for (const key of Object.keys(tasks ?? {})) {
    if (Object.hasOwn(agents, key)) continue
    throw new ConfigurationError(
      `${where}: backgroundTasks names "${key}", which is no key of agents. It has: ${Object.keys(agents).join(', ') || 'none'}.`,
    )
  }
}

/** Throws a `ConfigurationError` when there is nothing to choose from, unless each run may bring something. */
export function assertPrimitives({ toolset, dynamic }: AgentDefinition, where: string): void {
  const mayBringSome = dynamic.some((part) => part === 'agents' || part === 'tools' || part === 'workflows')
  if (mayBringSome || toolset.descriptions.length > 0) return
  throw new ConfigurationError(
    `${where}: expected at least one of agents, workflows and tools to choose from.`,
  )
}

function validateCompletion(options: NonNullable<SupervisorOptions['completion']>, where: string): void {
  checkNames(options, where, known.completion)
  if (!Array.isArray(options.scorers) || options.scorers.length === 0) {
    throw new ConfigurationError(
      `${where}.scorers must hold at least one scorer; make them with createScorer().`,
    )
  }
  const ids = new Set<string>()
  for (const scorer of options.scorers as readonly Partial<(typeof options.scorers)[number]>[]) {
    if (typeof scorer?.score !== 'function' || typeof scorer.id !== 'string') {
      throw new ConfigurationError(`${where}.scorers: every scorer must come from createScorer().`)
    }
    if (ids.has(scorer.id))
      throw new ConfigurationError(`${where}.scorers: the id "${scorer.id}" stands twice.`)
    ids.add(scorer.id)
  }
  oneOf(options.strategy, ['all', 'any'], `${where}.strategy`)
  milliseconds(options.timeout, `${where}.timeout`)
  aFunction(options.onComplete, `${where}.onComplete`)
  for (const name of ['parallel', 'continueOnFail', 'feedbackToLLM'] as const) {
    aBoolean(options[name], `${where}.${name}`)
  }
}

/** Each with an id of its own, and at least one of `functions`. */
function checkProcessors(given: unknown, functions: readonly string[], where: string): void {
  if (given === undefined) return
  if (!Array.isArray(given)) throw new ConfigurationError(`${where} must be a list of processors.`)
  const ids = new Set<unknown>()
  for (const processor of given as readonly unknown[]) {
    if (!isRecord(processor)) throw new ConfigurationError(`${where}: every processor must be an object.`)
    const { id } = processor
    assertId(id, where)
    if (ids.has(id)) throw new ConfigurationError(`${where}: the id "${id}" stands twice.`)
    ids.add(id)
    for (const name of functions) aFunction(processor[name], `${where}: ${name} of "${id}"`)
    if (functions.every((name) => processor[name] === undefined)) {
      throw new ConfigurationError(`${where}: the processor "${id}" needs ${functions.join(' or ')}.`)
    }
  }
}

function checkNames(options: object, where: string, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError(`${where}: expected an object of options.`)
  }
  assertKnown(options, where, names)
}

function positive(value: unknown, what: string): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) > 0)) {
    throw new ConfigurationError(`${what} must be a positive integer, not ${shown(value)}.`)
  }
}

function notNegative(value: unknown, what: string): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 0)) {
    throw new ConfigurationError(`${what} must be 0 or a positive integer, not ${shown(value)}.`)
  }
}

function milliseconds(value: unknown, what: string): void {
  if (value !== undefined && !(typeof value === 'number' && Number.isFinite(value) && value > 0)) {
    throw new ConfigurationError(`${what} must be a positive number of milliseconds, not ${shown(value)}.`)
  }
}

function aFunction(value: unknown, what: string): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new ConfigurationError(`${what} must be a function, not ${typeof value}.`)
  }
}

function aBoolean(value: unknown, what: string): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new ConfigurationError(`${what} must be true or false, not ${JSON.stringify(value)}.`)
  }
}

function oneOf(value: unknown, choices: readonly string[], what: string): void {
  if (value !== undefined && !choices.includes(value as string)) {
    throw new ConfigurationError(
      `${what} must be ${choices.map((c) => `'${c}'`).join(' or ')}, not ${JSON.stringify(value)}.`,
    )
  }
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
