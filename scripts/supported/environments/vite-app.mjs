/**
 * A module of an app under Vite, which runs it anew after each edit. An app keeps its agent and its troupe on `globalThis`, both
 * in one place. A troupe that is kept alone meets an agent that it does not know, and says so.
 */
import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'

const makeAgent = () =>
  createAgent({ id: 'kept', model: scriptedModel(['Here.', 'Here.', 'Here.', 'Here.']) })

function makeApp() {
  const agent = makeAgent()
  return { agent, troupe: createTroupe({ agents: [agent] }) }
}

const { agent, troupe } = (globalThis.app ??= makeApp())
const another = makeAgent()

async function told(one) {
  const run = await troupe.start(one, 'Hi')
  const { outcome, text } = await run.result
  return `${outcome} ${text}`
}

export const page = () => told(agent)
export const pageOfAnother = () => told(another)
