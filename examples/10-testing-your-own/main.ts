/** Testing your own: an agent without a model server, and a machine of yours on every path that it has. */
import { textOf } from 'troupe'
import { coverMachine, scriptedModel } from 'troupe/testing'
import { createDesk } from './agents.ts'
import { refund } from './refund.ts'
import { isDown, outcomes, suite } from './suite.ts'

// An agent: the model answers from a script, and records what it was asked.
const model = scriptedModel([
  { toolCalls: [{ name: 'refund', args: { order: 'A-17', euros: 20 } }] },
  'Your 20 euros are on their way.',
])
const result = await createDesk(model).generate('I want my 20 euros back, for order A-17.')
model.assertConsumed() // throws when the script has steps that nobody asked for
console.log('An agent, with a scripted model:')
console.log(`  outcome      ${result.outcome}: ${result.text}`)
console.log(`  model calls  ${model.calls.length}, the second one told ${lastMessage(1)}`)

// A machine: its paths are found and run. In a test runner each is a test: test(path.name, () => path.run()).
const cover = coverMachine(refund, suite)
console.log(`\nA machine: ${cover.paths.length} paths. First stands the input, then what happens to it.`)
for (const { name } of cover.paths) console.log(`  ${name}`)
const { covered, total } = await cover.run()
console.log(`Each ran on the real engine and was replayed. They took ${covered} of ${total} transitions.`)

console.log('\nA mistake in the machine: a guard says "<= 2" where it should say "< 2".')
const mistaken = refund.provide({ guards: { mayTryAgain: ({ context }) => context.payments <= 2 } })
await coverMachine(mistaken, suite).run().then(nothingFound, show)

console.log('\nA gap in the test: nobody has thought of a bank that is down.')
const bank = outcomes.bank.filter((outcome) => outcome !== isDown)
await coverMachine(refund, { ...suite, outcomes: { ...outcomes, bank } })
  .run()
  .then(nothingFound, show)

function lastMessage(call: number): string {
  return textOf(model.calls[call]?.request.messages.at(-1)?.content ?? 'nothing')
}

function show(error: Error): void {
  console.log(`  Found: ${error.message.replaceAll('\n', '\n  ')}`)
}

function nothingFound(): void {
  console.error('  Nothing was found, and something should have been.')
  process.exitCode = 1
}
