/** A process that has a run: it starts one in the store that its argument names, and waits for its end. */
import { createTroupe, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { boss } from './agents.ts'

const [, , address = ''] = process.argv
const store: Store = address.startsWith('postgres:')
  ? postgresStore({ connectionString: address })
  : sqliteStore(address)
const troupe = createTroupe({ agents: [boss], store, pollInterval: 50 })
await troupe.recover({ every: 200 }) // it hears answers to a run that it has passivated
const run = await troupe.start(boss, 'Pay the bill')
await run.whenIdle
console.log(run.id)
const alive = setInterval(() => undefined, 1_000) // a suspended run keeps no process alive
const { outcome } = await run.result
clearInterval(alive)
await troupe.close()
console.log(outcome)
