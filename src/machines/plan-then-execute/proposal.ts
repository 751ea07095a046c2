/** A plan as the model proposes it: its shape, the names that it may use, and whether its steps can be carried out. */
import { z } from 'zod'
import type { CallReader, CallVerdict, CallVerdicts, ToolCall } from '../../actors/message.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { once } from '../../actors/values/once.ts'
import { callsIn, judged, parseDecision, type DecisionCheck } from '../decision/parse-decision.ts'
import { wholePlan } from '../../actors/message.ts'
import { groupsSchema, type Chosen } from '../shared/tool-group-choice.ts'

/** Arguments as the model writes them; the tool's own schema says whether they fit. */
export const anyArgs = once(() =>
  z.looseObject({}).transform((args) => args as Readonly<Record<string, JsonValue>>),
)

/** `null` means "not given": many models fill in every field. */
const proposedStep = once(() =>
  z.object({
    id: z.string().min(1).describe('A short name, unique in the plan'),
    goal: z.string().min(1).describe('What the step is to find out or do, complete in itself'),
    toolHint: z.string().nullish().describe('The tool or agent for the step; null: the step needs none'),
    args: anyArgs()
      .nullish()
      .describe('The arguments of the tool, where they need no result of another step'),
    dependsOn: z.array(z.string()).nullish().describe('Ids of the steps whose results it needs'),
  }),
)

export type ProposedStep = z.output<ReturnType<typeof proposedStep>> & {
  readonly toolGroups?: Chosen
}

/** A step with the verdict on the call that it names, where it is on record. */
export type JudgedStep = ProposedStep & { readonly verdict?: CallVerdict }

const plainProposal = once((): ProposalSchema => z.object({ steps: z.array(proposedStep()) }))

type ProposalSchema = z.ZodType<{ readonly steps: Proposal }>

/** A plan whose steps may name groups of tools, where there are some to choose from. */
export function proposalSchemaFor(groups: readonly string[]): ProposalSchema {
  if (groups.length === 0) return plainProposal()
  const toolGroups = groupsSchema(groups).optional()
  return z.object({ steps: z.array(proposedStep().extend({ toolGroups })) })
}

export type Proposal = readonly ProposedStep[]

/** Whether a reply is a plan with the tools on offer. `objectionTo` checks later whether its steps fit together. */
export function checkProposal(
  text: string,
  schema: ProposalSchema,
  toolset: Toolset,
  verdicts?: CallVerdicts,
): DecisionCheck {
  return parseDecision(text, schema, ({ steps }) => {
    const problems = steps.flatMap((step, position) => {
      const problem = problemOfCall(step, toolset, verdicts, position)
      return problem === undefined ? [] : [`Step "${step.id}": ${problem}`]
    })
    return problems.length === 0 ? undefined : problems.join('\n')
  })
}

function problemOfCall(
  step: ProposedStep,
  toolset: Toolset,
  verdicts: CallVerdicts | undefined,
  position: number,
): string | undefined {
  const { toolHint, args } = step
  if (!toolHint) return undefined
  const isOffered = toolset.tools.has(toolHint) || toolset.subagent(toolHint) !== undefined
  if (isOffered && (args == null || toolset.subagent(toolHint) !== undefined)) return undefined
  const check = toolset.check(judged({ id: '', name: toolHint, args: args ?? {} }, verdicts, position))
  return check.status === 'invalid' ? check.problem : undefined
}

/** The call of each step that names a tool with its arguments, or an agent. For all other steps the model is asked again. */
export function proposedCalls(
  text: string,
  schema: ProposalSchema,
  toolset: Toolset,
): ReturnType<CallReader> {
  return callsIn(text, schema, ({ steps }) => steps.map((step) => proposedCall(step, toolset)))
}

/** As `proposedCalls`; behind them stands the plan as a whole, on which there may be a verdict too. */
export function judgedCalls(text: string, schema: ProposalSchema, toolset: Toolset): ReturnType<CallReader> {
  return callsIn(text, schema, ({ steps }) => [
    ...steps.map((step) => proposedCall(step, toolset)),
    { id: '', name: wholePlan, args: {} },
  ])
}

function proposedCall({ toolHint: name, args }: ProposedStep, toolset: Toolset): ToolCall | undefined {
  if (!name) return undefined
  if (toolset.subagent(name) !== undefined) return { id: '', name, args: {} }
  return args == null || !toolset.tools.has(name) ? undefined : { id: '', name, args }
}

/** The reason why a plan cannot be carried out, worded for the model. `finished`: ids of steps that are done. */
export function objectionTo(
  proposal: Proposal,
  finished: ReadonlySet<string>,
  maxPlanSteps: number,
): string | undefined {
  const steps = remaining(proposal, finished)
  if (steps.length === 0) return finished.size === 0 ? 'It has no steps.' : undefined
  if (steps.length > maxPlanSteps)
    return `It has ${steps.length} steps, and at most ${maxPlanSteps} are allowed.`
  const ids = new Set<string>()
  for (const { id } of steps) {
    if (ids.has(id)) return `The id "${id}" stands twice.`
    ids.add(id)
  }
  for (const { id, dependsOn } of steps) {
    const unknown = (dependsOn ?? []).find((needed) => !ids.has(needed) && !finished.has(needed))
    if (unknown !== undefined) return `Step "${id}" depends on "${unknown}", which is no step of the plan.`
  }
  const circle = circular(steps)
  return circle.length === 0
    ? undefined
    : `These steps wait for one another and could never begin: ${circle.map((id) => `"${id}"`).join(', ')}.`
}

/** The unfinished steps of a plan: a model may repeat finished ones. */
export function remaining<Step extends ProposedStep>(
  proposal: readonly Step[],
  finished: ReadonlySet<string>,
): readonly Step[] {
  return proposal.filter(({ id }) => !finished.has(id))
}

/** The steps of a cycle: those that remain when all steps that can begin are removed, again and again. */
function circular(steps: Proposal): string[] {
  const waiting = new Map(steps.map(({ id, dependsOn }) => [id, dependsOn ?? []]))
  for (let before = Infinity; waiting.size < before;) {
    before = waiting.size
    for (const [id, needed] of waiting) {
      if (!needed.some((other) => waiting.has(other))) waiting.delete(id)
    }
  }
  return [...waiting.keys()]
}
