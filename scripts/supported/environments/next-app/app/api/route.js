/** Each request runs the agent of the app, which is kept on `globalThis` with its troupe, as Next's development server wants it. */
import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'

export const dynamic = 'force-dynamic'

function makeApp() {
  const agent = createAgent({ id: 'parrot', model: scriptedModel(['Here.', 'Here.']) })
  return { agent, troupe: createTroupe({ agents: [agent] }) }
}

const { agent, troupe } = (globalThis.app ??= makeApp())

export async function GET() {
  const run = await troupe.start(agent, 'Hi')
  const { outcome, text } = await run.result
  return Response.json({ outcome, text })
}
