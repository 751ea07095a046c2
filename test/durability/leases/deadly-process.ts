/** A process that starts a run, or recovers what there is, and is killed by the first model call that it makes. */
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { deadlyAgent } from './deadly-agent.ts'

export interface DeadlyProcess {
  readonly file: string
  readonly verb: 'start' | 'recover'
  readonly leaseTtl: number
}

const { file, verb, leaseTtl } = JSON.parse(process.argv[2] ?? '') as DeadlyProcess
const agent = deadlyAgent(() => process.kill(process.pid, 'SIGKILL'))
const troupe = createTroupe({
  agents: [agent],
  store: sqliteStore(file),
  leaseTtl,
})
// The lease of an ended process runs out first.
if (verb === 'start') await troupe.start(agent, 'Go')
else {
  for (;;) {
    const { refused } = await troupe.recover()
    if (refused.length > 0) {
      console.log(`refused ${refused.map(({ error }) => error.code).join()}`)
      break
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await troupe.close()
}
