/**
 * Task types and patterns: the options among which a meta-router chooses. They are configuration, of the kinds
 * `agent-task-type` and `agent-pattern`; the initial set is that of the TrustGraph specification.
 */
import { ConfigurationError } from '../errors.ts'
import { aName, aText, listOf, positiveInteger } from './strict/checks.ts'
import { unknownKeyText } from './strict/known-keys.ts'
import {
  anObject,
  defaultsOf,
  optional,
  required,
  withDefault,
  wrong,
  type Fields,
} from './strict/read-options.ts'

export const taskTypeKind = 'agent-task-type'
export const patternKind = 'agent-pattern'

/** Among the valid patterns of a type: every configured pattern, those of users too. */
export const anyPattern = '*'

const asItem = { word: 'field' } as const

/** An item of the kind `agent-task-type`, as it is written. */
export interface TaskType {
  readonly name: string
  /** The kind of the task: shown to the model that chooses. */
  readonly description: string
  /** The approach of a domain expert: reaches the context of every descendant. Default: `''`. */
  readonly framing_prompt?: string
  /** As `framing_prompt`: give one of them. Default: none. */
  readonly framing?: string
  /** Names of patterns, the best first. At least one; `*` means all that are configured. */
  readonly valid_patterns: readonly string[]
  /** Shown after the description. Default: `''`. */
  readonly when_to_use?: string
  /**
   * When a task of this type is done: reported in `pattern-selected`, and shown to every agent that works on it; it is
   * not enforced. Default: none.
   */
  readonly termination_criteria?: string
}

export type CheckedTaskType = Omit<TaskType, 'framing'> &
  Required<Pick<TaskType, 'framing_prompt' | 'when_to_use'>>

const taskTypeFields = {
  name: required(aName),
  description: required(aText),
  framing_prompt: withDefault(aText, ''),
  framing: optional(aText),
  valid_patterns: required(readPatternNames),
  when_to_use: withDefault(aText, ''),
  termination_criteria: optional(aText),
} satisfies Fields<TaskType>

/** Throws a `ConfigurationError`. */
export function readTaskType(given: unknown, where: string): CheckedTaskType {
  const { framing, ...type } = anObject<TaskType>(taskTypeFields, asItem)(given, where)
  const { framing_prompt = framing } = type
  if (framing !== undefined && framing !== framing_prompt) {
    throw new ConfigurationError(
      `${where}: framing is another name of framing_prompt; both are given, and they differ.`,
    )
  }
  return {
    ...defaultsOf(taskTypeFields),
    ...type,
    ...(framing_prompt === undefined ? {} : { framing_prompt }),
  }
}

function readPatternNames(given: unknown, where: string): readonly unknown[] {
  const names = listOf(aName, 'a list of names of patterns')(given, where)
  if (names.length > 0) return names
  throw wrong(given, where, 'a list of at least one name of a pattern')
}

/** Throws a `ConfigurationError` for an item that is kept under another key than its name. */
export function assertKeyIsName(key: string, { name }: { readonly name: string }, where: string): void {
  if (name === key) return
  throw new ConfigurationError(`${where}: its name is "${name}"; key and name must be the same.`)
}

/** One sentence for each pattern that a type names and that is not known. */
export function unknownPatterns({ valid_patterns }: CheckedTaskType, known: readonly string[]): string[] {
  return valid_patterns
    .filter((name) => name !== anyPattern && !known.includes(name))
    .map((name) => unknownKeyText(name, known, 'pattern'))
}

/** An item of the kind `agent-pattern`, as it is written: the description of a pattern for the model. */
export interface PatternItem {
  /** The key of the agent that follows the pattern. */
  readonly name: string
  /** How a task is done by it: shown to the model that chooses. */
  readonly description: string
  /** Shown after the description. Default: `''`. */
  readonly when_to_use?: string
  /** The caps with which its agent does the task, in place of the agent's own. Default: none. */
  readonly settings?: PatternSettings
}

