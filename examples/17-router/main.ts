/** Explicit routing: every choice is a checked decision with its candidates and its reason, and an event. */
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createTravelDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const run = createTravelDesk(source.model).stream('I want to see Porto in April, for three nights.')
for await (const { type, agent, payload } of run.events) {
  if (type === 'routing-decision') {
    const { primitiveType, primitiveId, candidates, selectionReason } = payload
    const others = candidates.map((candidate) => candidate.primitiveId).join(', ')
    console.log(`\n${agent}, decision ${payload.iteration}: ${primitiveType} "${primitiveId}", of ${others}`)
    console.log(`  because: ${selectionReason}`)
  }
  if (type === 'tool-result') console.log(`  gave:    ${JSON.stringify(payload.result)}`)
}

const result = await run.result
console.log(`\nOutcome: ${result.outcome}, ${result.usage.totalTokens} tokens`)
console.log(`Answer:  ${result.text}`)
reportFailure(result)
