/** A plan that waits for a person: the first is rejected with a reason, the second is approved with changed steps. */
import { createTroupe, type AwaitedSignal, type ProposedPlanStep } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createBookingDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const agent = createBookingDesk(source.model)
const troupe = createTroupe({ agents: [agent] })
const run = await troupe.start(agent, 'A day in Lübeck, please.')

const [first] = await questions()
if (first !== undefined) await run.deny(first.toolCallId, 'No flights.', { by: 'ann' })

const [second] = await questions()
if (second !== undefined) {
  const steps = stepsOf(second).map((step) => ({ ...step, args: { ...Object(step.args), persons: 3 } }))
  await run.approve(second.toolCallId, { args: { steps }, by: 'ann', note: 'Tom comes too.' })
}

const result = await run.result
for (const { id, status, result: booked } of result.plan?.steps ?? [])
  row(status, `${id}: ${JSON.stringify(booked)}`, 10)
console.log(`\nAnswer:  ${result.text}`)
console.log(`Outcome: ${result.outcome}`)
reportFailure(result)
await troupe.close()

/** The questions of the run, once it waits. */
async function questions(): Promise<readonly AwaitedSignal[]> {
  const idle = await run.whenIdle
  const awaiting = idle.outcome === 'suspended' ? idle.awaiting : []
  for (const asked of awaiting) {
    console.log('May this plan be carried out?')
    for (const { id, goal } of stepsOf(asked)) row('', `${id}: ${goal}`, 10)
    console.log()
  }
  return awaiting
}

function stepsOf({ args }: AwaitedSignal): readonly ProposedPlanStep[] {
  return (args as object as { readonly steps: readonly ProposedPlanStep[] }).steps
}
