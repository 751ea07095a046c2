import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import type { AgentRequest } from '../../../src/machines/contract/agent.ts'
import { remoteAgentMachine } from '../../../src/machines/remote-agent.ts'
import { spent, cancel, cancelForBail, fails } from './support.ts'
import { suiteOf } from './suite.ts'

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

export const remoteAgentSuite = suiteOf(remoteAgentMachine(), {
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
    spent,
    { name: 'held', event: { type: 'agent.held' } },
    { name: 'released', event: { type: 'agent.released' } },
  ],
})
