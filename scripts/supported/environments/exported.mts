/** A library of somebody: all that it exports is of our types, and its declarations name them. */
import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'

export const agent = createAgent({ id: 'a', model: scriptedModel(['Hi.']) })
export const troupe = createTroupe({ agents: [agent] })
export const chart = agent.chart()

export async function answered() {
  const run = await troupe.start(agent, 'Hi')
  const result = await run.result
  return result.outcome === 'completed' ? result : undefined
}
