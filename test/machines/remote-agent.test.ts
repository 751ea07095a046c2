import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import type { EffectInput } from '../../src/actors/effect-kinds.ts'
import type { AgentRequest } from '../../src/machines/contract/agent.ts'
import { remoteAgentMachine } from '../../src/machines/remote-agent.ts'
import { cancel, cancelForBail, fails } from './support.ts'

const request: AgentRequest = {
  agent: 'writer',
  task: 'Write.',
  history: [],
  addedInstructions: [],
  depth: 1,
  path: 'lead/delegation:1-0/writer',
  runId: 'run',
}

const answer = { outcome: 'completed', text: 'done', delegations: [], scores: [], steps: [], usage: {} }

const cover = coverMachine(remoteAgentMachine(), {
  inputs: { any: request },
  outcomes: {
    agent: (asked: EffectInput<'agent'>) =>
      asked.operation === 'run'
        ? [{ name: 'reports', value: answer }, fails]
        : [{ name: 'told', value: null }, fails],
  },
  events: () => [
    cancel,
    cancelForBail,
    { name: 'held', event: { type: 'agent.held' } },
    { name: 'released', event: { type: 'agent.released' } },
  ],
  invariant(snapshot) {
    if (snapshot.status === 'active') return
    expect(snapshot.output?.outcome).toBe(snapshot.value === 'reported' ? 'completed' : 'failed')
    expect(snapshot.output?.error === undefined).toBe(snapshot.value === 'reported')
  },
})

test(`remote-agent: ${cover.paths.length} paths over ${cover.edges} edges`, async () => {
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
