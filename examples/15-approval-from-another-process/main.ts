/** Approval from another process: the one that asks and the one that answers share nothing but a file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTroupe, SignalError } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { visibleJson } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { startProcess, type OtherProcess } from '../support/other-process.ts'
import { row } from '../support/report.ts'
import { createCashier } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))
const file = join(folder, 'runs.db')
const startCashier = (...args: string[]): OtherProcess =>
  startProcess('cashier', new URL('worker.ts', import.meta.url), [file, ...args], source.environment)

// This process is the office. It has the same agents, so it can weigh an answer, and go on with a run if need be.
const cashier = createCashier(source.model, (what) => row('office', what, 8))
const store = sqliteStore(file)
const troupe = createTroupe({ agents: [cashier], store })

console.log('\nThe process that has the run is waiting:')
const open = startCashier('Refund A-17, 120 euros, please.')
await open.says('asks')
const first = await openQuestion()
await troupe.signal(first.runId, { type: 'approve', toolCallId: first.toolCallId })
row('office', 'approves, by the id of the run', 8)
await open.ends()

console.log('\nThe process that had the run is gone:')
await startCashier('Refund B-20, 900 euros, please.', 'leaves').ends()
const second = await openQuestion()
row('office', 'denies; the run goes on here', 8)
const denial = { type: 'deny', toolCallId: second.toolCallId, reason: 'Older than a year.' } as const
await troupe.signal(second.runId, denial)
const { outcome, text } = await (await troupe.resume(second.runId)).result
row('office', `${outcome}: ${text}`, 8)

console.log('\nEach question is answered once:')
try {
  await troupe.signal(second.runId, denial)
} catch (error) {
  if (!(error instanceof SignalError)) throw error
  row('office', `is refused, ${error.code}`, 8)
}

await troupe.close()
await store.close()
rmSync(folder, { recursive: true })

/** What the one unfinished run waits for, read from its journal: nothing of the run is touched by that. */
async function openQuestion() {
  const [run] = (await troupe.runs({ status: 'unfinished' })).items
  const runId = run?.runId ?? ''
  const { events } = await troupe.replay(runId)
  const question = events.findLast((event) => event.type === 'tool-call-approval')
  const { toolCallId = '', toolName, args } = question?.payload ?? {}
  row('office', `finds: ${toolName} ${visibleJson(args)}`, 8)
  return { runId, toolCallId }
}
