/**
 * An agent of another company as a subagent, over Agent2Agent: its question is asked in our run, which holds it until a person
 * answers, after a restart of ours.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { visibleJson } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { createTravelOffice } from './agents.ts'
import { openHarbour, token } from './harbour.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const theirs = await openHarbour(source.model)
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))

Object.assign(process.env, { HARBOUR_URL: theirs.url, HARBOUR_TOKEN: token })
const office = createTravelOffice(source.model)

console.log('\nOur troupe gives the harbour a task, and is closed at its question:')
const store = sqliteStore(join(folder, 'runs.db'))
const first = createTroupe({ agents: [office], store })
const run = await first.start(office, 'The Aurora arrives on Friday.')
await run.whenIdle
await first.close()

const second = createTroupe({ agents: [office], store })
const [question] = (await second.awaiting()).items
console.log(`  the harbour asks: may I ${question?.toolName} ${visibleJson(question?.args)}?`)

console.log('\nAnother troupe answers it:')
const resumed = await second.resume(run.id)
await resumed.approve(question?.toolCallId ?? '', { by: 'ann' })
const result = await resumed.result
for (const { agent, outcome, text } of result.delegations) console.log(`  ${agent}: ${outcome}: ${text}`)
console.log(`  ${result.text}`)

const tasks = (await theirs.troupe.runs()).items
console.log(`\nThe harbour has worked on ${tasks.length} task, whose outcome is: ${tasks[0]?.outcome}`)
await second.close()
await store.close()
await theirs.close()
rmSync(folder, { recursive: true })
