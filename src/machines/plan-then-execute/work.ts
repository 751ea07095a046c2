/** The planner's part of the context of the loop: its plan, while it is made and carried out. */
import type { CallVerdict, StricterPolicy } from '../../actors/message.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import type { Report } from '../contract/reports.ts'
import type { JudgedStep } from './proposal.ts'
import type { PlanRecord, PlanStep } from '../contract/plan.ts'

/** The task of a child: a step, by its place in the plan, and for a decision its kind. */
export interface Task {
  readonly step: number
  readonly asks?: 'action' | 'review'
  /** The tool that is called for it. */
  readonly tool?: string
}

/** The next action of a step that is under way. */
export type Due =
  | {
      readonly type: 'call'
      readonly name: string
      readonly args: JsonValue
      /** Absent: none is on record. */
      readonly verdict?: CallVerdict
    }
  | { readonly type: 'review' }

export interface StepReport {
  readonly child: string
  readonly report: Report
}

export interface PlanWork {
  /** `undefined` until there is a plan that may run. */
  readonly plan: PlanRecord | undefined
  /** How often the plan was revised. */
  readonly replans: number
  /** The last proposal of the model. */
  readonly proposal: readonly JudgedStep[]
  /** Whether a person must approve the proposal, where that is stricter than the policy with which the run began. */
  readonly policy: StricterPolicy | undefined
  /** How often a person was asked about a plan. */
  readonly asked: number
  /** Why the plan must be revised, worded for the model. */
  readonly problems: readonly string[]
  /** Why there is no plan, or why the model cannot be called any more. */
  readonly error: ErrorData | undefined
  /** By child. */
  readonly tasks: Readonly<Record<string, Task>>
  /** The report of a step's child that is not settled yet. */
  readonly report: StepReport | undefined
  /** By the place of the step. */
  readonly due: Readonly<Record<number, Due>>
  /** On the calls that the plan names, by the place of the step, where they are on record. */
  readonly verdicts: Readonly<Record<number, CallVerdict>>
  /** Results as models read them, by the place of the step. */
  readonly resultTexts: Readonly<Record<number, string>>
}

export type PlanContext = LoopContext<PlanWork>

export const firstWork: PlanWork = {
  plan: undefined,
  replans: 0,
  proposal: [],
  policy: undefined,
  asked: 0,
  problems: [],
  error: undefined,
  tasks: {},
  report: undefined,
  due: {},
  verdicts: {},
  resultTexts: {},
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
