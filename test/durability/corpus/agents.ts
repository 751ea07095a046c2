/** Agents whose journals are kept from release to release: all patterns, and a desk that uses most of what an agent can. */
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  type AnyAgent,
  type CallOptions,
  type Prompt,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'
import { calls, to } from '../../support/agents/agents.ts'
import { patterns, patternTree } from '../../support/agents/pattern-tree.ts'

/** A run that is kept. Held calls are approved, and suspended ones resumed with `yes`. */
export interface Kept {
  readonly agent: AnyAgent
  readonly prompt: Prompt
  readonly options?: CallOptions
}

/** By the name of their files in `journals`. */
export function corpus(): Readonly<Record<string, Kept>> {
  const trees = patterns.map(
    (pattern) => [pattern, { agent: patternTree([pattern]).agent, prompt: 'Dig.' }] as const,
  )
  const chain = ['debate', 'router', 'plan-then-execute', 'fan-out', 'supervisor'] as const
  return {
    ...Object.fromEntries(trees),
    nested: { agent: patternTree(chain).agent, prompt: 'Dig.' },
    desk: {
      agent: desk(),
      prompt: [
        { role: 'user', content: 'I am Ada.' },
        { role: 'assistant', content: 'Hello Ada.' },
        { role: 'user', content: 'Plan a trip.' },
      ],
      options: { threadId: 'trip', resourceId: 'ada', context: { tier: 'paid' } },
    },
    handoff: { agent: front(), prompt: 'A refund, please.' },
    typed: { agent: typed(), prompt: 'How many?' },
  }
}

const nothing = z.object({})

function desk(): AnyAgent {
  const tools = {
    find: createTool({
      id: 'find',
      description: 'Finds.',
      inputSchema: z.object({ q: z.string() }),
      execute: ({ q }) => ({ q, hits: 2 }),
    }),
    break: createTool({
      id: 'break',
      description: 'Fails.',
      inputSchema: nothing,
      execute: () => Promise.reject(new Error('broken')),
    }),
    pay: createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: nothing,
      requireApproval: true,
      execute: () => 'paid',
    }),
    ask: createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: nothing,
      execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ question: 'Sure?' }),
    }),
  }
  const clerk = createAgent({
    id: 'clerk',
    description: 'Looks things up.',
    instructions: 'Look it up.',
    model: scriptedModel([], {
      modelId: 'clerk',
      otherwise: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Two flights.' : calls({ name: 'find', args: { q: 'flights' } }),
    }),
    tools: { find: tools.find },
    memory: true,
  })
  const steps = [
    calls(
      { name: 'find', args: { q: 'Oslo' } },
      { name: 'find', args: { q: 7 } },
      { name: 'nothing' },
      { name: 'break' },
    ),
    calls(to('clerk', 'Find flights'), to('clerk', 'Forbidden'), to('clerk', 'Change this')),
    calls({ name: 'pay' }, { name: 'ask' }),
    calls({ name: 'update-working-memory', args: { content: 'Likes Oslo.' } }),
    'A bad plan.',
    'A good plan.',
  ]
  return createSupervisor({
    id: 'desk',
    instructions: 'Plan.',
    model: scriptedModel([], {
      modelId: 'desk',
      otherwise: ({ messages }) =>
        steps[messages.filter(({ role }) => role === 'assistant').length - 1] ?? 'A good plan.',
    }),
    agents: { clerk },
    tools,
    memory: { lastMessages: 5, workingMemory: true },
    inputProcessors: [{ id: 'trim', processInput: ({ messages }) => messages }],
    outputProcessors: [{ id: 'calm', processOutput: ({ text }) => text.replace('!', '.') }],
    delegation: {
      onDelegationStart: ({ prompt }) =>
        prompt === 'Forbidden'
          ? { proceed: false, rejectionReason: 'it is forbidden' }
          : { proceed: true, ...(prompt === 'Change this' ? { modifiedPrompt: 'Find trains' } : {}) },
      onDelegationComplete: () => ({ feedback: 'Be brief.' }),
    },
    onIterationComplete: ({ iteration }) =>
      iteration === 1 ? { continue: true, feedback: 'Go on.' } : { continue: true },
    completion: {
      scorers: [createScorer({ id: 'good', score: ({ output }) => (output.includes('good') ? 1 : 0) })],
    },
    maxSteps: 12,
  })
}

function front(): AnyAgent {
  const refund = createTool({
    id: 'refund',
    description: 'Refunds.',
    inputSchema: nothing,
    execute: () => 'done',
  })
  const billing = createAgent({
    id: 'billing',
    description: 'Bills.',
    instructions: 'Bill.',
    model: scriptedModel([], {
      modelId: 'billing',
      otherwise: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Refunded.' : calls({ name: 'refund' }),
    }),
    tools: { refund },
  })
  return createAgent({
    id: 'front',
    instructions: 'Triage.',
    model: scriptedModel([], {
      modelId: 'front',
      otherwise: calls({ name: 'transfer-to-billing', args: { reason: 'money' } }),
    }),
    handoffs: { billing },
  })
}

function typed(): AnyAgent {
  return createAgent({
    id: 'typed',
    instructions: 'Count.',
    model: scriptedModel([], {
      modelId: 'typed',
      otherwise: ({ messages }) => (messages.length < 4 ? 'Seven' : '{"count":7}'),
    }),
    structuredOutput: { schema: z.object({ count: z.number() }) },
  })
}
