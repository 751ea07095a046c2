/** A run as a tree that is made of its events: at its question, at its end, and once more by a reader that comes later. */
import { createTroupe } from 'troupe'
import { emptyView, viewOf, viewsOf } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createKitchen } from './agents.ts'
import { script } from './script.ts'
import { treeOf } from './tree.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const kitchen = createKitchen(source.model)
const troupe = createTroupe({ agents: [kitchen] })
const run = await troupe.start(kitchen, 'Leek soup for forty, please.')

let last = emptyView
let views = 0
for await (const view of viewsOf(run.events)) {
  views++
  last = view
  const [question] = view.questions
  if (view.status !== 'suspended' || question === undefined) continue
  console.log(`\nWhile ${question.agent} asks for "${question.toolName}":`)
  for (const line of treeOf(view)) console.log(`  ${line}`)
  await run.approve(question.toolCallId, { by: 'Ada' })
}

console.log('\nAt the end:')
for (const line of treeOf(last)) console.log(`  ${line}`)

const replayed = viewOf((await troupe.replay(run.id)).events)
const isSame = treeOf(replayed).join('\n') === treeOf(last).join('\n')
console.log(`\n${views} views; a replay gives ${isSame ? 'the same' : 'another'} tree.`)
reportFailure(await run.result)
await troupe.close()
