/** Skills: the model sees names and descriptions, loads one text by a call, and reads a file beside it. Each is on record. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createHarbourMaster } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const agent = createHarbourMaster(source.model)
const troupe = createTroupe({ agents: [agent] })
const run = await troupe.start(agent, 'We draw 4.5 m. When may we enter Aurora?')
const result = await run.result
for (const { toolResults } of result.steps) {
  for (const { name, value } of toolResults) {
    const { digest, files } = value as { readonly digest: string; readonly files?: readonly string[] }
    row(name, `${digest.slice(0, 8)}${files === undefined ? '' : `  beside it: ${files.join(', ')}`}`, 18)
  }
}
console.log(`\nAnswer:  ${result.text}`)
console.log(`Outcome: ${result.outcome}`)
reportFailure(result)
await troupe.close()
