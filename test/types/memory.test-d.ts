/** What an agent may be told to remember. */
import { createAgent, createTroupe, type MemoryStorage } from 'troupe'
import { scriptedModel } from 'troupe/testing'

const model = scriptedModel([])

const writer = createAgent({ id: 'a', instructions: '', model, memory: true })
createAgent({
  id: 'a',
  instructions: '',
  model,
  memory: { lastMessages: 4, workingMemory: { template: 'Name:' } },
})
// @ts-expect-error there is no such option of memory
createAgent({ id: 'a', instructions: '', model, memory: { lastMessage: 4 } })
// @ts-expect-error a window is a number of messages
createAgent({ id: 'a', instructions: '', model, memory: { lastMessages: '4' } })

export const memory: MemoryStorage = createTroupe({ agents: [writer] }).memory
