/** Who does a task, and how? Chosen within configuration, which may change while the troupe runs. */
import { createTroupe, type Run } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createCompanyDesk } from './agents.ts'
import { addDecisions, loadConfig } from './config.ts'
import { narrate } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const desk = createCompanyDesk(source.model)
const troupe = createTroupe({ agents: [desk] })
await loadConfig(troupe)

await show(
  await troupe.start(desk, 'Assess the risk of Heron Ltd as a supplier.', {
    signals: { scope: 'two sides' },
  }),
)
await show(await troupe.start(desk, 'Shorten this: As it did not rain in spring, the harvest was late.'))

const question = 'Shall we open a shop in the harbour?'
await show(await troupe.start(desk, question))

await addDecisions(troupe)
console.log('\nThere are decisions now, and debates. The same question again:')
await show(await troupe.start(desk, question))

console.log('\nWhere the request names its pattern, nothing is chosen:')
await show(await troupe.start(desk, question, { pattern: 'react' }))

async function show(run: Run): Promise<void> {
  await narrate(run)
  reportFailure(await run.result)
}
