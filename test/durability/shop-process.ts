/** A process with a shop: starts a run, or recovers what there is, and tells on stdout how it goes. */
import { createTroupe, type Run } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { createShop, type ShopOptions } from './shop.ts'

export interface ShopProcess extends ShopOptions {
  readonly file: string
  readonly verb: 'start' | 'recover'
  readonly leaseTtl: number
  /** The run stays in the process however long it waits for an answer. */
  readonly staysInMemory?: true
  /** The process stops itself (SIGSTOP) when it has told the event of this number. Default: never. */
  readonly stopsAt?: number
}

const { file, verb, leaseTtl, staysInMemory, stopsAt, ...options } = JSON.parse(
  process.argv[2] ?? '',
) as ShopProcess
const shop = createShop(options)
const troupe = createTroupe({
  agents: [shop],
  store: sqliteStore(file, { busyTimeout: 60_000 }),
  leaseTtl,
  pollInterval: 10,
  ...(staysInMemory && { passivateAfter: Infinity }),
})

async function follow(run: Run): Promise<void> {
  const finished = (async () => {
    for await (const event of run.events) {
      if (event.seq === undefined) continue
      console.log(`event ${event.seq} ${event.type}`)
      if (event.seq === stopsAt) process.kill(process.pid, 'SIGSTOP')
    }
  })()
  const { outcome } = await run.result
  await finished
  console.log(`ended ${run.id} ${outcome}`)
}

// A lease of an ended process runs out first; what is there is waited for.
const waiting = setInterval(() => undefined, 1_000)
if (verb === 'start') {
  await follow(await troupe.start(shop, 'Sell'))
} else {
  const runs = new Map<string, Promise<void>>()
  while ((await troupe.runs({ status: 'unfinished' })).items.length > 0) {
    for (const run of (await troupe.recover()).runs) runs.set(run.id, follow(run))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await Promise.all(runs.values())
}
clearInterval(waiting)
await troupe.close()
