/** What an agent may be told to remember. */
import { createAgent, createTroupe, type TroupeMemory } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const model = scriptedModel([])

const writer = createAgent({ id: 'a', instructions: '', model, memory: true })
createAgent({
  id: 'a',
  instructions: '',
  model,
  memory: { lastMessages: 4, workingMemory: { template: 'Name:' } },
})
createAgent({
  id: 'a',
  instructions: '',
  model,
  contextSchema: z.object({ plan: z.enum(['free', 'pro']) }),
  memory: ({ context }) => (context.plan === 'pro' ? { lastMessages: 40 } : false),
})
// @ts-expect-error a function gives the options of memory, or a boolean
createAgent({ id: 'a', instructions: '', model, memory: () => 'yes' })
// @ts-expect-error a function is for definitions: a run has one memory
void writer.generate('Go', { memory: () => true })
// @ts-expect-error there is no such option of memory
createAgent({ id: 'a', instructions: '', model, memory: { lastMessage: 4 } })
// @ts-expect-error a window is a number of messages
createAgent({ id: 'a', instructions: '', model, memory: { lastMessages: '4' } })

export const memory: TroupeMemory = createTroupe({ agents: [writer] }).memory
