/** A run of one troupe, watched from another one on the same store: the reader leaves, and goes on behind its cursor. */
import { createTroupe, memoryStore, TroupeError } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createHarbour } from './agents.ts'
import { script } from './script.ts'
import { show } from './show.ts'

await using source = await chooseModel(script)
console.log(source.notice)

// With `sqliteStore` or `postgresStore` the two troupes may be in two processes.
const store = memoryStore()
const harbour = createHarbour(source.model)
// A run that waits for a person stays with the office: otherwise the page could take it after a second.
const office = createTroupe({ agents: [harbour], store, passivateAfter: Infinity })
const page = createTroupe({ agents: [harbour], store, pollInterval: 20 })

const run = await office.start(harbour, 'The Aurora asks for berth 4.')

console.log('\nThe page watches the run, which the office has:')
let cursor: string | undefined
let question = ''
for await (const event of page.watch(run.id)) {
  show(event)
  cursor = event.cursor
  if (event.type === 'tool-call-approval') {
    question = event.payload.toolCallId
    break // the page is closed
  }
}

console.log('\nThe page does not have the run:')
try {
  await page.resume(run.id)
} catch (error) {
  if (!(error instanceof TroupeError)) throw error
  console.log(`  resume is refused, ${error.code}`)
}

// Meanwhile a person agrees, and the run ends. The page has kept the cursor.
await run.approve(question)
const result = await run.result
reportFailure(result)

console.log('\nThe page is opened again, and goes on behind the cursor:')
const options = cursor === undefined ? {} : { after: cursor }
for await (const event of page.watch(run.id, options)) show(event)

let text = ''
for await (const delta of page.watch(run.id, options).textStream) text += delta
console.log(`\nIts text: ${text}`)

await page.close()
await office.close()
