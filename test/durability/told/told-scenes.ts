/** Runs in which every kind of event happens, and which of them to watch for each kind. */
import {
  createAgent,
  createMetaRouter,
  createReflexion,
  createScorer,
  createTool,
  deferTools,
  TerminalError,
  type AnyAgent,
  type ChatModel,
  type InputProcessor,
  type Run,
  type RunEvent,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { asksFor, divides, fanOut } from '../../support/agents/fan-outs.ts'
import { transfer } from '../../support/agents/handoffs.ts'
import { plan, planner } from '../../support/agents/planner.ts'
import { done, router, toAgent } from '../../support/agents/routing.ts'
import { tools } from '../../support/agents/tool-groups.ts'

export interface Scene {
  readonly agent: AnyAgent
  readonly options?: object
  /** What a person does when it sees this event. */
  readonly act?: (run: Run, event: RunEvent) => unknown
}

const inputSchema = z.object({})
const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: () => 'seen' })
const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema,
  requireApproval: true,
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ how: 'much' }),
})
const guarded = createTool({
  id: 'guarded',
  description: 'Must be allowed.',
  inputSchema,
  requireApproval: true,
  execute: () => 'allowed',
})
const fail = createTool({
  id: 'fail',
  description: 'Fails.',
  inputSchema,
  execute: () => {
    throw new Error('no line')
  },
})

export const scenes = {
  work: (): Scene => {
    const helper = worker('helper', [], { otherwise: { text: 'Helped.', reasoning: 'I help.' } })
    const steps = [
      { text: 'Let me see.', reasoning: 'I must look.', ...calls({ name: 'look' }, { name: 'fail' }) },
      calls(to('helper', 'Help.'), to('helper', 'No.')),
      'A draft.',
      'Done.',
    ]
    const { agent } = lead('lead', steps, {
      agents: { helper: helper.agent },
      tools: { look, fail },
      otherwise: 'Done.',
      delegation: {
        onDelegationStart: ({ prompt }) =>
          prompt === 'No.' ? { proceed: false, rejectionReason: 'Not that.' } : {},
        onDelegationComplete: () => ({ feedback: 'Shorter.' }),
      },
      onIterationComplete: ({ iteration }) => ({
        continue: true,
        ...(iteration === 3 && { feedback: 'Go on.' }),
      }),
      completion: { scorers: [createScorer({ id: 'whole', score: () => 1 })] },
    })
    return { agent, options: { budget: { modelCalls: 6 } } }
  },
  asks: (): Scene => {
    const { agent } = worker('solo', [calls({ name: 'ask' })], { tools: { ask }, otherwise: 'Asked.' })
    const act = (run: Run, { type, payload }: RunEvent): unknown => {
      if (type === 'tool-call-approval') return run.approve(payload.toolCallId)
      if (type === 'tool-call-suspended') return run.resume(payload.toolCallId, 'This much.')
      return undefined
    }
    return { agent, act }
  },
  bails: (): Scene => {
    const helper = worker('helper', ['Helped.'])
    const { agent } = lead('lead', [calls(to('helper', 'Help.'))], {
      agents: { helper: helper.agent },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    return { agent }
  },
  background: (): Scene => {
    const helper = worker('helper', ['Helped.'])
    const { agent } = lead('lead', [calls(to('helper', 'Help.'), { name: 'dig' }), 'Meanwhile.'], {
      agents: { helper: helper.agent },
      tools: tools({ dig: { background: true } }),
      backgroundTasks: { helper: {} },
      otherwise: 'Done.',
    })
    return { agent }
  },
  cancelled: (): Scene => {
    const { agent } = worker('solo', [{ hang: true }])
    return { agent, act: (run, { type }) => (type === 'step-start' ? run.cancel('enough') : undefined) }
  },
  cut: (): Scene => {
    const model: ChatModel = {
      provider: 'cut',
      modelId: 'cut',
      generate: (_, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'The tide' })
        return Promise.reject(new TerminalError('down', { code: 'MODEL_UNAVAILABLE' }))
      },
    }
    return { agent: createAgent({ id: 'solo', instructions: '', model, keepPartial: true }) }
  },
  recalls: (): Scene => {
    const inputProcessors: readonly InputProcessor[] = [
      { id: 'finds', processInput: ({ recalled }) => recalled([{ id: 'p1', text: 'Tides turn.' }]) },
    ]
    return { agent: worker('solo', ['Known.'], { inputProcessors }).agent }
  },
  hands: (): Scene => {
    const expert = worker('expert', ['Known.'])
    return { agent: worker('solo', [calls(transfer('expert'))], { handoffs: [expert.agent] }).agent }
  },
  states: (): Scene => {
    const { agent } = worker('solo', [calls({ name: 'open' }), 'Done.'], {
      tools: tools({ open: { nextState: 'opened' } }),
    })
    return { agent }
  },
  reflects: (): Scene => {
    const critiques = ['Tides.', JSON.stringify({ satisfied: true, critique: '' })]
    return {
      agent: createReflexion({ id: 'solo', instructions: 'Think.', model: scriptedModel(critiques) }),
    }
  },
  selects: (): Scene => {
    const one = worker('one', ['One.'])
    const model = scriptedModel([
      JSON.stringify({ taskType: 'general', rationale: 'It is.' }),
      JSON.stringify({ pattern: 'react', rationale: 'It fits.' }),
    ])
    const agents = { react: one.agent }
    return {
      agent: createMetaRouter({ id: 'desk', instructions: 'Route.', model, agents, pattern: 'react' }),
    }
  },
  routes: (): Scene => {
    const one = worker('one', ['One.'])
    const { agent } = router('router', [toAgent('one', 'Do it.'), done('It is done.')], {
      agents: { one: one.agent },
    })
    return { agent, options: { resourceId: 'r', threadId: 't' } }
  },
  plans: (): Scene => {
    const { agent } = planner({
      plans: [plan({ id: 'a' }, { id: 'b' }), plan({ id: 'b' })],
      steps: { b: { error: new Error('no line') } },
    })
    return { agent }
  },
  fans: (): Scene => {
    const part = worker('part', [], { otherwise: 'Part.' })
    const { agent } = fanOut('fan', [divides('one', 'two'), asksFor('three'), 'All told.'], {
      agents: { part: part.agent },
      otherwise: 'All told.',
    })
    return { agent }
  },
  compacts: (): Scene => {
    const read = createTool({
      id: 'read',
      description: 'Reads.',
      inputSchema,
      execute: () => 'A long page. '.repeat(100),
    })
    const steps = [calls({ name: 'read' }), calls({ name: 'read' })]
    const compaction = { window: 20, at: 0.5, summarize: () => 'Pages were read.' }
    return { agent: worker('solo', steps, { tools: { read }, compaction, otherwise: 'Read.' }).agent }
  },
  edits: (): Scene => {
    const read = createTool({
      id: 'read',
      description: 'Reads.',
      inputSchema,
      execute: () => 'A page. '.repeat(100),
    })
    const steps = [calls({ name: 'read' }), calls({ name: 'read' })]
    const contextEditing = { above: 1, keep: 1, atLeast: 0 }
    return { agent: worker('solo', steps, { tools: { read }, contextEditing, otherwise: 'Read.' }).agent }
  },
  finds: (): Scene => {
    const deferred = deferTools({ look })
    const steps = [calls({ name: 'find-tools', args: { query: 'look' } }), calls({ name: 'look' }), 'Done.']
    return { agent: worker('solo', steps, { tools: deferred }).agent }
  },
  falls: (): Scene => {
    const failing = scriptedModel([{ error: new Error('down') }])
    const model = [failing, scriptedModel(['Done.'])]
    return { agent: createAgent({ id: 'solo', instructions: 'Work.', model }) }
  },
  /** A ninth message is refused. */
  said: (): Scene => ({
    agent: worker('solo', [calls({ name: 'guarded' })], { tools: { guarded }, otherwise: 'Done.' }).agent,
    act: async (run, { type, payload }) => {
      if (type !== 'tool-call-approval') return
      for (let message = 0; message < 8; message++) await run.say(`And ${message}.`)
      await run.say('And one more.').catch(() => undefined)
      await run.approve(payload.toolCallId)
    },
  }),
} satisfies Record<string, () => Scene>

