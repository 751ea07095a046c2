/** A reader stops a story in mid-sentence, and asks for the rest later: the model reads what it had said, and that it was cut. */
import { createTroupe, memoryStore, textOf } from 'troupe'
import { createNarrator } from './agents.ts'
import { slowModel } from './slow-model.ts'

const store = memoryStore()
const inThread = { threadId: 'story', resourceId: 'ann' } as const

const narrator = createNarrator(slowModel(['Once, a lamp was lit ', 'on the pier, and ']))
const troupe = createTroupe({ agents: [narrator], store })
const run = await troupe.start(narrator, 'Tell me of the lighthouse.', inThread)
let seen = ''
for await (const event of run.events) {
  if (event.type !== 'text-delta') continue
  seen += event.payload.text
  if (seen.endsWith('and ')) await run.cancel('The reader closes the book.')
}
const cut = await run.result
console.log(`${cut.outcome}: ${JSON.stringify(cut.partialText)}`)

for (const { role, content, internal } of await troupe.memory.messages('story'))
  console.log(`  ${role}${internal === undefined ? '' : ` (${internal})`}: ${textOf(content)}`)
await troupe.close()

const goingOn = createNarrator(slowModel(['and a ship came home.'], true))
const later = createTroupe({ agents: [goingOn], store })
const rest = await (await later.start(goingOn, 'Go on.', inThread)).result
console.log(`\n${rest.outcome}: ${rest.text}`)
await later.close()
