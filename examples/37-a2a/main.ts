/** An agent served over Agent2Agent: another agent gives it a task, answers its question, and reads the answer. */
import { serve } from '@hono/node-server'
import { createTroupe } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { chooseModel } from '../support/model.ts'
import { createOffice } from './agents.ts'
import { connect, send } from './client.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const office = createOffice(source.model)
const troupe = createTroupe({ agents: [office] })

// The card names the address, which is known when the server listens.
const { server, url } = await new Promise<{ server: ReturnType<typeof serve>; url: string }>((resolve) => {
  const begun = serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) }, ({ port }) =>
    resolve({ server: begun, url: `http://127.0.0.1:${port}` }),
  )
})
const card = agentCard(office, {
  endpoints: [{ url, binding: 'JSONRPC' }],
  examples: ['May the Aurora enter?'],
})
const answer = a2aFetch(a2aHandler(office, { troupe, card }), {
  authenticate: 'everybody',
  hosts: [new URL(url).host],
})

// From here on it is the other agent.
const client = await connect(url)
console.log(`\nThe card: ${(await client.getAgentCard()).description}`)
console.log('\nMay the Aurora enter?')
const asked = await send(client, 'May the Aurora enter?')
console.log('\nyes')
const { status } = await send(client, 'yes', asked)

const [run] = (await troupe.runs({ runId: asked.id })).items
console.log(`\nThe task has the id of the run, whose outcome is: ${run?.outcome}`)
if (status?.message !== undefined) process.exitCode = 1
server.close()
await troupe.close()
