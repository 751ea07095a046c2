/** `npm run soak:restate`: 40 runs of 50 steps, over a worker that is killed 20 times and a server 10 times. */
import { killSoak } from './kill-soak.ts'

const report = await killSoak({
  runs: 40,
  steps: 50,
  pace: 20,
  workerKills: 20,
  serverKills: 10,
  onKill: (what, begun) => console.log(`killed the ${what} after ${begun} effects`),
})
const { wrong, strangers, effects, repeats, kills } = report
const lost = effects.expected - effects.begun
console.table({
  ...kills,
  effects: effects.begun,
  lost,
  wrong: wrong.length,
  repeats,
  strangers: strangers.length,
})
for (const fault of [...wrong, ...strangers]) console.error(fault)
if (wrong.length + strangers.length + lost > 0) process.exitCode = 1
