/**
 * Task types and patterns: the options among which a meta-router chooses. They are configuration, of the kinds
 * `agent-task-type` and `agent-pattern`; the initial set is that of the TrustGraph specification.
 */
import { z } from 'zod'

export const taskTypeKind = 'agent-task-type'
export const patternKind = 'agent-pattern'

/** Among the valid patterns of a type: every one that is configured, those of users too. */
export const anyPattern = '*'

/** An item of the kind `agent-task-type`, as it is written. */
export interface TaskType {
  readonly name: string
  /** What kind of task it is: shown to the model that chooses. */
  readonly description: string
  /** How a person who knows the domain would go about it: reaches the context of every descendant. Default: `''`. */
  readonly framing_prompt?: string
  /** Names of patterns, the best first. At least one; `*` stands for all that are configured. */
  readonly valid_patterns: readonly string[]
  /** Shown after the description. Default: `''`. */
  readonly when_to_use?: string
  /** When a task of this type is done: told in `pattern-selected`, and to all who work on it; nothing enforces it. Default: none. */
  readonly termination_criteria?: string
}

export const taskTypeSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  framing_prompt: z.string().default(''),
  valid_patterns: z.array(z.string().min(1)).min(1),
  when_to_use: z.string().default(''),
  termination_criteria: z.string().optional(),
})

export type CheckedTaskType = z.output<typeof taskTypeSchema>

/** An item of the kind `agent-pattern`, as it is written: what the model is told of a pattern. */
export interface PatternItem {
  /** The key of the agent that stands for it. */
  readonly name: string
  /** How a task is done by it: shown to the model that chooses. */
  readonly description: string
  /** Shown after the description. Default: `''`. */
  readonly when_to_use?: string
}

export const patternItemSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  when_to_use: z.string().default(''),
})

export type CheckedPattern = z.output<typeof patternItemSchema>

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

/** What is taken where there is nothing to choose from, or nobody to choose. */
export const generalType = 'general'
export const defaultPattern = 'react'

/** What the request says about itself, beside its text. */
export interface RequestSignals {
  readonly complexity?: string
  readonly urgency?: string
  readonly scope?: string
}

/** What a meta-router chooses from, and what the request says of itself. */
export interface RouteProfile {
  /** Named by the request: nothing is chosen. */
  readonly pattern?: string
  readonly signals?: RequestSignals
  readonly taskTypes: readonly CheckedTaskType[]
  readonly patterns: readonly CheckedPattern[]
}
