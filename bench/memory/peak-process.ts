/** The child process of footprint/peak-memory.ts: a contestant does scenario (d) once, and tells its peak memory. */
import { nothing } from '../footprint/peak-memory.ts'
import { scenarios } from '../scenarios/all.ts'
import { inProcessField } from '../scenarios/field.ts'
import { playRound } from '../support/measure.ts'

const name = process.argv[2]
if (name !== nothing) {
  const entry = inProcessField(scenarios.d).find(({ contestant }) => contestant.name === name)
  if (entry === undefined) throw new Error(`Nobody is called ${JSON.stringify(name)} in scenario (d).`)
  await playRound(entry)
}
console.log((process.resourceUsage().maxRSS * 1024) / 1e6)
