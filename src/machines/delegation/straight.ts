/** The straight way: where nobody is to be asked and no time is measured, a delegation begins and ends at once. */
import type { AgentReport } from '../contract/agent.ts'
import { hasMessageFilter, hasTimeout, type DelegationContext } from './context.ts'

/** Its history is that of its parent, and nothing limits its time. */
export function startsAtOnce(context: DelegationContext): boolean {
  return !hasMessageFilter(context) && !hasTimeout(context)
}

/** Nobody is told of it before it counts. */
export function succeedsForGood(context: DelegationContext, { outcome }: AgentReport): boolean {
  const { onDelegationComplete } = context.input.profile.hooks
  return outcome === 'completed' && onDelegationComplete === undefined && !hasTimeout(context)
}
