/**
 * Agent2Agent: agents of a troupe for the agents of others.
 * @experimental
 */
export { agentCard } from './card/agent-card.ts'
export type { AgentCardOptions } from './card/agent-card.ts'
export { a2aHandler } from './server/handler.ts'
export { a2aFetch } from './server/fetch.ts'
export type { A2aFetchOptions, A2aUser } from './server/fetch.ts'
export type { A2aCall, A2aHandler, A2aHandlerOptions } from './server/options.ts'
export type { A2aTroupe } from './tasks/troupe.ts'
export type { A2aPushOptions } from './push/options.ts'
export type { ResumePushOptions } from './push/pushes.ts'
export { remoteAgent } from './client/remote-agent.ts'
export type { RemoteAgentOptions, RemoteRunOptions } from './client/options.ts'
export type { A2aQuestion } from './client/question.ts'
