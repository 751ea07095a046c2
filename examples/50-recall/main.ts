/** Recall: notes that fit a question are put before it, from SQLite and from Postgres, and no customer finds those of another. */
import { PGlite } from '@electric-sql/pglite'
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { row } from '../support/report.ts'
import { createKeeper } from './agents.ts'
import { postgresNotes } from './postgres-notes.ts'
import { script } from './script.ts'
import { sqliteNotes } from './sqlite-notes.ts'

await using source = await chooseModel(script)
console.log(`${source.notice}\n`)

const notes = [
  { id: 'n1', owner: 'ann', text: 'The spare key of the boat hangs behind the clock.' },
  { id: 'n2', owner: 'ann', text: 'The mooring is paid until May.' },
  { id: 'n3', owner: 'ben', text: 'The alarm of the house has the code 4711.' },
]
const database = new PGlite()
const searches = { SQLite: sqliteNotes(notes), Postgres: await postgresNotes(database, notes) }

for (const [name, search] of Object.entries(searches)) {
  const keeper = createKeeper(source.model, search)
  const troupe = createTroupe({ agents: [keeper] })
  for (const question of ['Where is the key of my boat?', 'What is the code of the alarm?']) {
    const run = await troupe.start(keeper, question, { resourceId: 'ann' })
    for await (const event of run.events) {
      if (event.type === 'recalled')
        row(name, `found ${event.payload.passages.map(({ id }) => id).join(', ') || 'nothing'}`, 10)
    }
    row('', (await run.result).text, 10)
  }
  await troupe.close()
}
await database.close()
