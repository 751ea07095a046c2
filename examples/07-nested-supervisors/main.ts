/** Nested supervisors: an agent may be a supervisor itself. Every event says by its path who speaks. */
import { createTroupe, type Usage } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createFestival } from './agents.ts'
import { narrate } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const festival = createFestival(source.model)
const troupe = createTroupe({ agents: [festival] })
const run = await troupe.start(festival, 'Organise a street festival for Saturday.')
await narrate(run)

const result = await run.result
console.log('\nTokens of each agent, over all that it was asked:')
for (const [agent, usage] of Object.entries(result.usage.byAgent)) tokens(agent, usage)
tokens('total', result.usage)

console.log('\nTokens of what the festival delegated, all agents below included:')
for (const { agent, usage } of result.delegations) tokens(agent, usage)
reportFailure(result)

function tokens(name: string, { inputTokens, outputTokens }: Usage): void {
  console.log(
    `  ${name.padEnd(12)}${String(inputTokens).padStart(5)} in${String(outputTokens).padStart(5)} out`,
  )
}
