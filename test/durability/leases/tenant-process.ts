/** A worker that makes a call of a model for a tenant, says so, and never gets an answer. It is killed. */
import { createAgent, createTroupe } from 'troupe'
import { leaseTtl, limits } from './tenant-limits.ts'
import { storeAt } from './tenant-store.ts'

const [place = '', runId = ''] = process.argv.slice(2)
const model = {
  provider: 'mine',
  modelId: 'silent',
  generate: () => {
    console.log('calling')
    return new Promise<never>(() => setInterval(() => undefined, 1_000))
  },
}
const agent = createAgent({ id: 'clerk', instructions: 'Work.', model })
const store = storeAt(place)
const troupe = createTroupe({ agents: [agent], store, tenants: { limits }, leaseTtl })
await troupe.start(agent, 'Go.', { runId, resourceId: 'ann' })
