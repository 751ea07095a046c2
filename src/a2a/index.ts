/** Agent2Agent: agents of a troupe for the agents of others. */
export { agentCard } from './card/agent-card.ts'
export type { AgentCardOptions } from './card/agent-card.ts'
export { a2aHandler } from './server/handler.ts'
export { a2aFetch } from './server/fetch.ts'
export type { A2aFetchOptions, A2aUser } from './server/fetch.ts'
export type { A2aCall, A2aHandlerOptions, A2aRun, A2aTroupe } from './server/options.ts'
