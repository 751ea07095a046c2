/** A plan as a question to a person: whether it is asked, what it says, and the plan that the answer makes. */
import { below, childId } from '../../actors/actor-path.ts'
import type { EffectInput, EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { stricterThan, type ApprovalPolicy, type CallVerdicts, type ToolCall } from '../../actors/message.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { groupChoices } from '../../actors/tool-groups.ts'
import { canonicalJson, isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { ProposedPlanStep } from '../contract/plan.ts'
import { checkProposal, objectionTo, proposalSchemaFor, proposedCalls } from './proposal.ts'
import { finishedIds, judgedSteps, plainStep, unplanned } from './revising.ts'
import type { PlanContext, PlanWork } from './work.ts'

type Answer = EffectOutcome<'signal'>

/** The name under which a plan is asked about. The id of its question tells it from a tool of that name. */
export const planName = 'plan'

/** Whether a person must approve: the policy with which the run began, or that of the plan where it is stricter. */
export function planPolicy({ input, work }: PlanContext): ApprovalPolicy {
  const { approvePlan = false } = input.profile
  return (work.policy && stricterThan(approvePlan, work.policy)) ?? approvePlan
}

/** Whether the tool that a plan names for a step is the only one that the step may call: approval is of what was named. */
export function bindsSteps({ input: { profile }, work }: PlanContext): boolean {
  const isBound = profile.bindsSteps === true && profile.approvePlan !== false
  return isBound || work.policy !== undefined
}

/** The steps that the plan adds, as a person and the function of the user read them. */
export function proposedSteps({ proposal }: PlanWork): readonly ProposedPlanStep[] {
  return proposal.map((step) => plainStep(step))
}

/** What a person is asked about the plan beside its steps. */
export interface PlanFacts {
  readonly revision: number
  /** Ids of the steps that are done: the plan may depend on them. */
  readonly finished: readonly string[]
  readonly maxPlanSteps: number
  /** Names of the groups of tools that a step may be given. */
  readonly toolGroups?: readonly string[]
  /** Why the rest is planned again. */
  readonly reason?: string
}

export function planFacts({ input: { profile }, work }: PlanContext): PlanFacts {
  const toolGroups = groupChoices(profile)
  return {
    revision: (work.plan?.revision ?? 0) + 1,
    finished: [...finishedIds(work)],
    maxPlanSteps: profile.caps.maxPlanSteps,
    ...(toolGroups.length === 0 ? {} : { toolGroups }),
    ...(work.problems.length === 0 ? {} : { reason: work.problems.join('\n') }),
  }
}

export function planSignal(context: PlanContext): EffectInput<'signal'> {
  const { input, work } = context
  return {
    id: below(input.path, childId('plan', work.asked)),
    type: 'approval',
    agent: input.profile.id,
    toolName: planName,
    args: { steps: proposedSteps(work) as unknown as JsonValue },
    payload: planFacts(context) as unknown as JsonValue,
  }
}

interface Checked {
  readonly facts: PlanFacts
  readonly toolset: Toolset
  /** On the calls that the steps name, where they are on record. */
  readonly verdicts?: CallVerdicts | undefined
}

/** The problem of a plan that a person has changed, by the checks of every plan; `undefined`: it may be carried out. */
export function problemOfPlan(
  given: JsonValue | undefined,
  { facts, toolset, verdicts }: Checked,
): string | undefined {
  const schema = proposalSchemaFor(facts.toolGroups ?? [])
  const check = checkProposal(JSON.stringify(given ?? null), schema, toolset, verdicts)
  if (!check.ok) return check.problem
  const { steps } = schema.parse(given)
  return objectionTo(steps, new Set(facts.finished), facts.maxPlanSteps)
}

/**
 * The problem of a changed plan that changes a finished step; `undefined`: none. `asked`: the plan as the person was asked about it.
 * The answers of older journals were not held against it.
 */
export function problemOfFinished(
  given: JsonValue | undefined,
  asked: JsonValue | undefined,
  { finished, toolGroups = [] }: PlanFacts,
): string | undefined {
  const schema = proposalSchemaFor(toolGroups)
  const [now, before] = [given, asked].map((plan) => schema.safeParse(plan).data?.steps ?? [])
  const known = new Set(before?.map((step) => canonicalJson(plainStep(step) as unknown as JsonValue)))
  const changed = now?.find(
    (step) =>
      finished.includes(step.id) && !known.has(canonicalJson(plainStep(step) as unknown as JsonValue)),
  )
  return changed === undefined
    ? undefined
    : `The step "${changed.id}" is finished, and does not run again. Leave it out, or give the new step another id.`
}

/** The calls that a changed plan names, by the positions of its steps. */
export function callsOfPlan(
  given: JsonValue | undefined,
  facts: PlanFacts,
  toolset: Toolset,
): readonly (ToolCall | undefined)[] {
  return proposedCalls(JSON.stringify(given ?? null), proposalSchemaFor(facts.toolGroups ?? []), toolset)
}

/** The facts in the payload of a question about a plan. */
export function factsIn(payload: JsonValue | undefined): PlanFacts | undefined {
  return isRecord(payload) && Array.isArray(payload['finished'])
    ? (payload as object as PlanFacts)
    : undefined
}

export function problemOfAnswer(context: PlanContext, { args, verdicts }: Answer): string | undefined {
  const { toolset } = context.input.profile
  return problemOfPlan(args, { facts: planFacts(context), toolset, verdicts })
}

/** The plan that a person has put in the place of that of the model. */
export function changedPlan(context: PlanContext, { args, verdicts }: Answer): PlanWork {
  const { steps } = proposalSchemaFor(groupChoices(context.input.profile)).parse(args)
  return { ...context.work, proposal: judgedSteps(steps, verdicts) }
}

/** The plan is rejected: the reason is a part of the prompt for the next one. */
export function rejectedPlan(work: PlanWork, { reason = 'no reason was given' }: Answer): PlanWork {
  return unplanned(work, rejection(reason))
}

export const planRejected = 'PLAN_REJECTED'

function rejection(reason: string): ErrorData {
  return {
    name: 'PlanRejectedError',
    code: planRejected,
    message: `A person rejected the plan: ${reason}`,
  }
}
