/** The straight way: where nobody is to be asked and no time is measured, a delegation begins and ends at once. */
import type { AgentReport } from '../agent.ts'
import type { DelegationContext } from './context.ts'

/** Its history is that of its parent, and nothing limits its time. */
export function startsAtOnce({ input: { profile } }: DelegationContext): boolean {
  const { hooks, delegation } = profile
  const isFiltered = hooks.messageFilter !== undefined && delegation.includeConversationHistory
  return !isFiltered && delegation.timeout === undefined
}

/** Nobody is told of it before it counts. */
export function succeedsForGood(
  { input: { profile } }: DelegationContext,
  { outcome }: AgentReport,
): boolean {
  const { hooks, delegation } = profile
  return (
    outcome === 'completed' && hooks.onDelegationComplete === undefined && delegation.timeout === undefined
  )
}
