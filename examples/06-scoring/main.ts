/** Completion scoring: an answer counts when it passes. Until then it goes back, with the reasons. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createClerk } from './agents.ts'
import { narrate } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const clerk = createClerk(source.model)
console.log('\nThe scorers, and where they pass:')
for (const { id, threshold } of clerk.options.completion?.scorers ?? []) row(id, `at ${threshold}`)

console.log('\nThe events of the run:')
// One scorer throws on purpose: its error is shown below, as the scoring has it.
const troupe = createTroupe({ agents: [clerk], onError: () => undefined })
const run = await troupe.start(
  clerk,
  'Say that the library is closed until Monday at nine, because of its roof.',
)
await narrate(run)

const result = await run.result
console.log(`\nOutcome: ${result.outcome} after ${result.scores.length} scorings`)
console.log(`Scorings: ${result.scores.map(({ outcome }) => outcome).join(', ')}`)
console.log(`Answer: ${result.text}`)
reportFailure(result)
