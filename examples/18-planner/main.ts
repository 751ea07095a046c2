/** Plan, then execute: the plan as it is made, carried out side by side, and revised when a step fails. */
import { createTroupe, type PlanRecord } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createTravelAgent } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const agent = createTravelAgent(source.model)
// A tool fails on purpose: the plan below says so.
const run = await createTroupe({ agents: [agent], onError: () => undefined }).start(
  agent,
  'A day in Lübeck for two, please.',
)
for await (const { type, payload } of run.events) {
  switch (type) {
    case 'plan-created':
      console.log('The plan:')
      show(payload)
      break
    case 'plan-revised':
      console.log(`Revised: ${payload.reason}`)
      show(payload)
      break
    case 'plan-step-start':
      row('begins', payload.stepId, 8)
      break
    case 'plan-step-end':
      row(payload.status, `${payload.stepId}: ${JSON.stringify(payload.result) ?? payload.error?.message}`, 8)
      break
    case 'synthesis-start':
      console.log('The answer is made of it.')
      break
    default:
  }
}

const result = await run.result
console.log(`\nAnswer:  ${result.text}`)
console.log(`Outcome: ${result.outcome}, plan of revision ${result.plan?.revision}`)
reportFailure(result)

/** The steps that are still to be done, each with what it waits for. */
function show({ steps }: PlanRecord): void {
  for (const { id, goal, status, dependsOn } of steps) {
    if (status !== 'pending') continue
    row('', `${id}: ${goal}${dependsOn.length === 0 ? '' : ` (after ${dependsOn.join(', ')})`}`, 8)
  }
  console.log()
}
