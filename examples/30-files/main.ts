/** Files: a tool makes one, the supervisor hands it on by its name, and the journal never holds its bytes. */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const desk = createDesk(source.model)
const troupe = createTroupe({ agents: [desk] })

const run = await troupe.start(desk, 'How were our sales?')
for await (const { type, payload } of run.events) {
  if (type === 'delegation-start') row('the desk asks', `${payload.agentName}: ${payload.prompt}`)
  if (type === 'delegation-end') row('the analyst says', payload.text)
}
const result = await run.result
reportFailure(result)
row(result.outcome, result.text)

const journal = JSON.stringify(await troupe.journal(run.id))
const [, ref = ''] = /"ref":"([0-9a-f]{64})"/.exec(journal) ?? []
const bytes = await troupe.blobs.get(ref)
row('the journal', `names the picture by ${ref.slice(0, 8)}…`)
row('the store', `has its ${bytes?.length} bytes`)
