/** The patterns besides supervisors and plain agents. */
import {
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
} from 'troupe'
import { answers, calls, decides, fails } from 'troupe/testing'
import { lead, model, tool, worker } from '../agents.ts'
import { mayBail, ok, okOrFails, reviewed, runCancels, scenario } from './scenario.ts'

const a = worker('a')
const b = worker('b')
const look = tool('look')
const identity = { id: 'lead', description: 'Leads.', instructions: 'I lead.', model }

/** A routing decision. */
function route(primitiveType: 'agent' | 'tool' | 'none', primitiveId: string, prompt: string) {
  return decides('routing-decision', { primitiveId, primitiveType, prompt, selectionReason: 'fits' })
}

scenario(
  'a router of an agent and a tool',
  createRouter({ ...identity, agents: { a }, tools: { look }, memory: true }),
  {
    say: {
      lead: [
        route('agent', 'a', 'Go.'),
        route('tool', 'look', '{"q":"x"}'),
        route('none', 'none', 'Done.'),
        fails(),
      ],
      a: ok,
    },
    run: { maxIterations: 2, threadId: 'thread', resourceId: 'someone' },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed', 'exhausted', 'failed'], states: 400 },
)

scenario(
  'a planner with a tool and an agent, and one revision',
  createPlanner({ ...identity, agents: { a }, tools: { look } }),
  {
    say: {
      lead: [
        decides('plan', {
          steps: [
            { id: 'one', goal: 'Look.', toolHint: 'look', dependsOn: [] },
            { id: 'two', goal: 'Ask.', toolHint: 'agent-a', dependsOn: [] },
          ],
        }),
        decides('step', { tool: 'look', args: { q: 'x' } }),
        decides('step', { replan: 'It makes no sense.' }),
        answers('Done.'),
        fails(),
      ],
      a: okOrFails,
    },
    run: { maxReplans: 1 },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed', 'exhausted', 'failed'], states: 3_000 },
)

scenario(
  'a fan-out of two goals, bail',
  createFanOut({ ...identity, agents: { a, b }, delegation: reviewed }),
  {
    say: {
      lead: [
        decides('goals', {
          goals: [
            { goal: 'Find.', agent: 'a', context: null },
            { goal: 'Check.', agent: 'b', context: null },
          ],
        }),
        decides('assessment', { complete: true, goals: null }),
        answers('Done.'),
        fails(),
      ],
      a: okOrFails,
      b: okOrFails,
    },
    hooks: mayBail,
    run: { maxRounds: 2 },
    adversary: runCancels,
  },
  { outcomes: ['bailed', 'cancelled', 'completed', 'failed'], states: 2_000 },
)

scenario(
  'a debate of two',
  createDebate({ ...identity, agents: { a, b } }),
  { say: { lead: okOrFails, a: okOrFails, b: okOrFails }, adversary: runCancels },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 500 },
)

scenario(
  'reflexion with a tool',
  createReflexion({ ...identity, tools: { look } }),
  {
    say: {
      lead: [
        answers('Done.'),
        calls({ look: { q: 'x' } }),
        decides('critique', { satisfied: true, critique: '' }),
        decides('critique', { satisfied: false, critique: 'Say more.' }),
        fails(),
      ],
    },
    run: { maxSteps: 3, maxCritiques: 1 },
  },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 200 },
)

scenario(
  'a dispatcher',
  createDispatcher({ ...identity, agents: { a, b } }),
  {
    say: {
      lead: [route('agent', 'a', ''), route('agent', 'b', ''), fails()],
      a: okOrFails,
      b: ok,
    },
  },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 200 },
)

scenario(
  'a meta-router over an agent and a supervisor',
  createMetaRouter({
    ...identity,
    agents: { react: a, supervisor: lead({ b }, { id: 'boss' }) },
    taskTypes: [
      {
        name: 'general',
        description: 'Any task.',
        valid_patterns: ['react', 'supervisor'],
        framing: 'Be brief.',
      },
      { name: 'research', description: 'Research.', valid_patterns: ['supervisor'], framing: 'Cite.' },
    ],
  }),
  {
    say: {
      lead: [
        decides('task_type', { taskType: 'general', rationale: 'It is.' }),
        decides('task_type', { taskType: 'research', rationale: 'It is.' }),
        decides('pattern', { pattern: 'react', rationale: 'It fits.' }),
        decides('pattern', { pattern: 'supervisor', rationale: 'It fits.' }),
        fails(),
      ],
      a: ok,
      boss: [answers('Done.'), calls({ b: 'Go.' })],
      b: okOrFails,
    },
  },
  { outcomes: ['cancelled', 'completed'], states: 400 },
)

const overflows = fails('CONTEXT_LENGTH_EXCEEDED')

/** A window that the shortest conversation fills: whatever may be summarised is. */
const narrow = { window: 100_000, at: 0.000_01 }

scenario(
  'a router whose decisions are preceded by compactions',
  createRouter({ ...identity, agents: { a }, tools: { look }, memory: true, compaction: narrow }),
  {
    say: {
      lead: [route('agent', 'a', 'Go.'), route('none', 'none', 'Done.'), overflows],
      a: ok,
    },
    run: { maxIterations: 2, threadId: 'thread', resourceId: 'someone' },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed', 'exhausted', 'failed'], states: 400 },
)

scenario(
  'reflexion whose critiques are preceded by compactions',
  createReflexion({ ...identity, tools: { look }, compaction: narrow }),
  {
    say: {
      lead: [
        answers('Done.'),
        calls({ look: { q: 'x' } }),
        decides('critique', { satisfied: true, critique: '' }),
        overflows,
      ],
    },
    run: { maxSteps: 2, maxCritiques: 1, retries: 0 },
  },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 400 },
)

scenario(
  'a planner whose decisions, side by side, are preceded by compactions',
  createPlanner({ ...identity, tools: { look }, compaction: narrow }),
  {
    task: [
      { role: 'user', content: 'Earlier.' },
      { role: 'assistant', content: 'So it was.' },
      { role: 'user', content: 'Go.' },
    ],
    say: {
      lead: [
        decides('plan', {
          steps: [
            { id: 'one', goal: 'Think.', dependsOn: [] },
            { id: 'two', goal: 'Think again.', dependsOn: [] },
          ],
        }),
        decides('step', { answer: 'Done.' }),
        answers('Done.'),
        overflows,
      ],
    },
    run: { maxReplans: 1, retries: 0 },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed', 'exhausted', 'failed'], states: 3_000 },
)
