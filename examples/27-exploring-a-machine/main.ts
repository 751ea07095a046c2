/** Exploring a machine of your own that has agents as children: two of one source, in both orders, and a fault that one order shows. */
import { createActor, waitFor } from 'xstate'
import { createTroupe } from 'troupe'
import { coverMachine, explore, scriptedModel, type ExploreReport } from 'troupe/testing'
import { createReviewer } from './agents.ts'
import { createChange, withFault } from './change.ts'
import { events, input, outcomes, rules } from './suite.ts'

const approval = '{ "approves": true, "because": "It is fine." }'
const reviewer = createReviewer(scriptedModel([approval, approval]))
const change = createChange(createTroupe({ agents: [reviewer] }), reviewer)

const actor = createActor(change, { input })
actor.start()
const { value } = await waitFor(actor, ({ status }) => status === 'done')
console.log(`With agents, once: the change is ${value}.`)

const suite = { input, outcomes, events, rules }
const faulty = withFault(change)

console.log('\nWith a fault, and the reviews in the order of their ids:')
show(await explore(faulty, { ...suite, interchangeable: ['reviewer'] }))

console.log('\nWith a fault, and the reviews in every order:')
show(await explore(faulty, suite))

console.log('\nWithout the fault, in every order:')
show(await explore(change, suite))

const cover = coverMachine(change, { inputs: { change: input }, outcomes, events })
const { covered, total } = await cover.run()
console.log(
  `\nIts ${cover.paths.length} paths take ${covered} of ${total} transitions. Those with both reviews:`,
)
const isWhole = (name: string): boolean => name.includes('security:') && name.includes('style:')
for (const { name } of cover.paths) if (isWhole(name)) console.log(`  ${name}`)

function show({ states, isComplete, outcomes: ends, violations }: ExploreReport<string>): void {
  console.log(`  ${states} states, complete: ${isComplete}, ends: ${Object.keys(ends).toSorted().join(', ')}`)
  for (const { rule, steps } of violations) {
    console.log(`  Broken: ${rule}.`)
    for (const [index, step] of steps.entries()) console.log(`    ${index + 1}. ${step}`)
  }
  if (violations.length === 0) console.log('  Every rule holds.')
}
