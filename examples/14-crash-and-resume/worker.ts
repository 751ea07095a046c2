/** A worker as one would deploy it: it goes on with what was left, and only then takes new work. */
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { chooseModel } from '../support/model.ts'
import { leave, say } from '../support/other-process.ts'
import { createShop } from './agents.ts'
import { Bank } from './bank.ts'
import { leaseTtl, order, storeIn, bankIn } from './places.ts'
import { script } from './script.ts'

const folder = process.argv[2] ?? '.'
await using source = await chooseModel(script)
const shop = createShop(source.model, new Bank(bankIn(folder)), say)
const store = sqliteStore(storeIn(folder))
const troupe = createTroupe({ agents: [shop], store, leaseTtl, pollInterval: leaseTtl / 4 })

const unfinished = (await troupe.runs({ status: 'unfinished' })).items
say(unfinished.length > 0 ? 'finds a run that is not finished, and goes on with it' : 'starts the run')
const { runs } = await troupe.recover()
const [run = await troupe.start(shop, order)] = runs

const { outcome, text } = await run.result
say(`${outcome}: ${text}`)
await troupe.close()
await store.close()
leave()
