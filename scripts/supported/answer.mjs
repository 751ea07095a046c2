/** One run of a supervisor with a subagent and a tool, and its replay, in a store; in memory without one. */
import { createAgent, createSupervisor, createTool, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

export const expected = 'completed,Five.,adder succeeded,Five.'

const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})

export async function answer(store) {
  const calls = (name, args) => ({ toolCalls: [{ name, args }] })
  const adder = createAgent({
    id: 'adder',
    description: 'Adds.',
    model: scriptedModel([calls('add', { a: 2, b: 3 }), 'The sum is 5.']),
    tools: { add },
  })
  const lead = createSupervisor({
    id: 'lead',
    model: scriptedModel([calls('agent-adder', { prompt: '2 + 3' }), 'Five.']),
    agents: { adder },
  })
  const troupe = createTroupe({ agents: [lead], ...(store && { store }) })
  const run = await troupe.start(lead, 'How much is 2 + 3?')
  const { outcome, text, delegations } = await run.result
  const replayed = await troupe.replay(run.id)
  await troupe.close()
  return [
    outcome,
    text,
    delegations.map((one) => `${one.agent} ${one.outcome}`),
    replayed.result?.text,
  ].join()
}
