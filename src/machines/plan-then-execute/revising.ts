/** From a proposal to the plan in force: finished steps stay as they are, steps that had not begun are replaced. */
import type { CallVerdicts } from '../../actors/message.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import { verdictsOf } from '../loop/changes/decision-input.ts'
import { chosenGroups } from '../shared/tool-group-choice.ts'
import type { PlanRecord, PlanStep, ProposedPlanStep } from '../contract/plan.ts'
import { objectionTo, remaining, type JudgedStep, type Proposal, type ProposedStep } from './proposal.ts'
import { stepsOf, type PlanWork, type PlanContext } from './work.ts'

/** Checks the proposal as a whole. An objection to it becomes part of the prompt for the next one. */
export function recordProposal(context: PlanContext, value: JsonValue): PlanWork {
  const work = context.work
  const { steps } = value as { readonly steps: Proposal }
  const verdicts = verdictsOf(context)
  const proposal = judgedSteps(steps, verdicts)
  const objection = objectionTo(proposal, finishedIds(work), context.input.profile.caps.maxPlanSteps)
  return objection === undefined
    ? { ...work, proposal, policy: verdicts?.[steps.length]?.requireApproval, error: undefined }
    : unplanned(work, {
        name: 'InvalidPlanError',
        code: 'INVALID_PLAN',
        message: `The plan cannot be carried out: ${objection}`,
      })
}

/** The steps with the verdicts on their calls. Behind them may be the verdict on the plan as a whole. */
export function judgedSteps(steps: Proposal, verdicts: CallVerdicts | undefined): readonly JudgedStep[] {
  return steps.map((step, position): JudgedStep => {
    const verdict = verdicts?.[position] ?? undefined
    return verdict === undefined ? step : { ...step, verdict }
  })
}

/** There is no plan, or none that can be carried out. */
export function unplanned(work: PlanWork, error: ErrorData): PlanWork {
  return { ...work, proposal: [], error, problems: [...work.problems, error.message] }
}

export function finishedIds(work: PlanWork): ReadonlySet<string> {
  return new Set(stepsOf(work).flatMap(({ id, status }) => (status === 'complete' ? [id] : [])))
}

/** The plan that the proposal makes. */
export function revisedPlan(work: PlanWork): PlanRecord {
  const revision = (work.plan?.revision ?? 0) + 1
  const kept = stepsOf(work).map((step): PlanStep =>
    step.status === 'pending' ? { ...step, status: 'revised' } : step,
  )
  const added = remaining(work.proposal, finishedIds(work)).map((step) => newStep(step, revision))
  return { revision, steps: [...kept, ...added] }
}

export function adopt(work: PlanWork): PlanWork {
  const plan = revisedPlan(work)
  return { ...work, plan, verdicts: adoptedVerdicts(work), proposal: [], problems: [], error: undefined }
}

/** The steps of the proposal stand behind those that are kept. */
function adoptedVerdicts(work: PlanWork): PlanWork['verdicts'] {
  const kept = stepsOf(work).length
  const added = remaining(work.proposal, finishedIds(work)).flatMap(({ verdict }, index) =>
    verdict === undefined ? [] : [[kept + index, verdict] as const],
  )
  return added.length === 0 ? work.verdicts : { ...work.verdicts, ...Object.fromEntries(added) }
}

function newStep(step: ProposedStep, revision: number): PlanStep {
  const { id, ...rest } = plainStep(step)
  return { id, revision, ...rest, status: 'pending' }
}

/** A step without the fields that the model has left empty. */
export function plainStep({
  id,
  goal,
  toolHint,
  args,
  toolGroups,
  dependsOn,
}: ProposedStep): ProposedPlanStep {
  return {
    id,
    goal,
    ...(toolHint ? { toolHint } : {}),
    ...(args == null ? {} : { args }),
    ...chosenGroups(toolGroups),
    dependsOn: dependsOn ?? [],
  }
}
