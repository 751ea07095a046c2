/** One of two modules with agents, of which an edit reloads this one alone. */
import { waitingAgent } from './waiting-agent.ts'

export const refunds = waitingAgent('refunds', 'EDITION')
