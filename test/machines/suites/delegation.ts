import type { Outcome } from 'troupe/testing'
import type { Message } from '../../../src/actors/message.ts'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { Derived } from '../../../src/actors/values/derived.ts'
import type { AgentOutput } from '../../../src/machines/contract/records.ts'
import type { AgentProfile, AgentReport, HandedOff } from '../../../src/machines/contract/agent.ts'
import { delegationMachine, type DelegationInput } from '../../../src/machines/delegation.ts'
import { initialContext } from '../../../src/machines/loop/changes/context.ts'
import { loopInput } from './loop-outcomes.ts'
import { cancel, failed, fails, fires, profile, spent, hooksOf } from './support.ts'
import { suiteOf } from './suite.ts'

/** With messages of the library, of which a subagent reads those of the scoring alone. */
const conversation = AppendLog.of<Message>([
  { role: 'user', content: 'Write.' },
  { role: 'user', content: 'It lacks facts.', internal: 'scoring' },
  { role: 'user', content: 'Its facts were too long.', internal: 'feedback' },
  { role: 'user', content: 'A task has ended.', internal: 'notice' },
])

function input(
  more: Partial<AgentProfile>,
  { depth = 1, ...rest }: Partial<DelegationInput> = {},
): DelegationInput {
  return {
    profile: { ...profile, ...more },
    runId: 'run',
    path: 'lead/delegation:1.1',
    key: 'researcher',
    subagent: 'researcher',
    args: { prompt: 'Find facts.' },
    conversation,
    task: 'Write.',
    framing: undefined,
    iteration: 1,
    depth,
    threadId: undefined,
    resourceId: undefined,
    loop: new Derived(initialContext(loopInput())),
    ...rest,
  }
}

function ends(outcome: AgentOutput['outcome'], more: Partial<AgentOutput> = {}): Outcome<AgentReport> {
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
const hookOutcomes = hooksOf({
  onDelegationStart: [
    { name: 'accepts', value: { proceed: true } },
    {
      name: 'modifies',
      value: {
        proceed: true,
        modifiedPrompt: 'Find more.',
        modifiedMaxSteps: 5,
        modifiedInstructions: 'Be brief.',
      },
    },
    { name: 'rejects', value: { proceed: false, rejectionReason: 'no' } },
    fails,
  ],
  requireDelegationApproval: [{ name: 'needed', value: true }, { name: 'not needed', value: false }, fails],
  messageFilter: [{ name: 'filters', value: [] }, fails],
  onDelegationComplete: [
    { name: 'accepts', value: { bail: false } },
    { name: 'gives feedback', value: { bail: false, feedback: 'Shorter.' } },
    { name: 'bails', value: { bail: true } },
    fails,
  ],
})

const timeout = { ...profile.delegation, timeout: 100 }
const asking = { delegation: { ...profile.delegation, requireApproval: 'asks' as const } }

export const delegationSuite = suiteOf(delegationMachine(), {
  inputs: {
    plain: input({}),
    'with hooks': input({ hooks }),
    'with hooks, its steps limited by the model': input(
      { hooks },
      { args: { prompt: 'Find facts.', maxSteps: 3 } },
    ),
    'with hooks, hook errors ignored': input({ hooks, hookErrors: 'ignore' }),
    'with a filter alone': input({ hooks: { messageFilter: 'agent' } }),
    'with a timeout': input({ delegation: timeout }),
    'with a timeout and hooks': input({ delegation: timeout, hooks }),
    'with a timeout and hooks, hook errors ignored': input({
      delegation: timeout,
      hooks,
      hookErrors: 'ignore',
    }),
    'with approval': input({ delegation: { ...profile.delegation, requireApproval: true } }),
    'with approval in time, after a hook': input({
      delegation: { ...timeout, requireApproval: true, approvalTimeout: 50 },
      hooks: { onDelegationStart: 'agent' },
    }),
    'asks whether a person approves': input({ ...asking, hooks: { requireDelegationApproval: 'agent' } }),
    'asks whether a person approves, hook errors ignored': input({
      ...asking,
      hooks: { requireDelegationApproval: 'agent' },
      hookErrors: 'ignore',
    }),
    'approved for the run': input(asking, { standing: { approved: true } }),
    'denied for the run': input(asking, { standing: { approved: false, reason: 'never' } }),
    'too deep': input({}, { depth: 3 }),
    'names a file that is not there': input({ hooks }, { unknownFiles: { asked: ['map.png'], known: [] } }),
  },
  outcomes: {
    hook: hookOutcomes,
    agent: [
      ends('completed'),
      ends('exhausted', { reason: 'maxSteps' }),
      ends('failed', { error: failed }),
      ends('cancelled'),
      { name: 'hands off', value: handsOff },
      fails,
    ],
    signal: [
      { name: 'yes', value: { approved: true } },
      { name: 'no', value: { approved: false, reason: 'not today' } },
      { name: 'yes, with another prompt', value: { approved: true, args: { prompt: 'Find little.' } } },
      { name: 'yes, with wrong arguments', value: { approved: true, args: { prompt: '' } } },
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
  mayRepeat: { 'hands off': 'A conversation is handed on at most `maxHandoffs` times.' },
  stateKey: (snapshot, live) => {
    const { atWork, childOutcome, outcome, review, error, hookError, prompt, rejection } = snapshot.context
    return JSON.stringify([
      snapshot.value,
      snapshot.status,
      live,
      [atWork, childOutcome, outcome, review.bail, error?.code, hookError?.code, prompt, rejection],
      snapshot.output?.record.outcome,
      snapshot.output?.record.subagentOutcome,
    ])
  },
})
