/** Reflexion: after each action and each answer the agent criticises itself, and does better. */
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createEstimator } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const run = createEstimator(source.model).stream('What do we spend on coffee in a year?')
for await (const { type, payload } of run.events) {
  if (type === 'step-start') console.log(`Step ${payload.step}`)
  if (type === 'tool-call') row('calls', `${payload.toolName}(${JSON.stringify(payload.args)})`, 10)
  if (type === 'tool-result') row('gets', JSON.stringify(payload.result), 10)
  if (type === 'text-end') row('says', payload.text, 10)
  if (type === 'critique') row(payload.satisfied ? 'is content' : 'objects', payload.critique, 10)
}

const result = await run.result
console.log(
  `\nOutcome: ${result.outcome} after ${result.steps.length} steps, ${result.usage.totalTokens} tokens`,
)
console.log(`Answer:  ${result.text}`)
reportFailure(result)