export type SceneName = keyof typeof scenes

/** Where each type of event happens that the journal leads to: the others are live only, or need an edited agent (`drift`) or a restore. */
export const sceneOf: Readonly<
  Record<Exclude<RunEvent['type'], 'tool-call-delta' | 'tool-progress' | 'drift' | 'restored'>, SceneName>
> = {
  'run-start': 'work',
  'run-finish': 'work',
  handoff: 'hands',
  'model-fallback': 'falls',
  'step-start': 'work',
  'step-finish': 'work',
  'text-start': 'work',
  'text-delta': 'work',
  'text-end': 'work',
  'reasoning-start': 'work',
  'reasoning-delta': 'work',
  'reasoning-end': 'work',
  'tool-call': 'work',
  'tool-result': 'work',
  'tool-error': 'work',
  'tool-state': 'states',
  'tools-found': 'finds',
  'tool-call-approval': 'asks',
  'tool-call-suspended': 'asks',
  'tool-call-answered': 'asks',
  said: 'said',
  heard: 'said',
  'say-refused': 'said',
  'delegation-start': 'work',
  'delegation-end': 'work',
  'delegation-feedback': 'work',
  'delegation-rejected': 'work',
  'delegation-bail': 'bails',
  'iteration-start': 'work',
  'iteration-end': 'work',
  'iteration-feedback': 'work',
  'scoring-start': 'work',
  'scorer-result': 'work',
  'scoring-complete': 'work',
  recalled: 'recalls',
  critique: 'reflects',
  'pattern-selected': 'selects',
  'routing-decision': 'routes',
  'plan-created': 'plans',
  'plan-revised': 'plans',
  'plan-step-start': 'plans',
  'plan-step-end': 'plans',
  'fan-out': 'fans',
  'fan-in': 'fans',
  'synthesis-start': 'fans',
  'background-start': 'background',
  'background-end': 'background',
  'partial-answer': 'cut',
  'context-edited': 'edits',
  'compaction-start': 'compacts',
  'compaction-end': 'compacts',
  'budget-warning': 'work',
  suspended: 'asks',
  resumed: 'asks',
  abort: 'cancelled',
  error: 'plans',
}
