/** Functions that a run calls: each row runs an agent with the function, and tells what the run came to. */
import {
  createAgent,
  createScorer,
  createTool,
  deferTools,
  type AgentConfig,
  type AnyAgent,
  type Problem,
  type RunEvent,
  type SupervisorConfig,
} from 'troupe'
import { createTroupeOn, scriptedModel, virtualClock, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { plan, planner } from '../../support/agents/planner.ts'
import { dispatcher, done, router, toAgent } from '../../support/agents/routing.ts'

/** The function under test. Its type is that of no option: what it answers is wrong on purpose in most tests. */
export type Given = (...args: readonly unknown[]) => never

export interface Row {
  /** Resolves with what was seen; where a run ends, with its outcome, and with the codes of errors that were told. */
  readonly drive: (given: Given) => Promise<string>
  /** An answer that the function may give. */
  readonly good: unknown
}

const inputSchema = z.object({})
const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: () => 'seen' })
const looks = calls({ name: 'look', args: {} })

type RunConfig = Omit<Parameters<typeof createTroupeOn>[1], 'agents'>
interface CallOptions {
  readonly onError?: Given
}

/** The outcome, and beside it each code of an event and the number of problems told. */
const plain = worker('plain', [], { otherwise: 'Done.' }).agent
const helper = worker('helper', [], { otherwise: 'Helped.' }).agent

/** Agents that a function may name. */
const others = [plain, helper]

export async function endOf(
  agent: AnyAgent,
  config: RunConfig = {},
  call: CallOptions = {},
): Promise<string> {
  const clock = virtualClock()
  const problems: Problem[] = []
  const onError = (problem: Problem): void => void problems.push(problem)
  const troupe = createTroupeOn(clock, { agents: [agent, ...others], onError, ...config })
  const run = await clock.runUntil(troupe.start(agent, 'Go', call))
  const events: RunEvent[] = []
  const reading = (async () => {
    for await (const event of run.events) events.push(event)
  })()
  const idle = await clock.runUntil(run.whenIdle)
  await clock.advance('1s')
  if (idle.outcome === 'suspended') await run.cancel('enough')
  await clock.runUntil(reading)
  await clock.runUntil(troupe.close())
  const errors = events.flatMap((event) =>
    'error' in event.payload && event.payload.error !== undefined ? [event.payload.error.code] : [],
  )
  const isPerformed = events.some(({ type }) => type === 'tool-result') ? ' performed' : ''
  const told = problems.length === 0 ? '' : ' told'
  return [idle.outcome, ...new Set(errors)].join(' ') + isPerformed + told
}

const desk = (options: Partial<AgentConfig>, steps: readonly ScriptedStep[] = [looks, 'Done.']) =>
  endOf(worker('desk', steps, { tools: { look }, otherwise: 'Done.', retries: 0, ...options }).agent)

const boss = (options: Partial<SupervisorConfig>) =>
  endOf(
    lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper },
      otherwise: 'Done.',
      retries: 0,
      ...options,
    }).agent,
  )

const tool = async (options: object) =>
  desk({
    tools: {
      look: createTool({ id: 'look', description: 'Looks.', inputSchema, execute: () => 'seen', ...options }),
    },
  })

const model = scriptedModel([], { otherwise: 'Done.' })

const helpers = { helper }

const quiet = { retries: 0, otherwise: 'Done.' }

/** A desk that hands its conversation on. */
const handing = (options: object) =>
  endOf(
    worker('desk', [calls({ name: 'transfer-to-helper' })], { ...quiet, handoffs: [helper], ...options })
      .agent,
  )

/** Agents of each pattern that takes its subagents from a function. */
const patterns = {
  dispatcher: (options: object) => endOf(dispatcher('d', [toAgent('helper', 'Help.')], { ...options }).agent),
  router: (options: object) =>
    endOf(router('r', [toAgent('helper', 'Help.'), done('Done.')], { agents: helpers, ...options }).agent),
  fanOut: (agents: Given) =>
    endOf(fanOut('f', [divides('Help.'), enough, 'Done.'], { agents, retries: 0, otherwise: 'Done.' }).agent),
  planner: (agents: Given) =>
    endOf(planner({ plans: [plan({ id: 'a', agent: 'helper' })] }, { agents, retries: 0 }).agent),
}

