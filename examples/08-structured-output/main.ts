/** Structured output: the answer is data of a shape that you give, checked, repaired once, and typed. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createReader, type Invoice } from './agents.ts'
import { answers } from './answers.ts'
import { script } from './script.ts'

const letter =
  'Bright & Sons thank you for your order: a desk lamp, 89.90 euros, and 6.50 euros for its delivery. ' +
  'Please pay by 14 September 2026.'

await using source = await chooseModel(script)
console.log(`${source.notice}\n\nThe letter:\n  ${letter}`)

const reader = createReader(source.model)
const troupe = createTroupe({ agents: [reader] })
const run = await troupe.start(reader, letter)
const result = await run.result

console.log('\nThe answers of the model, and what the check said, from the journal:')
for (const { text, problem } of answers(await troupe.journal(run.id))) {
  row('answer', text, 8)
  row('check', problem === null ? 'it has the shape' : `sent back: ${problem.replaceAll('; ', '\n')}`, 8)
}

if (result.outcome === 'completed') remind(result.object)
reportFailure(result)

/** Typed by the schema: `due` is a `Date`, `euros` a number, and a misspelt field does not compile. */
function remind({ supplier, due, items }: Invoice): void {
  const total = items.reduce((sum, { euros }) => sum + euros, 0)
  const names = items.map(({ name }) => name).join(' and ')
  console.log('\nThe program, with `result.object`:')
  console.log(
    `  Pay ${supplier} ${total.toFixed(2)} euros for ${names}, by ${due.toUTCString().slice(0, 16)}.`,
  )
}
