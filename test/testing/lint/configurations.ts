/** For each code of `lint` an agent that has the finding, and the same agent with the finding mended. */
import {
  createAgent,
  createDebate,
  createFanOut,
  createMetaRouter,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  type AgentConfig,
  type AgentDefinition,
  type AnyAgent,
  type SupervisorConfig,
  type Tool,
  type ToolConfig,
} from 'troupe'
import { scriptedModel, type FindingCode, type LintOptions } from 'troupe/testing'
import { z } from 'zod'

const model = scriptedModel([])
const inputSchema = z.object({})

type ToolOptions = Partial<ToolConfig<typeof inputSchema, null>>

export const tool = (options: ToolOptions = {}) =>
  createTool({ id: 'tool', description: 'Does it.', inputSchema, execute: () => null, ...options })

export const agent = (options: Partial<AgentConfig> = {}) =>
  createAgent({ id: 'worker', description: 'Works.', instructions: '', model, ...options })

export const lead = (options: Partial<SupervisorConfig> = {}) =>
  createSupervisor({ id: 'lead', instructions: '', model, agents: { worker: agent() }, ...options })

const nested = (maxDepth: number) =>
  lead({
    maxDepth,
    agents: {
      middle: createSupervisor({
        id: 'middle',
        description: 'Delegates.',
        instructions: '',
        model,
        agents: { worker: agent() },
      }),
    },
  })

const good = (threshold = 1) => createScorer({ id: 'good', threshold, score: () => 1 })

const routed = (validPatterns: readonly string[], options: { pattern?: 'react' | 'debate' } = {}) =>
  createMetaRouter({
    id: 'desk',
    instructions: '',
    model,
    agents: { react: agent(), debate: agent({ id: 'panel' }) },
    taskTypes: [
      { name: 'general', description: 'Any.', valid_patterns: ['react'] },
      { name: 'decision', description: 'To decide.', valid_patterns: validPatterns },
    ],
    patterns: [{ name: 'weigh', description: 'Weighs.' }],
    ...options,
  })

const fanOut = (options: { maxSteps?: number; maxRounds?: number }) =>
  createFanOut({ id: 'team', instructions: '', model, agents: { worker: agent() }, ...options })

export const thinking = (tools: Readonly<Record<string, Tool>>) =>
  createReflexion({ id: 'worker', description: 'Thinks.', instructions: '', model, tools })

/** Two agents that hand to each other, or one that hands to the other. */
function helpDesk({ back, maxHandoffs }: { back: boolean; maxHandoffs?: number }): AnyAgent {
  const billing: AgentDefinition = agent({
    id: 'billing',
    handoffs: [(): AgentDefinition => (back ? reception : agent({ id: 'archive' }))],
  })
  const reception: AgentDefinition = agent({
    id: 'reception',
    handoffs: [billing],
    ...(maxHandoffs === undefined ? {} : { maxHandoffs }),
  })
  return reception
}

interface Configuration {
  readonly faulty: AnyAgent
  readonly mended: AnyAgent
  readonly options?: LintOptions
  readonly path: string
}

