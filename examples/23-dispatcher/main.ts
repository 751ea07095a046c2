/** A dispatcher: one choice, and no loop. Whoever is chosen is given the request as it stands, and answers it. */
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createParcelDesk, offer } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const desk = createParcelDesk(source.model)
await ask('Where is my parcel A-17?')
await ask('What does a parcel to Norway cost?')
await ask('It has been on its way for three weeks!')

async function ask(request: string): Promise<void> {
  console.log(`\n${request}`)
  const run = desk.stream(request)
  for await (const { type, payload } of run.events) {
    if (type !== 'routing-decision') continue
    const { primitiveType, primitiveId, prompt, selectionReason, candidates } = payload
    console.log(`  to:     ${primitiveType} ${primitiveId}, of ${candidates.length} (${selectionReason})`)
    console.log(`  given:  ${prompt}`)
  }
  const result = await run.result
  console.log(`  answer: ${result.text}`)
  // The object of the agent that was chosen comes along, where it made one.
  const priced = offer.safeParse(result.outcome === 'completed' ? result.object : undefined)
  if (priced.success) console.log(`  object: ${priced.data.euros} euros to ${priced.data.country}`)
  console.log(`  tokens: ${Object.keys(result.usage.byAgent).join(' and ')}`)
  reportFailure(result)
}
