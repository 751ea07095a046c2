/** The crash desk as a worker in a process of its own. Its argument is JSON. */
import { restateEndpoint } from 'troupe/restate'
import { crashDesk } from './crash-desk.ts'

export interface CrashDeskOptions {
  readonly port: number
  readonly log: string
}

const { port, log } = JSON.parse(process.argv[2] ?? '') as CrashDeskOptions

const agents = Object.values(crashDesk(log))
await restateEndpoint({ agents, logger: () => undefined }).listen({ port })
process.send?.('listening')
