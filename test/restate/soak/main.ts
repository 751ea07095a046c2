/** `npm run soak:restate`: 40 runs of 50 steps, over three workers, of which one is killed 20 times, and a server that is killed 10 times. */
import { ensureModules } from '../../../scripts/build/modules.ts'
import { killSoak } from './kill-soak.ts'

await ensureModules() // the workers load them
const report = await killSoak({
  runs: 40,
  steps: 50,
  pace: 20,
  workers: 3,
  workerKills: 20,
  serverKills: 10,
  onKill: (what, begun) => console.log(`killed the ${what} after ${begun} effects`),
})
const { wrong, lost, misread, strangers, effects, repeats, kills, wentOn } = report
const missing = effects.expected - effects.begun
console.table({
  ...kills,
  effects: effects.begun,
  missing,
  lost: lost.length,
  wrong: wrong.length,
  misread: misread.length,
  wentOn,
  repeats,
  strangers: strangers.length,
})
for (const fault of [...wrong, ...lost, ...misread, ...strangers]) console.error(fault)
if (wrong.length + lost.length + misread.length + strangers.length + missing > 0) process.exitCode = 1
