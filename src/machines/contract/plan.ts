/** A plan as events and results tell of it: steps with what became of them, over all revisions. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'

/** `revised`: a later revision took its place before it began. `skipped`: nothing took its place, and it did not run. */
export type PlanStepStatus = 'pending' | 'running' | 'complete' | 'failed' | 'revised' | 'skipped'

export interface PlanStep {
  /** Unique among the steps of its revision and the finished ones before. */
  readonly id: string
  /** The revision of the plan that it came with, from 1. */
  readonly revision: number
  readonly goal: string
  /** The tool that the plan suggests, or the subagent as `agent-<key>`. */
  readonly toolHint?: string
  /** What the plan would have the tool called with. */
  readonly args?: JsonValue
  /** Of which groups its subagent may be offered tools, of those of the planner. */
  readonly toolGroups?: readonly string[]
  /** Ids of the steps whose results it needs. */
  readonly dependsOn: readonly string[]
  readonly status: PlanStepStatus
  /** The id of the tool call or delegation that carried it out. */
  readonly callId?: string
  readonly result?: JsonValue
  readonly error?: ErrorData
}

export interface PlanRecord {
  /** From 1; each re-planning that gave a plan adds one. */
  readonly revision: number
  /** Oldest first; finished steps stay as they are. */
  readonly steps: readonly PlanStep[]
}
