/** As `refunds.ts`: the module that is not edited. */
import { waitingAgent } from './waiting-agent.ts'

export const sales = waitingAgent('sales', 'EDITION')
