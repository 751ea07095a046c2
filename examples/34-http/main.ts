/** Runs over HTTP: a server on Hono, a client that loses its stream and goes on, an approval, and a stranger. */
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { createTroupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { visibleJson } from 'troupe/view'
import { chooseModel } from '../support/model.ts'
import { createTravelDesk } from './agents.ts'
import { clientOf } from './client.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const travel = createTravelDesk(source.model)
const troupe = createTroupe({ agents: [travel] })
const users = new Map([
  ['token-of-ann', 'ann'],
  ['token-of-ben', 'ben'],
])
const handler = createHandler(troupe, {
  agents: [travel],
  base: '/api/troupe',
  authorize(request) {
    const user = users.get(request.headers.get('authorization')?.replace('Bearer ', '') ?? '')
    return user === undefined ? new Response('Who are you?', { status: 401 }) : { resource: user, by: user }
  },
})
const app = new Hono()
app.all('/api/troupe/*', (context) => handler(context.req.raw))

let server: ServerType | undefined
const port = await new Promise<number>((resolve) => {
  server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) => resolve(address.port))
})
const url = `http://127.0.0.1:${port}/api/troupe`
const ann = clientOf(url, 'token-of-ann')

const runId = crypto.randomUUID()
const start = { prompt: 'I have to be in Bergen tomorrow.', runId }
console.log('\nAnn starts a run, twice, since the first answer is lost:')
for (let attempt = 1; attempt <= 2; attempt++) {
  console.log(`  ${(await ann.ask('POST', '/agents/travel/runs', start)).status}`)
}

console.log('\nShe follows it, and her connection breaks at the question:')
let last = ''
let question = ''
for await (const { id, event } of ann.events(runId)) {
  last = id
  if (event.type === 'tool-result')
    console.log(`  ${event.payload.toolName}: ${JSON.stringify(event.payload.result)}`)
  if (event.type !== 'tool-call-approval') continue
  question = event.payload.toolCallId
  console.log(`  may it ${event.payload.toolName} ${visibleJson(event.payload.args)}?`)
  break
}

const ben = clientOf(url, 'token-of-ben')
console.log('\nBen does not see her run:')
console.log(
  `  ${JSON.stringify((await ben.ask('GET', `/runs/${runId}`)).status)}, ${JSON.stringify((await ben.ask('GET', '/awaiting')).body)}`,
)

console.log('\nAnn takes another seat, and follows from where she was:')
const answer = { type: 'approve', toolCallId: question, args: { train: 'IC 17', seat: 'aisle' } }
await ann.ask('POST', `/runs/${runId}/answers`, answer)
for await (const { event } of ann.events(runId, last)) {
  if (event.type === 'tool-call-answered') console.log(`  answered by ${event.payload.by}`)
  if (event.type === 'tool-result')
    console.log(`  ${event.payload.toolName}: ${JSON.stringify(event.payload.result)}`)
  if (event.type === 'text-delta') process.stdout.write(event.payload.text)
  if (event.type === 'run-finish') console.log(`\nOutcome: ${event.payload.outcome}`)
}

await new Promise((resolve) => server?.close(resolve))
await troupe.close()
