/** The trail of a run: what each entry of its journal led to, which guard decided, and the actors at any moment. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createDesk } from './agents.ts'
import { decisionsOn, explain } from './explain.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const desk = createDesk(source.model)
const troupe = createTroupe({ agents: [desk] })
const run = await troupe.start(desk, 'My order 17 has not come. I want my 40 euros back!')
const result = await run.result
console.log(`\nAnswer: ${result.text}`)
reportFailure(result)

const trail = await troupe.trail(run.id)
console.log('\nWhat each entry led to:')
for (const entry of trail.entries) for (const line of explain(entry)) console.log(line)

console.log('\nWhy the first refund was not paid:')
for (const line of decisionsOn('desk/delegation:1.1', trail)) console.log(line)

console.log('\nThe desk, entry by entry, without any replay:')
const states = trail.entries.map(({ entry }) =>
  JSON.stringify(trail.view(entry + 1, { path: 'desk' })[0]?.state),
)
console.log(`  ${states.filter((state, index) => state !== states[index - 1]).join(' ')}`)
