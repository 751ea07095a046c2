/** The child process of troupe-processes.ts: it measures the runs of one troupe, and tells the measurements as JSON. */
import { oneTroupeField } from './one-troupe.ts'
import { compare } from '../support/measure.ts'

// A process that serves forces no collection, and has optimised its code.
const measurements = await compare(oneTroupeField(), {
  warmUps: 12,
  rounds: Number(process.argv[2]),
  isServing: true,
})
console.log(JSON.stringify(measurements))
