/**
 * Task types and patterns: the options among which a meta-router chooses. They are configuration, of the kinds
 * `agent-task-type` and `agent-pattern`; the initial set is that of the TrustGraph specification.
 */
import { z } from 'zod'

export const taskTypeKind = 'agent-task-type'
export const patternKind = 'agent-pattern'

/** Among the valid patterns of a type: every one that is configured, those of users too. */
export const anyPattern = '*'

export const taskTypeSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  /** How a person who knows the domain would go about it: reaches the context of every descendant. */
  framing_prompt: z.string().default(''),
  /** Names of patterns, the best first. `*` stands for all that are configured. */
  valid_patterns: z.array(z.string().min(1)).min(1),
  when_to_use: z.string().default(''),
  /** When a task of this type is done. */
  termination_criteria: z.string().optional(),
})

export type TaskType = z.output<typeof taskTypeSchema>

export const patternItemSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  when_to_use: z.string().default(''),
})

export type PatternItem = z.output<typeof patternItemSchema>

export const initialPatterns: readonly PatternItem[] = [
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

export const initialTaskTypes: readonly TaskType[] = [
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
  readonly taskTypes: readonly TaskType[]
  readonly patterns: readonly PatternItem[]
}
