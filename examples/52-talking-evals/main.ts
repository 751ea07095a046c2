/** Evaluations that talk: a model plays the customer, and two versions of a desk are compared on recorded tools. */
import { createScorer } from 'troupe'
import {
  compareEvaluations,
  evaluate,
  formatComparison,
  formatEvaluation,
  simulatedUser,
  type EvaluationCase,
} from 'troupe/testing'
import { chooseModel } from '../support/model.ts'
import { createDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const customer = simulatedUser({
  model: source.model,
  instructions: 'You want your money back for the lamp of order A-17, and nothing else.',
})
/** No money moves: the tool answers from here, whatever order it is called with. */
const recording = ['A-17', 'B-1']
  .map((order) => ({ agent: 'desk', tool: 'refund', args: { order }, result: `${order} is paid back.` }))
  .map((call) => `${JSON.stringify(call)}\n`)
  .join('')
const cases: EvaluationCase[] = [
  { name: 'lamp', prompt: 'My lamp is broken, I want my money back.', user: customer, recording },
]
const paidRight = createScorer({
  id: 'paid-right',
  score: ({ output }) => (output.includes('A-17') ? 1 : 0),
})

const options = { scorers: [paidRight], gates: { scores: { 'paid-right': 1 } } }
const eager = await evaluate(createDesk(source.model, 'eager'), cases, options)
const careful = await evaluate(createDesk(source.model, 'careful'), cases, options)

for (const [name, report] of Object.entries({ eager, careful })) {
  console.log(`\nThe ${name} desk, gates ${report.passed ? 'hold' : 'do not hold'}:`)
  for (const { prompt, result } of report.cases.flatMap(({ turns }) => turns))
    console.log(`  Customer: ${prompt}\n  Desk:     ${result.text}`)
  console.log(`\n${formatEvaluation(report).trim()}`)
}
console.log(`\nSide by side:\n\n${formatComparison(compareEvaluations(eager, careful)).trim()}`)
