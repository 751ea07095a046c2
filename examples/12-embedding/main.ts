/** Agents in an app: a statechart of yours has a desk of agents do its work, is closed in mid-run, and goes on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActor, waitFor, type Snapshot } from 'xstate'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { coverMachine } from 'troupe/testing'
import { chooseModel } from '../support/model.ts'
import { row } from '../support/report.ts'
import { createDesk } from './agents.ts'
import { suite } from './suite.ts'
import { createTicket } from './ticket.ts'
import { script } from './script.ts'
import { watch } from './watch.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const desk = createDesk(source.model, (what) => row('order', what, 8))
const folder = mkdtempSync(join(tmpdir(), 'embedding-')) // what outlives the app
const seen = { seq: 0 }
const question = 'Where is my lamp, order A-17? Yours, Ann'

console.log('\nMonday. A customer writes, and the app is closed while the desk is at work:')
const snapshot = await monday()
console.log(
  `\nThe snapshot of the app has ${Math.ceil(snapshot.length / 1000)} kB: of the run it holds the id.`,
)

console.log('\nTuesday. The app is restored from its snapshot:')
await tuesday(JSON.parse(snapshot) as Snapshot<unknown>)
rmSync(folder, { recursive: true })

const cover = coverMachine(createTicket(createTroupe({ agents: [desk] }), desk), suite)
const { covered, total } = await cover.run()
console.log(`\nTested without a model: ${cover.paths.length} paths take ${covered} of ${total} transitions.`)

/** How the app starts, the first time and any other. */
function open(snapshot?: Snapshot<unknown>) {
  const store = sqliteStore(join(folder, 'runs.db'))
  const troupe = createTroupe({ agents: [desk], store })
  const ticket = createActor(createTicket(troupe, desk), { snapshot, input: { question } })
  const watching = watch(ticket, seen)
  return { store, troupe, ticket, watching }
}

async function monday(): Promise<string> {
  const { store, troupe, ticket, watching } = open()
  const hasBegun = Promise.withResolvers<void>()
  ticket.getSnapshot().children.desk?.on('delegation-end', () => hasBegun.resolve())
  ticket.start()
  await hasBegun.promise
  const persisted = JSON.stringify(ticket.getPersistedSnapshot())
  watching.unsubscribe() // from here on the app has no desk any more
  await troupe.close() // lets the run go as it is; to stop the app would be to cancel it
  await store.close()
  return persisted
}

async function tuesday(snapshot: Snapshot<unknown>): Promise<void> {
  const { store, ticket } = open(snapshot)
  ticket.start()
  const { context } = await waitFor(ticket, (now) => now.matches('awaitingApproval') || now.status === 'done')
  row('you', `approve "${context.reply}"`, 8)
  ticket.send({ type: 'approve' })
  const end = await waitFor(ticket, ({ status }) => status === 'done')
  if (!end.matches('sent')) process.exitCode = 1
  await store.close()
}
