/**
 * Functions that narrow, and values that are made of others: the compiler must be able to write their declarations.
 * `npm run types:check` does.
 */
import { createTroupe } from 'troupe'
import { agent, planner, router, shaped, store, supervisor } from './declarations.test-d.ts'

export async function ended(question: string) {
  const result = await agent.generate(question)
  if (result.outcome === 'suspended') return { awaiting: result.awaiting[0] }
  if (result.outcome !== 'completed') throw new Error(result.outcome)
  return result
}
export async function failed(question: string) {
  const result = await shaped.generate(question, { context: { user: 'Ada' } })
  return result.outcome === 'failed' ? { ...result, at: 1 } : undefined
}
export async function suspended(question: string) {
  const result = await supervisor.generate(question)
  return result.outcome === 'suspended' ? result : undefined
}
export async function steps(question: string) {
  const { steps: all, delegations, usage, plan, scores } = await planner.generate(question)
  return { first: all[0], call: all[0]?.toolCalls[0], delegation: delegations[0], usage, plan, scores }
}
export async function events() {
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go.')
  const seen = []
  for await (const event of run.events) {
    if (event.type === 'tool-result') seen.push(event)
    if (event.type === 'delegation-end') seen.push({ ...event.payload })
    if (event.type === 'run-finish') return { event, seen }
  }
  return { actor: run.actor, run, troupe, seen }
}
export async function entries(runId: string) {
  const troupe = createTroupe({ agents: [agent], store })
  const journal = await troupe.journal(runId)
  const settled = journal.flatMap((entry) => (entry.type === 'effect.settled' ? [entry] : []))
  const replay = await troupe.replay(runId)
  return { settled, first: journal[0], last: replay.events.at(-1), replay }
}
export const spread = { ...agent, id: 'spread' }
export const chart = agent.chart()
export const charts = { supervisor: supervisor.chart(), router: router.chart() }
