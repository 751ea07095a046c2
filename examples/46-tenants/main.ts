/** Budgets of tenants: two workers on one store, and a customer whose day is used up on both. */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTroupe, type TenantOptions } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { chooseModel } from '../support/model.ts'
import { createTranslator } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

/** A free customer makes two calls a day, whichever worker makes them. */
const tenants: TenantOptions = {
  limits: (customer) => (customer === 'acme' ? [] : [{ per: 'day', modelCalls: 2 }]),
}
const file = join(tmpdir(), `troupe-tenants-${process.pid}.db`)
const workers = ['first', 'second'].map((name) => {
  const translator = createTranslator(source.model)
  const store = sqliteStore(file)
  return { name, translator, store, troupe: createTroupe({ agents: [translator], store, tenants }) }
})

for (const customer of ['ann', 'acme']) {
  console.log(`\n${customer}:`)
  for (const word of ['tide', 'ebb', 'flood', 'shore']) {
    const [worker = workers[0]] = workers.splice(0, 1)
    if (worker === undefined) break
    workers.push(worker)
    const { name, troupe, translator } = worker
    const run = await troupe.start(translator, word, { resourceId: customer })
    const result = await run.result
    const shown = result.outcome === 'completed' ? result.text : `${result.outcome}: the day is used up`
    console.log(`  ${name} worker, "${word}": ${shown}`)
  }
}

const [day] = (await workers[0]?.troupe.tenant('ann')) ?? []
console.log(`\nann has used ${day?.used.modelCalls} of ${day?.max.modelCalls} calls of today.`)
for (const { troupe, store } of workers) {
  await troupe.close()
  await store.close()
}
for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true })
