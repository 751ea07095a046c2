/** Crash and resume: a worker process is killed in the middle of a payment, and another goes on with its run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { chooseModel } from '../support/model.ts'
import { startProcess, type OtherProcess } from '../support/other-process.ts'
import { row } from '../support/report.ts'
import { createShop } from './agents.ts'
import { Bank } from './bank.ts'
import { bankIn, leaseTtl, order, storeIn } from './places.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'))
const bank = new Bank(bankIn(folder))
const startWorker = (name: string): OtherProcess =>
  startProcess(name, new URL('worker.ts', import.meta.url), [folder], source.environment)

console.log(`\n${order}`)
const first = startWorker('worker 1')
await first.says('asks the bank')
while (bank.requests().length === 0) await sleep(5)
await first.kill()
row('', 'SIGKILL: it is gone. The bank has booked; its answer reaches nobody.', 8)

const store = sqliteStore(storeIn(folder))
const troupe = createTroupe({ agents: [createShop(source.model, bank, () => undefined)], store })
const [left] = (await troupe.runs()).items
console.log(`\nIn the store: a run of "${left?.agent}", ${left?.status}, ${left?.entries} entries.`)
const runId = left?.runId ?? ''
const started = (await troupe.history(runId)).at(-1)
console.log(`The last of them: ${started?.type} ${started?.key}. How far it came, nobody knows.`)

await sleep(leaseTtl) // the first worker might only have been slow
console.log('\nAnother worker, once the lease of the first has run out:')
await startWorker('worker 2').ends()

console.log('\nThe journal, entry by entry:')
for (const { entry, type, key = '', kind = '' } of await troupe.history(runId)) {
  console.log(`  ${String(entry).padStart(2)}  ${type.padEnd(14)}  ${kind.padEnd(5)}  ${key}`.trimEnd())
}

console.log('\nThe bank was asked:')
for (const { key, euros, receipt, isRepeated } of bank.requests()) {
  const answer = isRepeated ? `known: ${receipt} again, nothing is booked` : `booked, ${receipt}`
  console.log(`  ${euros} euros, key ${key.slice(runId.length + 1)}: ${answer}`)
}

const { result } = await troupe.replay(runId)
console.log(`\nOutcome: ${result?.outcome}, with ${result?.usage.totalTokens} tokens; a replay costs none.`)
if (result?.outcome !== 'completed') process.exitCode = 1

await troupe.close()
await store.close()
rmSync(folder, { recursive: true })
