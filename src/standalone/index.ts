/** `troupe/machines`: the machines of the library under plain XState, without an engine. */
export {
  compactionMachine,
  completionMachine,
  debateMachine,
  decisionMachine,
  delegationMachine,
  dispatchMachine,
  fanOutMachine,
  metaRouterMachine,
  planThenExecuteMachine,
  reactMachine,
  reflexionMachine,
  routerMachine,
  screeningMachine,
  supervisorMachine,
  toolCallMachine,
} from './machines.ts'
export { inputOf } from './input-of.ts'
export {
  pendingEffects,
  reportEvent,
  settleEffect,
  type EffectSettlement,
  type PendingEffect,
} from './effects.ts'
export type { AgentInput, AgentReport } from '../machines/contract/agent.ts'
export type { DelegationOutput, ToolCallOutput, CompletionOutput } from '../machines/contract/reports.ts'
export type * from './named-parts.ts'