/** A desk whose conversation is to be summarised, and fits all the same. */
const wordy = (summarize: Given) => {
  const usage = { inputTokens: 6_000 }
  const said = () => 'so '.repeat(500)
  const long = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: said })
  return desk({ tools: { look: long }, compaction: { window: 1_000_000, at: 0.05, summarize } }, [
    { ...looks, usage },
    looks,
    'Done.',
  ])
}

/** What a function answers with that stands for something which is made anew for each call. */
export const served = 'served'

/** What `given` answers with, or promises, where `made` stands for `served`. */
export function answeredBy(given: () => unknown, made: () => unknown): never {
  const answer = given()
  const read = (one: unknown): unknown => (one === served ? made() : one)
  return (answer instanceof Promise ? answer.then(read) : read(answer)) as never
}

export const rows: Readonly<Record<string, Row>> = {
  'FilteringHandoffs.handoffFilter': { drive: (handoffFilter) => handing({ handoffFilter }), good: [] },
  'AgentOptions.handoffFilter': { drive: (handoffFilter) => handing({ handoffFilter }), good: [] },
  'HandoffOptions.handoffs': { drive: (handoffs) => handing({ handoffs }), good: [helper] },
  'HandoffTarget.agent': { drive: (agent) => handing({ handoffs: [{ agent }] }), good: helper },
  'DispatcherConfig.agents': { drive: (agents) => patterns.dispatcher({ agents }), good: helpers },
  'RouterConfig.agents': { drive: (agents) => patterns.router({ agents }), good: helpers },
  'RouterConfig.memory': { drive: (memory) => patterns.router({ memory }), good: true },
  'FanOutConfig.agents': { drive: (agents) => patterns.fanOut(agents), good: helpers },
  'PlannerConfig.agents': { drive: (agents) => patterns.planner(agents), good: helpers },
  'CompactionOptions.summarize': { drive: wordy, good: 'In short.' },
  'DeferOptions.search': {
    drive: (search) =>
      desk({ tools: deferTools({ look }, { search, timeout: 1000 }) }, [
        calls({ name: 'find-tools', args: { query: 'look' } }),
        'Done.',
      ]),
    good: ['look'],
  },
  'Schema.input': {
    drive: (input) =>
      tool({
        inputSchema: {
          '~standard': {
            version: 1,
            vendor: 'own',
            validate: (value: unknown) => ({ value }),
            jsonSchema: { input },
          },
        },
      }),
    good: { type: 'object' },
  },
  'Identity.memory': { drive: (memory) => desk({ memory }), good: undefined },
  'SupervisorConfig.agents': { drive: (agents) => boss({ agents }), good: helpers },
  'Schema.validate': {
    drive: (validate) =>
      tool({
        inputSchema: {
          '~standard': {
            version: 1,
            vendor: 'own',
            validate,
            jsonSchema: { input: () => ({ type: 'object' }) },
          },
        },
      }),
    good: { value: {} },
  },
  'AgentOptions.onFinish': { drive: (onFinish) => desk({ onFinish }), good: undefined },
  'AgentOptions.onStepFinish': { drive: (onStepFinish) => desk({ onStepFinish }), good: undefined },
  'AgentOptions.stopWhen': { drive: (stopWhen) => desk({ stopWhen }), good: true },
  'Identity.instructions': { drive: (instructions) => desk({ instructions }), good: 'Look.' },
  'Identity.model': {
    drive: (given) =>
      endOf(createAgent({ id: 'm', description: 'd', instructions: 'i', model: given, retries: 0 })),
    good: model,
  },
  'Identity.tools': { drive: (tools) => desk({ tools }), good: { look } },
  'Identity.workflows': { drive: (workflows) => desk({ workflows }), good: {} },
  'InputProcessor.processInput': {
    drive: (processInput) => desk({ inputProcessors: [{ id: 'p', processInput }] }),
    good: undefined,
  },
  'OutputProcessor.processOutput': {
    drive: (processOutput) => desk({ outputProcessors: [{ id: 'p', processOutput }] }),
    good: undefined,
  },
  'OutputProcessor.processOutputStream': {
    drive: (processOutputStream) => desk({ outputProcessors: [{ id: 'p', processOutputStream }] }),
    good: undefined,
  },
  'ToolConfig.execute': { drive: (execute) => tool({ execute, timeout: 1000 }), good: 'seen' },
  'ToolConfig.requireApproval': { drive: (requireApproval) => tool({ requireApproval }), good: false },
  'DelegationOptions.messageFilter': {
    drive: (messageFilter) => boss({ delegation: { messageFilter } }),
    good: [],
  },
  'DelegationOptions.onDelegationComplete': {
    drive: (onDelegationComplete) => boss({ delegation: { onDelegationComplete } }),
    good: undefined,
  },
  'DelegationOptions.onDelegationStart': {
    drive: (onDelegationStart) => boss({ delegation: { onDelegationStart } }),
    good: undefined,
  },
  'DelegationOptions.requireApproval': {
    drive: (requireApproval) => boss({ delegation: { requireApproval } }),
    good: false,
  },
  'PlanOptions.approvePlan': {
    drive: (approvePlan) =>
      endOf(
        planner({ plans: [plan({ id: 'a', agent: 'helper' })] }, { agents: helpers, retries: 0, approvePlan })
          .agent,
      ),
    good: false,
  },
  'SupervisorOptions.onIterationComplete': {
    drive: (onIterationComplete) => boss({ onIterationComplete }),
    good: undefined,
  },
  'ScorerConfig.score': {
    drive: (score) => boss({ completion: { scorers: [createScorer({ id: 's', score })] } }),
    good: 1,
  },
  'CompletionOptions.onComplete': {
    drive: (onComplete) =>
      boss({ completion: { scorers: [createScorer({ id: 's', score: () => 1 })], onComplete } }),
    good: undefined,
  },
  'TroupeConfig.around': {
    drive: (around) =>
      endOf(plain, {
        around: async (effect, perform) => {
          const asked: unknown = around(effect, perform)
          await asked
          return perform()
        },
      }),
    good: undefined,
  },
  'TroupeConfig.inspect': { drive: (inspect) => endOf(plain, { inspect }), good: undefined },
  'TroupeConfig.onError': {
    drive: (onError) =>
      endOf(
        worker('quiet', ['Done.'], {
          onFinish: () => {
            throw new Error('oops')
          },
        }).agent,
        { onError },
      ),
    good: undefined,
  },
  'Observer.agent': { drive: (agent) => endOf(plain, { around: { agent } }), good: undefined },
  'Observer.around': {
    drive: (around) =>
      endOf(plain, {
        around: {
          around: async (effect, perform) => {
            const asked: unknown = around(effect, perform)
            await asked
            return perform()
          },
        },
      }),
    good: undefined,
  },
  'Observer.traceparent': {
    drive: (traceparent) => endOf(plain, { around: { traceparent } }),
    good: undefined,
  },
  'CallOptions.onError': {
    drive: (onError) =>
      endOf(
        worker('quiet', ['Done.'], {
          onFinish: () => {
            throw new Error('oops')
          },
        }).agent,
        {},
        { onError },
      ),
    good: undefined,
  },
  'ChatModel.generate': {
    drive: (generate) =>
      endOf(
        createAgent({
          id: 'm',
          description: 'd',
          instructions: 'i',
          retries: 0,
          modelTimeout: 1000,
          model: { provider: 'p', modelId: 'm', generate },
        }),
      ),
    good: {
      text: 'Done.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    },
  },
}
