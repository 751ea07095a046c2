/** A worker in a process of its own, so that it can be killed. Its arguments are JSON. */
import { appendFileSync } from 'node:fs'
import { restateEndpoint } from 'troupe/restate'
import { marathon } from './marathon.ts'

export interface MarathonProcessOptions {
  readonly port: number
  readonly steps: number
  readonly pace: number
  /** Each line is the idempotency key of an effect that began. */
  readonly log: string
}

const { port, steps, pace, log } = JSON.parse(process.argv[2] ?? '') as MarathonProcessOptions

const agent = marathon({ steps, pace, onEffect: (key) => appendFileSync(log, `${key}\n`) })
await restateEndpoint({ agents: [agent], logger: () => undefined }).listen({ port })
process.send?.('listening')
