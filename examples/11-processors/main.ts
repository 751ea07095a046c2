/** Processors: guardrails that change, hold back or refuse what goes to a model and what comes from it. */
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createSupport } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const support = createSupport(source.model, row)
const questions = [
  'Has the refund to 4111 1111 1111 1111 been made?',
  'When will my lamp arrive?',
  'Should I invest in your shares?',
]
for (const question of questions) {
  console.log(`\n${question}`)
  const run = support.stream(question)
  let shown = ''
  for await (const text of run.textStream) shown += text
  const result = await run.result
  row('shown', shown || 'nothing')
  row('outcome', result.outcome === 'tripped' ? `tripped: ${result.reason}` : result.outcome)
  row('tokens', String(result.usage.totalTokens))
  reportFailure(result)
}
