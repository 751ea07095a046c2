/** One worker of the cluster, in a process of its own. Its argument is JSON. */
import { openai } from 'troupe'
import { restateEndpoint } from 'troupe/restate'
import { createPartnerCheck } from '../../examples/25-partner-risk/agents.ts'
import { watchedModel } from './watched-model.ts'

export interface ClusterWorkerOptions {
  readonly port: number
  /** Where the model is. */
  readonly environment: Readonly<Record<string, string>>
}

const { port, environment } = JSON.parse(process.argv[2] ?? '') as ClusterWorkerOptions

Object.assign(process.env, environment)
const model = watchedModel(openai(process.env['OPENAI_MODEL'] ?? 'gpt-5-mini'), (path) =>
  process.send?.(path),
)
const agent = createPartnerCheck(model)
await restateEndpoint({ agents: [agent], logger: () => undefined }).listen({ port })
process.send?.('listening')
