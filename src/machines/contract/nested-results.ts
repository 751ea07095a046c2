/** The results of delegations, with those of the subagents' own calls. */
import type { AgentParts, DelegationRecord, StepRecord, ToolResultRecord } from './records.ts'

/** The part of a delegation's record that its result shows too. */
type Nested = Pick<ToolResultRecord, 'toolResults' | 'threadId' | 'reason'>

function nestedOf({ toolResults, threadId, reason }: Nested): Nested {
  return {
    ...(toolResults === undefined ? {} : { toolResults }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(reason === undefined ? {} : { reason }),
  }
}

/**
 * The steps with what is known of their delegations. The steps of a machine do without: they are in the inputs of hooks,
 * whose digests are in journals.
 */
export function withNested({
  steps,
  delegations,
}: Pick<AgentParts, 'steps' | 'delegations'>): readonly StepRecord[] {
  if (delegations.length === 0) return steps
  const byId = new Map(delegations.map((record): [string, DelegationRecord] => [record.id, record]))
  return steps.map((step) => ({
    ...step,
    toolResults: step.toolResults.map((result) => {
      const record = byId.get(result.id)
      return record === undefined ? result : { ...result, ...nestedOf(record) }
    }),
  }))
}

/** A record as it stands in the inputs of hooks. */
export function withoutNested(record: DelegationRecord): Omit<DelegationRecord, keyof Nested> {
  const { toolResults: _results, threadId: _thread, reason: _reason, ...rest } = record
  return rest
}

/** The results of an agent's own calls, in order. */
export function resultsOf(parts: Pick<AgentParts, 'steps' | 'delegations'>): readonly ToolResultRecord[] {
  return withNested(parts).flatMap(({ toolResults }) => toolResults)
}
