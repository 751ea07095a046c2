/** The cashier's process. It takes a case; told to leave, it does not wait for the answer. */
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { visibleJson } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { leave, say, stay } from '../support/other-process.ts'
import { createCashier } from './agents.ts'
import { script } from './script.ts'

const [file = 'runs.db', request = '', leaves] = process.argv.slice(2)
await using source = await chooseModel(script)
const cashier = createCashier(source.model, say)
const store = sqliteStore(file)
// A run that waits stays here, and every 50 ms there is a look at what others have sent to it.
const troupe = createTroupe({ agents: [cashier], store, passivateAfter: Infinity, pollInterval: 50 })

say(`takes the case: ${request}`)
const run = await troupe.start(cashier, request)
const idle = await run.whenIdle
if (idle.outcome === 'suspended') {
  for (const { toolName, args } of idle.awaiting) say(`asks: ${toolName} ${visibleJson(args)}?`)
}
if (leaves === undefined) {
  stay()
  const { outcome, text } = await run.result
  say(`${outcome}: ${text}`)
} else {
  say('closes for today')
}
await troupe.close()
await store.close()
leave()
