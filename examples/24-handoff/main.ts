/** Handoffs: control leaves one agent for another, and the run goes on with that one. */
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createHelpDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const run = createHelpDesk(source.model).stream('I am Ada. May was charged twice, and when do you open?')
for await (const { type, path, payload } of run.events) {
  if (type === 'text-end') console.log(`${path.padEnd(12)} ${payload.text}`)
  if (type === 'tool-result') console.log(`${path.padEnd(12)} ${JSON.stringify(payload.result)}`)
  if (type === 'handoff') console.log(`${path.padEnd(12)} → ${payload.to}: ${payload.reason}`)
}

const result = await run.result
const way = ['reception', ...(result.handoffs ?? []).map(({ to }) => to)].join(' → ')
console.log(`\nOutcome: ${result.outcome} by ${result.by}, ${result.steps.length} steps, by way of ${way}`)
console.log(`Answer:  ${result.text}`)
for (const [agent, { totalTokens }] of Object.entries(result.usage.byAgent)) {
  console.log(`         ${agent}: ${totalTokens} tokens`)
}
reportFailure(result)
