/** A plan in events and results: the steps of all revisions, with their statuses. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'

/** `revised`: a later revision replaced the step before it began. `skipped`: it did not run, and was not replaced. */
export type PlanStepStatus = 'pending' | 'running' | 'complete' | 'failed' | 'revised' | 'skipped'

/** A step as a plan proposes it, before the plan is in force. */
export interface ProposedPlanStep {
  /** Unique among the steps of its revision and the finished ones before. */
  readonly id: string
  readonly goal: string
  /** The tool that the plan suggests, or the subagent as `agent-<key>`. */
  readonly toolHint?: string
  /** The arguments that the plan suggests for the tool. */
  readonly args?: JsonValue
  /** The groups whose tools its subagent may be offered, among those of the planner. */
  readonly toolGroups?: readonly string[]
  /** Ids of the steps whose results it needs. */
  readonly dependsOn: readonly string[]
}

/** A step of a plan. */
export interface PlanStep extends ProposedPlanStep {
  /** The revision of the plan that it came with, from 1. */
  readonly revision: number
  readonly status: PlanStepStatus
  /** The id of the tool call or delegation that carried it out. */
  readonly callId?: string
  readonly result?: JsonValue
  readonly error?: ErrorData
}

/** A plan as it stands: the steps of all its revisions. */
export interface PlanRecord {
  /** From 1; each accepted new plan adds one. */
  readonly revision: number
  /** Oldest first; finished steps stay as they are. */
  readonly steps: readonly PlanStep[]
}
