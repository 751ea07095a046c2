/** The module of an app that keeps its troupe on globalThis, with the agent of it. */
import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'

function greeting() {
  const model = scriptedModel([], { otherwise: 'Hello from the EDITION.' })
  return createAgent({ id: 'greeter', instructions: 'Greet.', model })
}

/** Made by each load of the module. */
export const loadedAgent = greeting()

function desk() {
  const agent = greeting()
  return { agent, troupe: createTroupe({ agents: [agent] }) }
}

const kept = globalThis as { greetingDesk?: ReturnType<typeof desk> }
export const { agent, troupe } = (kept.greetingDesk ??= desk())
