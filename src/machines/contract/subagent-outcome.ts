/** The outcome of a delegation and that of its subagent are two facts: a bail, a hook, a cancel or a limit may lie between them. */
import type { DelegationOutcome, SubagentOutcome } from './records.ts'

/** A delegation as events and records tell it. */
export interface EndedDelegation {
  readonly outcome: DelegationOutcome
  readonly subagentOutcome?: SubagentOutcome | undefined
}

/** How the subagent ended, whatever became of its delegation. */
export function ownOutcome({ outcome, subagentOutcome }: EndedDelegation): DelegationOutcome {
  return subagentOutcome ?? outcome
}

/** How the call of the delegating agent ended: a bail answers with the end of the subagent. */
export function answeredWith({ outcome, subagentOutcome = 'succeeded' }: EndedDelegation): DelegationOutcome {
  return outcome === 'bailed' ? subagentOutcome : outcome
}
