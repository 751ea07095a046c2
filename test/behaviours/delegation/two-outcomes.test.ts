/** Behaviour 16: what comes after the end of a subagent ends its delegation otherwise, and hides nothing of that end. */
import { createTroupe, type AgentEnd, type Run } from 'troupe'
import { viewOf } from 'troupe/view'
import { expect, test } from 'vitest'
import { allEvents, calls, lead, only, to, worker } from '../../support/agents/agents.ts'

const path = 'lead/delegation:1.1'

interface Case {
  readonly name: string
  readonly outcome: string
  /** What the hook does. */
  readonly review: (run: Run) => Promise<void>
  readonly options?: object
}

const cases: readonly Case[] = [
  {
    name: 'onDelegationComplete fails',
    outcome: 'failed',
    review: () => Promise.reject(new Error('The review fails.')),
  },
  {
    name: 'the run is cancelled in its review',
    outcome: 'cancelled',
    review: (run) => run.cancel('Enough.'),
  },
  {
    name: 'the delegation is cancelled in its review',
    outcome: 'cancelled',
    review: (run) => run.cancel('Enough.', { delegationId: path }),
  },
  {
    name: 'its time is up in its review',
    outcome: 'failed',
    review: () => new Promise(() => undefined),
    options: { timeout: 300 },
  },
]

test.each(cases)('$name', async ({ outcome, review, options }) => {
  const ends: [string, AgentEnd][] = []
  const { promise, resolve } = Promise.withResolvers<Run>()
  const payer = worker('payer', ['Paid.'])
  const { agent } = lead('lead', [calls(to('payer', 'Pay'))], {
    agents: { payer: payer.agent },
    delegation: { ...options, onDelegationComplete: async () => review(await promise) },
    otherwise: 'Done.',
  })
  const observer = {
    agent: (at: { readonly agent: string }) => (end: AgentEnd) => ends.push([at.agent, end]),
  }
  const troupe = createTroupe({ agents: [agent], around: [observer] })
  const run = await troupe.start(agent, 'Go')
  resolve(run)
  const facts = { outcome, subagentOutcome: 'succeeded', text: 'Paid.' }
  const result = await run.result
  expect(result.delegations).toMatchObject([{ ...facts, id: path }])
  const events = await allEvents(run)
  expect(only(events, 'delegation-end').map(({ payload }) => payload)).toMatchObject([facts])
  const part = viewOf(events).agents.at(0)?.parts.get(path)
  expect(part).toMatchObject({ type: 'delegation', status: outcome, subagentOutcome: 'succeeded' })
  expect(ends.find(([id]) => id === 'payer')?.[1]).toMatchObject(facts)
  const replay = await troupe.replay(run.id)
  expect([replay.result, replay.events]).toEqual([result, events])
})
