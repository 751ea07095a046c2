/**
 * `npm run soak`: all soaks at full length, a few minutes. `npm run soak -- kill`, `fencing`, `postgres` or
 * `postgresFencing` for one of them. The last two need the programs of a Postgres server.
 */
import { ensureModules } from '../../scripts/build/modules.ts'
import { fencingSoak } from './fencing-soak.ts'
import { killSoak } from './kill-soak.ts'
import { postgresFencing, postgresSoak } from './postgres-soak.ts'

await ensureModules() // the workers load them
const soaks = {
  kill: () => killSoak({ runs: 40, steps: 50, kills: 100, life: 500, thinking: 20 }),
  fencing: () => fencingSoak(50),
  postgres: () => postgresSoak({ runs: 40, steps: 50, kills: 60, life: 500, thinking: 20, restarts: 5 }),
  postgresFencing: () => postgresFencing(50),
}
const names = process.argv.slice(2)
for (const [name, soak] of Object.entries(soaks)) {
  if (names.length > 0 && !names.includes(name)) continue
  const { faults, ...report } = await soak()
  console.log(`\n${name}: ${faults.length === 0 ? 'no fault' : `${faults.length} faults`}`)
  console.table({
    ...report,
    ...('unfinishedAtKills' in report && { unfinishedAtKills: report.unfinishedAtKills.join(' to ') }),
  })
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