export const configurations: Readonly<Record<FindingCode, readonly Configuration[]>> = {
  'run-refused': [
    {
      faulty: lead({ agents: { worker: agent({ status: 'draft' }) } }),
      mended: lead(),
      path: 'lead',
    },
    {
      faulty: lead(),
      mended: lead({ agents: { worker: agent({ version: '2' }) } }),
      options: { run: { versions: { agents: { worker: { versionId: '2' } } } } },
      path: 'lead',
    },
  ],
  'subagent-too-deep': [{ faulty: nested(1), mended: nested(2), path: 'lead.agents.middle.agents.worker' }],
  'tool-outside-groups': [
    {
      faulty: agent({ tools: { pay: tool({ groups: ['money'] }) } }),
      mended: agent({ tools: { pay: tool({ groups: ['money'] }) }, toolGroups: ['money'] }),
      path: 'worker.tools.pay',
    },
    {
      faulty: lead({ toolGroups: ['text'], agents: { worker: agent({ tools: { pay: tool() } }) } }),
      mended: lead({ toolGroups: ['default'], agents: { worker: agent({ tools: { pay: tool() } }) } }),
      path: 'lead.agents.worker.tools.pay',
    },
  ],
  'tool-in-unreachable-state': [
    {
      faulty: agent({ tools: { find: tool(), pay: tool({ applicableStates: ['found'] }) } }),
      mended: agent({
        tools: { find: tool({ nextState: 'found' }), pay: tool({ applicableStates: ['found'] }) },
      }),
      path: 'worker.tools.pay',
    },
  ],
  'approval-without-handle': [
    {
      faulty: agent({ tools: { pay: tool({ requireApproval: true, approvalTimeout: 1_000 }) } }),
      mended: agent({ tools: { pay: tool() } }),
      options: { entry: 'generate' },
      path: 'worker.tools.pay',
    },
    {
      faulty: lead({ delegation: { requireApproval: true, approvalTimeout: 1_000 } }),
      mended: lead(),
      options: { entry: 'generate' },
      path: 'lead.delegation.requireApproval',
    },
  ],
  'too-many-model-calls': [
    {
      faulty: lead(),
      mended: lead({ budget: { modelCalls: 20 } }),
      options: { modelCalls: 20 },
      path: 'lead',
    },
  ],
  'handoff-beyond-cap': [
    {
      faulty: helpDesk({ back: false, maxHandoffs: 1 }),
      mended: helpDesk({ back: false, maxHandoffs: 2 }),
      path: 'reception.handoffs.billing.handoffs.archive',
    },
  ],
  'task-type-without-pattern': [
    { faulty: routed(['weigh']), mended: routed(['weigh', 'debate']), path: 'desk.taskTypes.decision' },
  ],
  'pattern-never-valid': [
    { faulty: routed(['react']), mended: routed(['debate']), path: 'desk.agents.debate' },
    {
      faulty: routed(['react']),
      mended: routed(['react'], { pattern: 'debate' }),
      path: 'desk.agents.debate',
    },
  ],
  'no-step-after-calls': [
    {
      faulty: lead({ maxSteps: 1, onExhausted: 'stop' }),
      mended: lead({ maxSteps: 2, onExhausted: 'stop' }),
      path: 'lead',
    },
  ],
  'no-step-for-answer': [{ faulty: fanOut({ maxSteps: 1 }), mended: fanOut({ maxSteps: 2 }), path: 'team' }],
  'feedback-never-read': [
    {
      faulty: lead({ maxSteps: 1, completion: { scorers: [good()] } }),
      mended: lead({ maxSteps: 1, completion: { scorers: [good()], continueOnFail: false } }),
      path: 'lead.completion',
    },
  ],
  'feedback-without-continuation': [
    {
      faulty: lead({ completion: { scorers: [good()], continueOnFail: false, feedbackToLLM: true } }),
      mended: lead({ completion: { scorers: [good()], continueOnFail: false } }),
      path: 'lead.completion',
    },
  ],
  'scorer-always-passes': [
    {
      faulty: lead({ completion: { scorers: [good(0)] } }),
      mended: lead({ completion: { scorers: [good(0.1)] } }),
      path: 'lead.completion.scorers.good',
    },
  ],
  'option-without-effect': [
    {
      faulty: thinking({ find: tool({ background: true }) }),
      mended: agent({ tools: { find: tool({ background: true }) } }),
      path: 'worker.tools.find.background',
    },
    {
      faulty: lead({ bailStrategy: 'last' }),
      mended: lead({ bailStrategy: 'last', delegation: { onDelegationComplete: () => undefined } }),
      path: 'lead.bailStrategy',
    },
    {
      faulty: lead({ scoreEvery: 'iteration' }),
      mended: lead({ scoreEvery: 'iteration', completion: { scorers: [good()] } }),
      path: 'lead.scoreEvery',
    },
    {
      faulty: lead({ hookErrors: 'ignore' }),
      mended: lead({ hookErrors: 'ignore', onFinish: () => undefined }),
      path: 'lead.hookErrors',
    },
    {
      faulty: agent({ maxProcessorRetries: 1 }),
      mended: agent({
        maxProcessorRetries: 1,
        outputProcessors: [{ id: 'calm', processOutput: () => undefined }],
      }),
      path: 'worker.maxProcessorRetries',
    },
    {
      faulty: agent({ toolCallConcurrency: 2 }),
      mended: agent({ toolCallConcurrency: 2, tools: { pay: tool() } }),
      path: 'worker.toolCallConcurrency',
    },
    {
      faulty: agent({ toolState: 'new', tools: { pay: tool() } }),
      mended: agent({ toolState: 'new', tools: { pay: tool({ applicableStates: ['new'] }) } }),
      path: 'worker.toolState',
    },
    { faulty: lead({ agents: {}, maxDepth: 2 }), mended: lead({ maxDepth: 2 }), path: 'lead.maxDepth' },
    {
      faulty: lead({ agents: {}, delegation: { timeout: 1_000 } }),
      mended: lead({ delegation: { timeout: 1_000 } }),
      path: 'lead.delegation',
    },
    {
      faulty: lead({ delegation: { includeConversationHistory: false, maxMessages: 3 } }),
      mended: lead({ delegation: { maxMessages: 3 } }),
      path: 'lead.delegation.maxMessages',
    },
  ],
  'supervisor-without-agents': [
    { faulty: lead({ agents: {} }), mended: lead({}), path: 'lead' },
    {
      faulty: lead({ agents: {} }),
      mended: lead({ agents: {}, onIterationComplete: () => undefined }),
      path: 'lead',
    },
  ],
  'cap-shadowed': [
    {
      faulty: createRouter({
        id: 'desk',
        instructions: '',
        model,
        memory: true,
        agents: { worker: agent() },
        maxSteps: 3,
        maxIterations: 5,
      }),
      mended: createRouter({
        id: 'desk',
        instructions: '',
        model,
        memory: true,
        agents: { worker: agent() },
        maxIterations: 5,
      }),
      path: 'desk.maxIterations',
    },
    {
      faulty: fanOut({ maxSteps: 2, maxRounds: 2 }),
      mended: fanOut({ maxSteps: 3, maxRounds: 2 }),
      path: 'team.maxRounds',
    },
    {
      faulty: createDebate({
        id: 'panel',
        instructions: '',
        model,
        agents: { pro: agent(), contra: agent({ id: 'contra' }) },
        rounds: 2,
        maxSteps: 3,
      }),
      mended: createDebate({
        id: 'panel',
        instructions: '',
        model,
        agents: { pro: agent(), contra: agent({ id: 'contra' }) },
        rounds: 2,
        maxSteps: 4,
      }),
      path: 'panel.rounds',
    },
    {
      faulty: createReflexion({ id: 'self', instructions: '', model, maxCritiques: 3, maxSteps: 2 }),
      mended: createReflexion({ id: 'self', instructions: '', model, maxCritiques: 2, maxSteps: 2 }),
      path: 'self.maxCritiques',
    },
    {
      faulty: lead({
        completion: {
          timeout: 1_000,
          scorers: [createScorer({ id: 'slow', timeout: 2_000, score: () => 1 })],
        },
      }),
      mended: lead({
        completion: {
          timeout: 3_000,
          scorers: [createScorer({ id: 'slow', timeout: 2_000, score: () => 1 })],
        },
      }),
      path: 'lead.completion.scorers.slow.timeout',
    },
    {
      faulty: lead({
        delegation: { timeout: 1_000 },
        agents: { worker: agent({ tools: { pay: tool({ timeout: 1_000 }) } }) },
      }),
      mended: lead({
        delegation: { timeout: 2_000 },
        agents: { worker: agent({ tools: { pay: tool({ timeout: 1_000 }) } }) },
      }),
      path: 'lead.agents.worker.tools.pay.timeout',
    },
    {
      faulty: lead({ budget: { wallClock: 1_000 }, delegation: { timeout: 5_000 } }),
      mended: lead({ budget: { wallClock: 9_000 }, delegation: { timeout: 5_000 } }),
      path: 'lead.delegation.timeout',
    },
  ],
  'budget-too-small': [
    {
      faulty: lead({ budget: { modelCalls: 1 } }),
      mended: lead({ budget: { modelCalls: 3 } }),
      path: 'lead.budget.modelCalls',
    },
    {
      faulty: agent({ tools: { pay: tool() }, budget: { modelCalls: 1 } }),
      mended: agent({ tools: { pay: tool() }, budget: { modelCalls: 2 } }),
      path: 'worker.budget.modelCalls',
    },
  ],
  'unused-exception': [
    {
      faulty: lead({ budget: { modelCalls: 9 } }),
      mended: lead(),
      options: { accept: [{ code: 'calls-without-budget', reason: 'A person watches it.' }] },
      path: 'lead',
    },
  ],
  'calls-end-exhausted': [{ faulty: lead({ maxSteps: 1 }), mended: lead({ maxSteps: 2 }), path: 'lead' }],
  'cap-inherited': [
    {
      faulty: lead({
        maxDepth: 2,
        agents: {
          middle: createSupervisor({
            id: 'middle',
            description: 'Delegates.',
            instructions: '',
            model,
            maxDepth: 3,
            agents: { worker: agent() },
          }),
        },
      }),
      mended: nested(2),
      path: 'lead.agents.middle.maxDepth',
    },
  ],
  'repeats-within-one-step': [
    {
      faulty: lead({ maxSteps: 3, maxRepeatedCalls: 4 }),
      mended: lead({ maxSteps: 3, maxRepeatedCalls: 3 }),
      path: 'lead.maxRepeatedCalls',
    },
  ],
  'handoff-circle': [
    { faulty: helpDesk({ back: true }), mended: helpDesk({ back: false }), path: 'reception' },
  ],
  'background-beyond-window': [
    {
      faulty: lead({ toolCallConcurrency: 2, backgroundTasks: { worker: { concurrency: 3 } } }),
      mended: lead({ toolCallConcurrency: 3, backgroundTasks: { worker: { concurrency: 3 } } }),
      path: 'lead.backgroundTasks.worker.concurrency',
    },
    {
      faulty: agent({ toolCallConcurrency: 2, tools: { find: tool({ background: { concurrency: 3 } }) } }),
      mended: agent({ toolCallConcurrency: 3, tools: { find: tool({ background: { concurrency: 3 } }) } }),
      path: 'worker.tools.find.background.concurrency',
    },
  ],
  'budget-not-in-force': [
    {
      faulty: lead({ agents: { worker: agent({ budget: { tokens: 9 } }) } }),
      mended: lead({ budget: { tokens: 9 } }),
      path: 'lead.agents.worker.budget',
    },
  ],
  'approval-without-deadline': [
    {
      faulty: agent({ tools: { pay: tool({ requireApproval: () => true }) } }),
      mended: agent({ tools: { pay: tool({ requireApproval: () => true, approvalTimeout: 1_000 }) } }),
      path: 'worker.tools.pay',
    },
  ],
  'interruption-asks': [
    {
      faulty: agent({ tools: { pay: tool({ onInterrupted: 'ask' }) } }),
      mended: agent({ tools: { pay: tool({ onInterrupted: 'fail' }) } }),
      path: 'worker.tools.pay',
    },
  ],
  'calls-without-budget': [
    {
      faulty: lead(),
      mended: lead({ budget: { cost: 1, prices: { scripted: { input: 1, output: 1 } } } }),
      path: 'lead',
    },
  ],
  'depends-on-run': [
    { faulty: lead({ agents: () => ({}) }), mended: lead({ instructions: () => 'Lead.' }), path: 'lead' },
  ],
}
