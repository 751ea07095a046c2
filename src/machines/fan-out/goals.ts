/**
 * The goals of a fan-out, which its model chooses at the beginning and again after the results of a round: for the
 * agents and the groups of tools on offer, and at most `maxGoals`. An invalid choice is sent back once.
 */
import { delegationPrefix } from '../../actors/strict/ids.ts'
import { z } from 'zod'
import type { JsonValue } from '../../actors/values/json.ts'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { groupChoices } from '../../actors/tool-groups.ts'
import type { ToolCall } from '../../actors/message.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { once } from '../../actors/values/once.ts'
import { callsIn, parseDecision } from '../decision/parse-decision.ts'
import type { Question } from '../loop/changes/decision-input.ts'
import { chosenGroups, groupsSchema, type Chosen } from '../shared/tool-group-choice.ts'
import type { LoopContext } from '../loop/changes/context.ts'

/** A part of the task that one agent works on by itself. */
export type Goal = {
  readonly goal: string
  /** The key of the agent that works on it. */
  readonly agent: string
  /** The part of the context that the goal needs. */
  readonly context?: string
  /** The groups whose tools that agent may be offered, among those of the fan-out. */
  readonly toolGroups?: readonly string[]
}

/** Asks for the goals of the task. */
export function decomposition(context: LoopContext): Question {
  const { maxGoals, list } = shapesFor(context)
  return {
    subject: 'list of goals',
    responseFormat: { name: 'goals', schema: list.format },
    check: (text) => parseDecision(text, list.schema),
    calls: (text) => callsIn(text, list.schema, ({ goals }) => goals.map(callOf)),
    prompt: promptFor(
      context,
      list,
      `Divide the task into at most ${maxGoals} goals that do not depend on each other. Agents work on them side by side, each on one goal; then you are shown all results.`,
    ),
  }
}

/** Asks whether the results are enough, or other goals must be worked on first. */
export function assessment(context: LoopContext): Question {
  const { maxGoals, verdict } = shapesFor(context)
  return {
    subject: 'assessment',
    responseFormat: { name: 'assessment', schema: verdict.format },
    check: (text) => parseDecision(text, verdict.schema),
    calls: (text) => callsIn(text, verdict.schema, ({ goals }) => goals.map(callOf)),
    prompt: promptFor(
      context,
      verdict,
      `Are these results enough to answer the task? If so, "complete" is true. If they contradict each other, or leave gaps that other goals can close, "complete" is false and "goals" are the new or refined ones, at most ${maxGoals}. You are asked for the answer itself afterwards.`,
    ),
  }
}

/** The goals that were decided on; none where the results are enough. */
export function goalsOf(decision: JsonValue): readonly Goal[] {
  return (decision as { readonly goals: Goal[] }).goals
}

/** The delegation that works on a goal. */
export function callOf(goal: Goal): ToolCall {
  return { id: '', name: delegationPrefix + goal.agent, args: { prompt: promptOf(goal) } }
}

/** The prompt for the agent of a goal. */
function promptOf({ goal, context }: Goal): string {
  return context === undefined ? goal : `${goal}\n\nContext:\n${context}`
}

/** The schema of a decision, and its JSON Schema for the model. */
interface Shape {
  readonly schema: z.ZodType<{ readonly goals: Goal[] }>
  readonly format: Readonly<Record<string, JsonValue>>
}

interface Shapes {
  readonly maxGoals: number
  /** The groups of tools on offer, as JSON: they depend on the run. */
  readonly groups: string
  readonly list: Shape
  readonly verdict: Shape
}

/** A cache: making the schemas takes longer than the rest of a decision. */
const known = new WeakMap<Toolset, Shapes>()

function shapesFor({ input: { profile } }: LoopContext): Shapes {
  const { toolset, caps } = profile
  const { maxGoals } = caps
  const groups = groupChoices(profile)
  const made = known.get(toolset)
  if (made?.maxGoals === maxGoals && made.groups === JSON.stringify(groups)) return made
  const shapes = shapesOf([...toolset.subagents.keys()], groups, maxGoals)
  known.set(toolset, shapes)
  return shapes
}

function shapesOf(keys: readonly string[], groups: readonly string[], maxGoals: number): Shapes {
  const goals = goalsSchema(keys, groups, maxGoals)
  const format = goalsFormat(keys, groups, maxGoals)
  const verdict = z
    .object({ complete: z.boolean(), goals: goals.nullish() })
    .refine((given) => given.complete || (given.goals ?? []).length > 0, {
      message: 'a goal at least is needed where it is not complete',
    })
    .transform((given) => ({ goals: given.complete ? [] : (given.goals ?? []) }))
  return {
    maxGoals,
    groups: JSON.stringify(groups),
    list: {
      schema: z.object({ goals: goals.min(1) }),
      format: toJsonSchema(z.object({ goals: format }), 'fan-out'),
    },
    verdict: {
      schema: verdict,
      format: toJsonSchema(z.object({ complete: z.boolean(), goals: format.nullable() }), 'fan-out'),
    },
  }
}

const ignored = once((): z.ZodType<Chosen> =>
  z
    .unknown()
    .transform(() => undefined)
    .optional(),
)

/** A goal with its agent, which may be left out where there is only one. */
function goalsSchema(keys: readonly string[], groups: readonly string[], maxGoals: number) {
  const agent = z.enum(keys)
  const [only = ''] = keys
  return z
    .array(
      z
        .object({
          goal: z.string().trim().min(1),
          agent: keys.length === 1 ? agent.nullish() : agent,
          context: z.string().nullish(),
          toolGroups: groups.length === 0 ? ignored() : groupsSchema(groups).optional(),
        })
        .transform((given): Goal => ({
          goal: given.goal,
          agent: given.agent ?? only,
          ...(given.context ? { context: given.context } : {}),
          ...chosenGroups(given.toolGroups),
        })),
    )
    .max(maxGoals)
}

/** The schema for a server: every property is required, so that a strict mode can guarantee it. */
function goalsFormat(keys: readonly string[], groups: readonly string[], maxGoals: number) {
  return z
    .array(
      z.object({
        goal: z.string().describe('The complete goal: its agent sees nothing of the other goals'),
        agent: z.enum(keys).describe('Who works on it'),
        context: z.string().nullable().describe('What of the context the goal needs'),
        ...(groups.length === 0 ? {} : { toolGroups: groupsSchema(groups) }),
      }),
    )
    .max(maxGoals)
}

/** The question, the agents, and the JSON Schema of the answer: not every server accepts a schema. */
function promptFor({ input }: LoopContext, { format }: Shape, question: string): string {
  const agents = Array.from(
    input.profile.toolset.subagents,
    ([key, { description }]) => `- ${key}: ${description}`,
  )
  const parts = [
    question,
    `The agents:\n${agents.join('\n')}`,
    `Answer with one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(format)}`,
  ]
  return parts.join('\n\n')
}
