import { expect, test } from 'vitest'
import { coverMachine, type Outcome } from 'troupe/testing'
import { AppendLog } from '../../src/actors/values/append-log.ts'
import type { AgentOutput } from '../../src/machines/contract/records.ts'
import type { AgentProfile, HandedOff } from '../../src/machines/contract/agent.ts'
import { delegationMachine, type DelegationInput } from '../../src/machines/delegation.ts'
import { cancel, failed, fails, fires, profile, spent } from './support.ts'

function input(more: Partial<AgentProfile>, depth = 1): DelegationInput {
  return {
    profile: { ...profile, ...more },
    runId: 'run',
    path: 'lead/delegation:1.1',
    key: 'researcher',
    subagent: 'researcher',
    args: { prompt: 'Find facts.' },
    conversation: AppendLog.of([{ role: 'user', content: 'Write.' }]),
    task: 'Write.',
    framing: undefined,
    iteration: 1,
    depth,
    threadId: undefined,
    resourceId: undefined,
  }
}

function ends(outcome: AgentOutput['outcome'], more: Partial<AgentOutput> = {}): Outcome {
  const value = { outcome, text: 'facts', delegations: [], scores: [], steps: [], usage: {}, ...more }
  return { name: `ends ${outcome}`, value }
}

const handsOff: HandedOff = {
  outcome: 'handedOff',
  text: '',
  handoff: {
    record: { from: 'researcher', to: 'librarian' },
    task: 'Find facts.',
    history: [{ role: 'user', content: 'Find facts.' }],
    maxDepth: 2,
    line: { handoffs: 1, maxHandoffs: 5, notice: 'Go on.' },
  },
  handoffs: [{ from: 'researcher', to: 'librarian' }],
  delegations: [],
  scores: [],
  steps: [],
  usage: {},
}

const hooks = { onDelegationStart: 'agent', messageFilter: 'agent', onDelegationComplete: 'agent' } as const
const hookOutcomes: Record<string, readonly Outcome[]> = {
  onDelegationStart: [
    { name: 'accepts', value: { proceed: true } },
    { name: 'modifies', value: { proceed: true, modifiedPrompt: 'Find more.' } },
    { name: 'rejects', value: { proceed: false, rejectionReason: 'no' } },
    fails,
  ],
  messageFilter: [{ name: 'filters', value: [] }, fails],
  onDelegationComplete: [
    { name: 'accepts', value: { bail: false } },
    { name: 'bails', value: { bail: true } },
    fails,
  ],
}

const timeout = { ...profile.delegation, timeout: 100 }

const cover = coverMachine(delegationMachine, {
  inputs: {
    plain: input({}),
    'with hooks': input({ hooks }),
    'with hooks, hook errors ignored': input({ hooks, hookErrors: 'ignore' }),
    'with a filter alone': input({ hooks: { messageFilter: 'agent' } }),
    'with a timeout': input({ delegation: timeout }),
    'with a timeout and hooks': input({ delegation: timeout, hooks }),
    'with a timeout and hooks, hook errors ignored': input({
      delegation: timeout,
      hooks,
      hookErrors: 'ignore',
    }),
    'too deep': input({}, 3),
  },
  outcomes: {
    hook: (asked: { hook: string }) => hookOutcomes[asked.hook] ?? [],
    agent: [
      ends('completed'),
      ends('exhausted', { reason: 'maxSteps' }),
      ends('failed', { error: failed }),
      ends('cancelled'),
      { name: 'hands off', value: handsOff },
      fails,
    ],
    timer: [fires],
  },
  events: (snapshot) => {
    const agent = Object.keys(snapshot.children).find((id) => id === 'researcher') ?? 'researcher'
    return [
      cancel,
      spent,
      { name: 'time is up', event: { type: 'timeout', after: 100 } },
      { name: 'agent is held', event: { type: 'child.held', child: agent } },
      { name: 'agent is released', event: { type: 'child.released', child: agent } },
    ]
  },
  stateKey: (snapshot, live) => {
    const { atWork, childOutcome, review, error, hookError, prompt, rejection } = snapshot.context
    return JSON.stringify([
      snapshot.value,
      snapshot.status,
      live,
      [atWork, childOutcome, review.bail, error?.code, hookError?.code, prompt, rejection],
      snapshot.output?.record.outcome,
    ])
  },
  invariant(snapshot) {
    if (snapshot.status === 'active') return
    expect(['succeeded', 'bailed', 'rejected', 'failed', 'timedOut', 'exhausted', 'cancelled']).toContain(
      snapshot.output?.record.outcome,
    )
  },
})

test.each(cover.paths.map((path) => [path.name, path] as const))('delegation: %s', (_name, path) =>
  path.run(),
)

test('delegation: every transition is taken', () => {
  expect(cover.transitions().missing).toEqual([])
})