/**
 * Caps of an agent, by the names of its options: positive integers. One that is not an option of the agent is
 * refused where the agent is known, and otherwise has no effect.
 */
export interface PatternSettings {
  readonly maxSteps?: number
  readonly maxIterations?: number
  readonly maxReplans?: number
  readonly maxPlanSteps?: number
  readonly maxGoals?: number
  readonly maxRounds?: number
  /** Milliseconds. */
  readonly goalTimeout?: number
  readonly maxCritiques?: number
  readonly rounds?: number
  readonly quorum?: number
}

export type CheckedPattern = Omit<PatternItem, 'when_to_use'> & Required<Pick<PatternItem, 'when_to_use'>>

const cap = optional(positiveInteger)

const settingsFields: Fields<PatternSettings> = {
  maxSteps: cap,
  maxIterations: cap,
  maxReplans: cap,
  maxPlanSteps: cap,
  maxGoals: cap,
  maxRounds: cap,
  goalTimeout: cap,
  maxCritiques: cap,
  rounds: cap,
  quorum: cap,
}

const patternFields = {
  name: required(aName),
  description: required(aText),
  when_to_use: withDefault(aText, ''),
  settings: optional(anObject(settingsFields)),
} satisfies Fields<PatternItem>

/** Throws a `ConfigurationError`. */
export function readPattern(given: unknown, where: string): CheckedPattern {
  return { ...defaultsOf(patternFields), ...anObject<PatternItem>(patternFields, asItem)(given, where) }
}

export const initialPatterns: readonly CheckedPattern[] = [
  {
    name: 'react',
    description: 'ReACT: interleaved reasoning and acting',
    when_to_use: 'Adaptive, good for open-ended tasks',
  },
  {
    name: 'plan-then-execute',
    description: 'A structured plan, followed by the execution of its steps',
    when_to_use: 'Predictable tasks whose steps can be named beforehand',
  },
  {
    name: 'supervisor',
    description: 'Decomposition into independent goals, fan-out to subagents, synthesis',
    when_to_use: 'Tasks with several independent dimensions',
  },
]

export const initialTaskTypes: readonly CheckedTaskType[] = [
  {
    name: 'general',
    description: 'No specific domain',
    framing_prompt: '',
    valid_patterns: [anyPattern],
    when_to_use: 'Whatever no other type fits',
  },
  {
    name: 'research',
    description: 'Open-ended investigation',
    framing_prompt: '',
    valid_patterns: ['react', 'plan-then-execute'],
    when_to_use: 'Questions that need to be looked into',
  },
  {
    name: 'risk-assessment',
    description: 'Due Diligence / Risk Assessment',
    framing_prompt:
      'Analyse across financial, reputational, legal and operational dimensions using structured analytic techniques.',
    valid_patterns: ['supervisor', 'plan-then-execute', 'react'],
    when_to_use: 'Multi-dimensional analysis requiring structured assessment',
  },
  {
    name: 'summarisation',
    description: 'Condense information',
    framing_prompt: '',
    valid_patterns: ['react'],
    when_to_use: 'A text, or several, to be made shorter',
  },
]

/** The type and the pattern where there is nothing to choose from, or no model to choose. */
export const generalType = 'general'
export const defaultPattern = 'react'

/** Attributes that the request states beside its text. */
export interface RequestSignals {
  readonly complexity?: string
  readonly urgency?: string
  readonly scope?: string
}

/** The options of a meta-router, and the attributes that the request states. */
export interface RouteProfile {
  /** Named by the request: no pattern is chosen. */
  readonly pattern?: string
  /** Named by the request: no type is identified. */
  readonly taskType?: string
  /** Added to the framing of the type. */
  readonly framing?: string
  readonly signals?: RequestSignals
  readonly taskTypes: readonly CheckedTaskType[]
  readonly patterns: readonly CheckedPattern[]
}
