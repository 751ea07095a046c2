/**
 * The Stately inspector: every actor of a run, with its statechart, live in a browser. In a terminal the page stays
 * until you press Enter; anywhere else the example ends by itself. What the page receives is printed too.
 */
import { once } from 'node:events'
import { createTroupe } from 'troupe'
import { statelyInspector } from 'troupe/inspect-stately'
import { chooseModel } from '../support/model.ts'
import { createShop } from './agents.ts'
import { receive } from './receiver.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const inspector = statelyInspector()
const page = (await inspector.page) ?? ''
const received = receive(page)
console.log(`Inspector: open ${page} in a browser.`)

const shop = createShop(source.model)
const troupe = createTroupe({ agents: [shop], inspect: inspector.inspect })
const run = await troupe.start(shop, 'Do you have desk lamps and armchairs?')
const result = await run.result
console.log(`Outcome: ${result.outcome}\nAnswer: ${result.text}`)
if (result.outcome === 'failed') {
  console.error(result.error.message)
  process.exitCode = 1
}

if (process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']) {
  console.log('\nThe page also shows what has been. Press Enter to end.')
  await once(process.stdin, 'data')
  process.stdin.pause()
}
await inspector.stop()

const actors = await received
const charts = new Map(
  actors.flatMap(({ definition }) => (definition.states ? [[definition.id, definition.description]] : [])),
)
const width = Math.max(...actors.map(({ name }) => name.length))
console.log(`\nThe inspector received ${actors.length} actors, and the states that they went through:`)
for (const { name, states } of actors) console.log(`  ${name.padEnd(width)}  ${states.join(' → ')}`)
console.log(`\nand the definitions of ${charts.size} statecharts:`)
for (const [id, description] of charts) console.log(`  ${id}: ${description}`)
