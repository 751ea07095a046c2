/** The candidates and the decisions of a meta-router, as pure functions. */
import { z } from 'zod'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { unknownKeyText } from '../../actors/strict/known-keys.ts'
import { once } from '../../actors/values/once.ts'
import {
  anyPattern,
  assertKeyIsName,
  defaultPattern,
  generalType,
  initialPatterns,
  patternKind,
  readPattern,
  readTaskType,
  taskTypeKind,
  unknownPatterns,
  type CheckedPattern,
  type PatternSettings,
  type RouteProfile,
  type CheckedTaskType,
} from '../../actors/task-types.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'
import type { DecisionRecord } from '../contract/records.ts'
import { parseDecision } from '../decision/parse-decision.ts'
import type { Question } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'

export interface RouteWork {
  readonly taskTypes: readonly CheckedTaskType[]
  readonly patterns: readonly CheckedPattern[]
  readonly type: CheckedTaskType | undefined
  readonly pattern: string | undefined
  readonly decisions: readonly DecisionRecord[]
  /** The parts of the configuration that could not be used, in sentences. */
  readonly ignored: readonly string[]
}

type Change = { readonly work: RouteWork }

export type RouteContext = LoopContext<RouteWork>

export function firstWork(route: RouteProfile | undefined): RouteWork {
  return {
    taskTypes: route?.taskTypes ?? [],
    patterns: route?.patterns ?? [],
    type: undefined,
    pattern: undefined,
    decisions: [],
    ignored: [],
  }
}

/**
 * Items of the store replace built-in items of the same name. An invalid item is left out, and listed in `ignored`.
 */
export function recordConfig(context: RouteContext, { items }: EffectOutcome<'config'>): Change {
  const work = context.work
  const ignored: string[] = []
  const ofKind = <Item extends { readonly name: string }>(
    kind: string,
    read: (given: unknown, where: string) => Item,
    builtIn: readonly Item[],
  ): Item[] => {
    const byName = new Map(builtIn.map((item) => [item.name, item]))
    for (const { key, value } of items.filter((item) => item.kind === kind)) {
      try {
        const item = read(value, `${kind} "${key}"`)
        assertKeyIsName(key, item, `${kind} "${key}"`)
        byName.set(item.name, item)
      } catch (error) {
        ignored.push(toErrorData(error).message)
      }
    }
    return [...byName.values()]
  }
  const patterns = ofKind(patternKind, readPattern, work.patterns)
  const taskTypes = ofKind(taskTypeKind, readTaskType, work.taskTypes)
  return { work: { ...work, taskTypes, patterns, ignored: [...ignored, ...unknownOfConfiguredTypes()] } }

  /** The unknown patterns of configured types. Built-in types may name patterns that have no agent here. */
  function unknownOfConfiguredTypes(): string[] {
    const { subagents } = context.input.profile.toolset
    const names = [...initialPatterns, ...patterns].map(({ name }) => name)
    const known = [...new Set([...subagents.keys(), ...names])]
    return taskTypes
      .filter((type) => !work.taskTypes.includes(type))
      .flatMap((type) =>
        unknownPatterns(type, known).map((text) => `${taskTypeKind} "${type.name}": ${text}`),
      )
  }
}

// --- the task type --------------------------------------------------------------------------------------------------

const typeSchema = once(() => z.object({ taskType: z.string(), rationale: z.string() }))

/** The types that may be chosen: those with a pattern that has an agent. */
export function possibleTypes(context: RouteContext): readonly CheckedTaskType[] {
  return context.work.taskTypes.filter((type) => validPatterns(context, type).length > 0)
}

export function typeQuestion(context: RouteContext): Question {
  const names = possibleTypes(context).map(({ name }) => name)
  const list = possibleTypes(context)
    .map(({ name, description, when_to_use }) => `- ${name}: ${description}. ${when_to_use}`)
    .join('\n')
  return {
    subject: 'task type',
    prompt: `Which type of task is this? The types are:\n${list}\nAnswer as JSON: { "taskType": one of the names, "rationale": why }.`,
    responseFormat: { name: 'task_type', schema: toJsonSchema(typeSchema(), 'task type') },
    check: (text) =>
      parseDecision(text, typeSchema(), ({ taskType }) =>
        names.includes(taskType) ? undefined : notOnOffer(taskType, names),
      ),
  }
}

export function recordType(context: RouteContext, value: unknown): Change {
  const { taskType, rationale } = value as z.output<ReturnType<typeof typeSchema>>
  return withType(context, taskType, { criterion: 'model', rationale })
}

/** The configured type that the request names. */
export function namedType({ input, work }: RouteContext): CheckedTaskType | undefined {
  return work.taskTypes.find(({ name }) => name === input.profile.route?.taskType)
}

export function recordNamedType(context: RouteContext): Change {
  return withType(context, namedType(context)?.name ?? generalType, { criterion: 'named by the request' })
}

export function unknownType({ input, work }: RouteContext): ErrorData {
  const name = input.profile.route?.taskType ?? ''
  const known = work.taskTypes.map((type) => type.name)
  return {
    name: 'ConfigurationError',
    code: 'UNKNOWN_TASK_TYPE',
    message: `The request names a task type that is not configured: ${unknownKeyText(name, known, 'task type')}`,
  }
}

/** Records the only type. */
export function recordOnlyType(context: RouteContext): Change {
  return withType(context, possibleTypes(context)[0]?.name ?? generalType, { criterion: 'only candidate' })
}

export function recordTypeFallback(context: RouteContext, why: string): Change {
  return withType(context, generalType, { criterion: 'fallback', fallback: why })
}

