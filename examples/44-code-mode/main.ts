/**
 * Code mode: the model writes one program, and the program makes eight calls of tools. Each is a call like any other: a person
 * approves two orders and denies one, and the program goes on.
 */
import { createTroupe } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createShop } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const manager = createShop(source.model)
const troupe = createTroupe({ agents: [manager] })
const run = await troupe.start(manager, 'Order what is short, up to ten units of each.')

for (let idle = await run.whenIdle; idle.outcome === 'suspended'; idle = await run.whenIdle) {
  for (const { toolCallId, toolName, args } of idle.awaiting) {
    const isWanted = !JSON.stringify(args).includes('sugar')
    console.log(`${isWanted ? 'approved' : 'denied  '}  ${toolName} ${JSON.stringify(args)}`)
    if (isWanted) await run.approve(toolCallId)
    else await run.deny(toolCallId, 'There is enough sugar.')
  }
}

const result = await run.result
const calls = (await troupe.journal(run.id)).filter((entry) => entry.type === 'effect.settled')
const count = (kind: string) => calls.filter((entry) => entry.kind === kind).length
console.log(`\n${result.text}`)
console.log(`\n${count('model')} model calls, ${count('tool')} calls of tools.`)
reportFailure(result)
await troupe.close()
