/**
 * The inspector: a page that shows a run while it goes on, goes back in it, and answers its question. In a terminal the
 * page waits for you to approve the payment there, and stays until you press Enter; anywhere else the example approves by
 * itself and ends.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTroupe } from 'troupe'
import { inspector } from 'troupe/inspector'
import { sqliteStore } from 'troupe/sqlite'
import { visibleJson } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createOffice } from './agents.ts'
import { script } from './script.ts'

const isAttended = process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']

await using source = await chooseModel(script)
console.log(source.notice)
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))
const store = sqliteStore(join(folder, 'runs.db'))
const office = createOffice(source.model)
const troupe = createTroupe({ agents: [office], store })

const view = inspector(troupe, { title: 'Accounts' })
console.log(`Inspector: open ${await view.url} in a browser.`)

const run = await troupe.start(office, 'Settle invoice 17')
for await (const event of run.events) {
  if (event.type !== 'tool-call-approval') continue
  console.log(`\nIt waits: may ${event.agent} ${event.payload.toolName} ${visibleJson(event.payload.args)}?`)
  if (isAttended) console.log('Answer on the page.')
  else await run.approve(event.payload.toolCallId, { by: 'the example' })
}
const result = await run.result
console.log(`Outcome: ${result.outcome}\nAnswer: ${result.text}`)
reportFailure(result)

console.log(
  `\nThe page shows ${(await troupe.journal(run.id)).length} entries: go back in them with the arrow keys.`,
)
if (isAttended) {
  console.log('Press Enter to end.')
  await once(process.stdin, 'data')
  process.stdin.pause()
}
await view.stop()
await troupe.close()
await store.close()
rmSync(folder, { recursive: true })
