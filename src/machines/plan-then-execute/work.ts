/** What the planner keeps of its plan while it is made and carried out: its part of the context of the loop. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import type { Report } from '../contract/reports.ts'
import type { Proposal } from './proposal.ts'
import type { PlanRecord, PlanStep } from '../contract/plan.ts'

/** What a child is at work on: a step, by its place in the plan; a decision also says what it decides. */
export interface Task {
  readonly step: number
  readonly asks?: 'action' | 'review'
  /** The tool that is called for it. */
  readonly tool?: string
}

/** What a step that is under way does next. */
export type Due =
  { readonly type: 'call'; readonly name: string; readonly args: JsonValue } | { readonly type: 'review' }

export interface StepReport {
  readonly child: string
  readonly report: Report
}

export interface PlanWork {
  /** `undefined` until there is one that may run. */
  readonly plan: PlanRecord | undefined
  /** How often the plan was made anew. */
  readonly replans: number
  /** What the model proposed last. */
  readonly proposal: Proposal
  /** Why the plan must be made anew, worded for the model. */
  readonly problems: readonly string[]
  /** Why there is no plan, or why the model cannot be asked any more. */
  readonly error: ErrorData | undefined
  /** By child. */
  readonly tasks: Readonly<Record<string, Task>>
  /** A step's child has reported this, and it is not settled yet. */
  readonly report: StepReport | undefined
  /** By the place of the step. */
  readonly due: Readonly<Record<number, Due>>
  /** Results as models are told them, by the place of the step. */
  readonly told: Readonly<Record<number, string>>
}

export type PlanContext = LoopContext<PlanWork>

export const firstWork: PlanWork = {
  plan: undefined,
  replans: 0,
  proposal: [],
  problems: [],
  error: undefined,
  tasks: {},
  report: undefined,
  due: {},
  told: {},
}

export function stepsOf(work: PlanWork): readonly PlanStep[] {
  return work.plan?.steps ?? []
}

/** Steps of the plan in force that were not carried out. */
export function missing({ plan }: PlanWork): readonly PlanStep[] {
  return (
    plan?.steps.filter(({ revision, status }) => revision === plan.revision && status !== 'complete') ?? []
  )
}

/** Whether any step was ever tried. */
export function hasRun(work: PlanWork): boolean {
  return stepsOf(work).some(({ status }) => status === 'complete' || status === 'failed')
}

export function maxReplans({ input }: PlanContext): number {
  return input.profile.caps.maxReplans
}
