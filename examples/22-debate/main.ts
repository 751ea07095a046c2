/** A debate: several agents answer independently, criticise each other, and one answer is made of it all. */
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createCouncil } from './agents.ts'
import { narrate } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const run = createCouncil(source.model).stream('A bridge, or a new ferry?')
await narrate(run)

const result = await run.result
console.log(`\nOutcome: ${result.outcome} after ${result.delegations.length} delegations`)
reportFailure(result)
