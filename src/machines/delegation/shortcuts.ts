/** Shortcuts: without hooks and without a timeout, a delegation begins and ends without states in between. */
import type { AgentReport } from '../contract/agent.ts'
import { hasMessageFilter, hasTimeout, type DelegationContext } from './context.ts'

/** There is no message filter, and no timeout. */
export function startsAtOnce(context: DelegationContext): boolean {
  return !hasMessageFilter(context) && !hasTimeout(context)
}

/** The subagent has completed, and neither a hook nor a deadline can change that. */
export function succeedsAtOnce(context: DelegationContext, { outcome }: AgentReport): boolean {
  const { onDelegationComplete } = context.input.profile.hooks
  return outcome === 'completed' && onDelegationComplete === undefined && !hasTimeout(context)
}
