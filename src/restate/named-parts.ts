/**
 * Types that the types of `troupe/restate` are made of. They are exported so that the compiler can name them in declarations of a user's own
 * package; nobody fills them in.
 */
export type { AgentRequest } from '../machines/contract/agent.ts'
export type { HandoffChain, HandoffShape } from '../machines/contract/handoff-chain.ts'
export type { AgentOutput } from '../machines/contract/records.ts'
export type { IngressAddress } from './client/ingress.ts'
export type { Remaining as RemainingBudget } from './wire/durable-options.ts'
export type {
  LastTurn as LastRunTurn,
  ReadReply,
  ReadRequest,
  RunReport,
  RunRequest,
  Tell as TellRequest,
  Turn as RunTurn,
} from './wire/wire.ts'
export type {
  DataOf as DataOfOptions,
  DurableArgs,
  Functional as FunctionalOptions,
} from './wire/durable-options.ts'
export type { AgentHandlers, PartOutput, Told as ToldReply } from './wire/wire.ts'
export type { AgentWorkflow, WorkflowSettings } from './worker/workflow.ts'
export type { SpokenDelta, StreamedEvent } from '../runtime/handle/run-event.ts'
export type { Spent as SpentBudget } from '../runtime/state/effects/budget.ts'
