/**
 * The program that every supported runtime runs: a supervisor with a subagent and a tool, a replay of its run, and a run
 * in each kind of store. It is JavaScript, since not every runtime strips types.
 */
import { createAgent, createSupervisor, createTool, createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const add = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})
const stores = process.argv.includes('--without-threads') ? [false] : [false, true]

async function answer(store) {
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

async function main() {
  const answers = [await answer()]
  for (const worker of stores) {
    const store = sqliteStore(`runs-${worker}.db`, { worker })
    answers.push(await answer(store))
    await store.close()
  }
  const expected = answers.map(() => 'completed,Five.,adder succeeded,Five.')
  if (answers.join('\n') !== expected.join('\n')) throw new Error(`It answered:\n${answers.join('\n')}`)
  console.log('The program works.')
}

void main()