function withType(
  context: RouteContext,
  name: string,
  made: Pick<DecisionRecord, 'criterion' | 'rationale' | 'fallback'>,
): Change {
  const work = context.work
  const type = work.taskTypes.find((candidate) => candidate.name === name)
  const record: DecisionRecord = {
    subject: 'task-type',
    candidates: possibleTypes(context).map((candidate) => candidate.name),
    choice: name,
    ...made,
    ...(work.ignored.length === 0 ? {} : { ignored: work.ignored }),
  }
  return { work: { ...work, type, decisions: [...work.decisions, record] } }
}

// --- the pattern ----------------------------------------------------------------------------------------------------

const patternSchema = once(() => z.object({ pattern: z.string(), rationale: z.string() }))

/** Of the patterns that are valid for a type, those for which there is an agent. */
function validPatterns(context: RouteContext, { valid_patterns }: CheckedTaskType): readonly string[] {
  const { subagents } = context.input.profile.toolset
  const configured = context.work.patterns.map(({ name }) => name)
  const valid = valid_patterns.flatMap((name) => (name === anyPattern ? configured : [name]))
  return [...new Set(valid)].filter((name) => subagents.has(name))
}

/** The candidates for the chosen type; without any, the default pattern, else the first agent. */
export function candidates(context: RouteContext): readonly string[] {
  const { type } = context.work
  const valid = type === undefined ? [] : validPatterns(context, type)
  if (valid.length > 0) return valid
  const { subagents } = context.input.profile.toolset
  return subagents.has(defaultPattern) ? [defaultPattern] : [...subagents.keys()].slice(0, 1)
}

export function patternQuestion(context: RouteContext): Question {
  const names = candidates(context)
  const { patterns, type } = context.work
  const list = names
    .map((name) => {
      const item = patterns.find((pattern) => pattern.name === name)
      return item === undefined ? `- ${name}` : `- ${name}: ${item.description}. ${item.when_to_use}`
    })
    .join('\n')
  const signals = signalsText(context.input.profile.route)
  return {
    subject: 'pattern',
    prompt:
      `This is a task of the type "${type?.name}". How is it to be done? The patterns are:\n${list}\n` +
      (signals === '' ? '' : `About the request: ${signals}.\n`) +
      `Answer as JSON: { "pattern": one of the names, "rationale": why }.`,
    responseFormat: { name: 'pattern', schema: toJsonSchema(patternSchema(), 'pattern') },
    check: (text) =>
      parseDecision(text, patternSchema(), ({ pattern }) =>
        names.includes(pattern) ? undefined : notOnOffer(pattern, names),
      ),
  }
}

export function recordPattern(context: RouteContext, value: unknown): Change {
  const { pattern, rationale } = value as z.output<ReturnType<typeof patternSchema>>
  return withPattern(context, pattern, { criterion: 'model', rationale })
}

export function recordOnlyPattern(context: RouteContext): Change {
  return withPattern(context, candidates(context)[0] ?? defaultPattern, { criterion: 'only candidate' })
}

/** Records `react` if it is valid, else the first valid pattern. */
export function recordPatternFallback(context: RouteContext, why: string): Change {
  const names = candidates(context)
  const choice = names.includes(defaultPattern) ? defaultPattern : (names[0] ?? defaultPattern)
  return withPattern(context, choice, { criterion: 'fallback', fallback: why })
}

/** Records the pattern that a request names: any pattern that has an agent. */
export function recordNamedPattern(context: RouteContext): Change {
  const { route, toolset } = context.input.profile
  return withPattern(context, route?.pattern ?? defaultPattern, {
    candidates: [...toolset.subagents.keys()],
    criterion: 'named by the request',
  })
}

/** Records the first candidate: a continued conversation is answered without a choice. */
export function recordConversation(context: RouteContext): Change {
  return withPattern(context, candidates(context)[0] ?? defaultPattern, {
    criterion: 'goes on with a conversation',
  })
}

function withPattern(
  context: RouteContext,
  pattern: string,
  made: Omit<DecisionRecord, 'subject' | 'candidates' | 'choice'> &
    Partial<Pick<DecisionRecord, 'candidates'>>,
): Change {
  const work = context.work
  const record: DecisionRecord = {
    subject: 'pattern',
    candidates: candidates(context),
    choice: pattern,
    ...made,
  }
  return { work: { ...work, pattern, decisions: [...work.decisions, record] } }
}

/** The settings of the pattern: of its item in the configuration. */
export function settingsOf({ work }: RouteContext): PatternSettings | undefined {
  return work.patterns.find(({ name }) => name === work.pattern)?.settings
}

/** The framing for all agents below: that of a meta-router above first, then of the type and of the request. */
export function framingOf(context: RouteContext): string | undefined {
  const { type } = context.work
  const { opening, profile } = context.input
  const signals = signalsText(profile.route)
  const parts = [
    opening.framing ?? '',
    type?.framing_prompt ?? '',
    profile.route?.framing ?? '',
    type?.termination_criteria ? `The task is done when this holds: ${type.termination_criteria}` : '',
    signals === '' ? '' : `About the request: ${signals}.`,
  ].filter((part) => part.trim() !== '')
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

// --- both -----------------------------------------------------------------------------------------------------------

function signalsText({ signals = {} }: Partial<RouteProfile> = {}): string {
  return Object.entries(signals)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('; ')
}

function notOnOffer(name: string, names: readonly string[]): string {
  return `"${name}" is none of ${names.map((known) => `"${known}"`).join(', ')}`
}
