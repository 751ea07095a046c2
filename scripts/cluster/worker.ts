/** One worker of the cluster, in a process of its own. Its argument is JSON. */
import { restateEndpoint } from 'troupe/restate'
import { riskAssessment } from './agents.ts'

export interface ClusterWorkerOptions {
  readonly port: number
  readonly pace: number
}

const { port, pace } = JSON.parse(process.argv[2] ?? '') as ClusterWorkerOptions

const agent = riskAssessment(pace, (sighting) => process.send?.(sighting))
await restateEndpoint({ agents: [agent], logger: () => undefined }).listen({ port })
process.send?.('listening')
