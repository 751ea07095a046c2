/** Hooks: your functions look at a supervisor's work, and steer it. */
import { textOf } from 'troupe'
import type { PromptMessage } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createPlanner } from './agents.ts'
import { hasMenu } from './hooks.ts'
import { script } from './script.ts'

const conversation: readonly PromptMessage[] = [
  { role: 'user', content: "PRIVATE: It is Ada's farewell, and she does not know." },
  { role: 'user', content: 'Plan lunch for the 12 of us on Friday.' },
]

await using source = await chooseModel(script)
console.log(source.notice)
console.log('\nThe planner is told:')
for (const { content } of conversation) console.log(`  ${textOf(content)}`)

console.log('\nThe hooks, as they are called:')
const planner = createPlanner(source.model, (hook, what) => {
  if (hook === 'onStepFinish') console.log() // each step stands by itself
  row(hook, what)
})
const result = await planner.generate(conversation)
console.log(`\nOutcome: ${result.outcome} after ${result.steps.length} steps\nAnswer: ${result.text}`)
reportFailure(result)

console.log('\nOnce more, with stopWhen: this run ends as soon as there is an affordable menu.')
const quietly = createPlanner(source.model, () => undefined)
const stopped = await quietly.generate(conversation, { stopWhen: hasMenu })
const by = stopped.outcome === 'stopped' ? ` by ${stopped.reason}` : ''
console.log(`\nOutcome: ${stopped.outcome}${by} after ${stopped.steps.length} steps`)
console.log(`The last menu: ${stopped.delegations.findLast(({ agent }) => agent === 'chef')?.text ?? 'none'}`)
reportFailure(stopped)
