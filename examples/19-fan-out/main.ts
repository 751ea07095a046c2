/** A fan-out: a task is divided into goals, agents work on them side by side, and one answer is made of all results. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createRiskDesk } from './agents.ts'
import { narrate } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const desk = createRiskDesk(source.model)
const troupe = createTroupe({ agents: [desk] })
const run = await troupe.start(desk, 'How risky is Tern & Sons as a partner?')
await narrate(run)

const result = await run.result
console.log(`\nOutcome: ${result.outcome} after ${result.delegations.length} delegations`)
console.log(`Answer: ${result.text}`)
reportFailure(result)
