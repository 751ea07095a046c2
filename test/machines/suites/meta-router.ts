import type { Outcome } from 'troupe/testing'
import type { DecisionOutput } from '../../../src/machines/contract/reports.ts'
import { initialPatterns, initialTaskTypes, type RouteProfile } from '../../../src/actors/task-types.ts'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { metaRouterMachine } from '../../../src/machines/meta-router.ts'
import {
  childOutcomes,
  delegated,
  dynamic,
  heldEvents,
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  sayEvents,
  spentKey,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, fails, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const agents = Toolset.of(
  {},
  {
    react: { id: 'thinker', description: 'Thinks.' },
    supervisor: { id: 'splitter', description: 'Splits.' },
  },
)
const one = Toolset.of({}, { react: { id: 'thinker', description: 'Thinks.' } })
const route: RouteProfile = { taskTypes: initialTaskTypes, patterns: initialPatterns }
const summarising = initialTaskTypes.filter(({ name }) => name === 'summarisation')

/** Nothing to choose: it is the states before and after that matter. */
const short = { toolset: one, route: { ...route, pattern: 'react' } }
const screened = {
  hooks: { processInput: 'agent' as const },
  processors: { ...processed.processors, output: [], stream: [] },
}

const made = (name: string, value: DecisionOutput['value']): Outcome<DecisionOutput> => ({
  name,
  value: {
    kind: 'decision',
    decision: 'made',
    value,
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    replies: 1,
  },
})
const undecided: Outcome<DecisionOutput> = {
  name: 'is not made',
  value: {
    kind: 'decision',
    decision: 'failed',
    error: { name: 'InvalidDecisionError', code: 'INVALID_DECISION', message: 'no valid choice' },
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    replies: 2,
  },
}
const decisions: Readonly<Record<string, readonly Outcome<DecisionOutput>[]>> = {
  'task type': [
    made('is a risk assessment', { taskType: 'risk-assessment', rationale: 'risk' }),
    made('is general', { taskType: 'general', rationale: 'anything' }),
    undecided,
    fails,
  ],
  pattern: [made('is the supervisor', { pattern: 'supervisor', rationale: 'four sides' }), undecided, fails],
}

export const metaRouterSuite = suiteOf(metaRouterMachine(), {
  inputs: {
    'is spoken to': spokenTo(loopInput({ toolset: agents, route, hooks: { onFinish: 'agent' } })),
    plain: loopInput({ toolset: agents, route }),
    'names its pattern': loopInput({ toolset: agents, route: { ...route, pattern: 'supervisor' } }),
    'names its type': loopInput({ toolset: agents, route: { ...route, taskType: 'summarisation' } }),
    'names its type and its pattern': loopInput({
      toolset: agents,
      route: { ...route, taskType: 'risk-assessment', pattern: 'supervisor' },
    }),
    'names no known type': loopInput({ toolset: agents, route: { ...route, taskType: 'magic' } }),
    'goes on with a conversation': {
      ...loopInput({ toolset: agents, route }),
      opening: { history: [{ role: 'user', content: 'Write.' }], addedInstructions: [] },
    },
    'one agent, one type': loopInput({ toolset: one, route: { ...route, taskTypes: summarising } }),
    'no types': loopInput({ toolset: agents, route: { taskTypes: [], patterns: [] } }),
    observed: loopInput({
      toolset: one,
      route: { ...route, taskTypes: summarising },
      hooks: { onFinish: 'agent' },
    }),
    'made for the run': loopInput({ ...dynamic, ...short }),
    'made for the run, with processors': loopInput({ ...dynamic, ...screened, ...short }),
    'made for the run, remembers': rememberingInput({ ...dynamic, ...short }),
    'with input processors': loopInput({ ...screened, ...short }),
    'with input processors, hook errors ignored': loopInput({ ...screened, ...short, hookErrors: 'ignore' }),
    'with input processors, observed': loopInput({
      ...screened,
      ...short,
      hooks: { ...screened.hooks, onFinish: 'agent' },
    }),
    remembers: rememberingInput(short),
    'remembers, observed': rememberingInput({ ...short, hooks: { onFinish: 'agent' } }),
  },
  outcomes: {
    ...childOutcomes,
    delegation: [...childOutcomes.delegation, delegated('exhausted'), delegated('cancelled')],
    decision: (asked: { subject: string }) => decisions[asked.subject] ?? [],
    config: [
      { name: 'holds nothing', value: { items: [] } },
      {
        name: 'holds another type',
        value: {
          items: [
            {
              kind: 'agent-task-type',
              key: 'haiku',
              value: { name: 'haiku', description: 'A poem', valid_patterns: ['react'] },
            },
            { kind: 'agent-pattern', key: 'broken', value: { description: 1 } },
          ],
        },
      },
      fails,
    ],
    memory: memoryOutcomes,
    hook: hookOutcomes,
    model: [],
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: (snapshot) => spentKey(snapshot) ?? JSON.stringify([loopKey(snapshot), snapshot.context.work]),
})
