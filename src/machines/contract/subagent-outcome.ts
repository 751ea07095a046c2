/** A bail and the outcome of the subagent are two facts: a delegation that bailed keeps both. */
import type { DelegationOutcome, SubagentOutcome } from './records.ts'

/** A delegation as events and records tell it. */
export interface EndedDelegation {
  readonly outcome: DelegationOutcome
  readonly subagentOutcome?: SubagentOutcome
}

/** How the subagent ended, whether its delegation bailed or not. */
export function ownOutcome({ outcome, subagentOutcome }: EndedDelegation): DelegationOutcome {
  return subagentOutcome ?? outcome
}
