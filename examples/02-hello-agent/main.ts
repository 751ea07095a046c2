/** Hello, agent: one agent, one tool, one question. */
import { chooseModel } from '../support/model.ts'
import { createBookkeeper } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const bookkeeper = createBookkeeper(source.model)
const result = await bookkeeper.generate('How much is 1249.90 with 19 % VAT?')

for (const step of result.steps) {
  for (const [index, call] of step.toolCalls.entries()) {
    console.log(
      `Tool:    ${call.name}(${JSON.stringify(call.args)}) → ${JSON.stringify(step.toolResults[index]?.value)}`,
    )
  }
}
console.log(`Answer:  ${result.text}`)
console.log(`Outcome: ${result.outcome}, ${result.steps.length} steps, ${result.usage.totalTokens} tokens`)
if (result.outcome === 'failed') {
  console.error(result.error.message)
  process.exitCode = 1
}
