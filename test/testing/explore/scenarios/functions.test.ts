/** Hooks, scorers, processors, typed answers, memory, and parts that functions make. */
import { createScorer } from 'troupe'
import { answers, calls, gives, throws } from 'troupe/testing'
import { z } from 'zod'
import { lead, tool, worker } from '../agents.ts'
import { ok, runCancels, scenario, team } from './scenario.ts'

const a = worker('a')
const look = tool('look')
const scorers = [
  createScorer({ id: 'first', score: () => 1 }),
  createScorer({ id: 'second', score: () => 1 }),
]
const scores = [gives({ score: 1 }), gives({ score: 0 }), throws('SCORER')]

scenario(
  'two scorers, parallel, with a deadline',
  lead({}, { completion: { scorers } }),
  {
    say: { lead: ok },
    scorers: { first: scores, second: scores },
    run: { maxSteps: 2 },
  },
  { outcomes: ['cancelled', 'completed', 'exhausted'], states: 300 },
)

scenario(
  'a review, a stop condition, a scorer and a last hook',
  lead(
    { a },
    {
      onIterationComplete: () => undefined,
      stopWhen: () => false,
      onFinish: () => undefined,
      completion: { scorers: scorers.slice(0, 1) },
    },
  ),
  {
    say: { lead: team('a'), a: ok },
    hooks: {
      onIterationComplete: [
        gives({}),
        gives({ continue: false }),
        gives({ feedback: 'more' }),
        throws('HOOK'),
      ],
      stopWhen: [gives(false), gives(true)],
      onFinish: [gives(null), throws('HOOK')],
    },
    scorers: { first: scores },
    run: { maxSteps: 2 },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed', 'exhausted', 'failed', 'stopped'], states: 1_500 },
)

scenario(
  'hooks whose errors are ignored',
  lead({ a }, { onIterationComplete: () => undefined, onStepFinish: () => undefined, hookErrors: 'ignore' }),
  {
    say: { lead: team('a'), a: ok },
    hooks: {
      onIterationComplete: [gives({}), throws('HOOK')],
      onStepFinish: [gives(null), throws('HOOK')],
    },
  },
  { outcomes: ['cancelled', 'completed'], states: 200 },
)

scenario(
  'the functions of the user themselves: approval, bail, stop condition',
  lead(
    { a: worker('a', { tools: { pay: tool('pay', { requireApproval: ({ q }) => q === 'much' }) } }) },
    {
      stopWhen: ({ stepCount }) => stepCount > 1,
      delegation: {
        onDelegationStart: ({ prompt }) => ({ proceed: prompt !== 'Never.' }),
        onDelegationComplete: ({ result, bail }) => {
          if (result.text === 'Paid.') bail()
        },
      },
    },
  ),
  {
    say: {
      lead: [answers('Done.'), calls({ a: 'Go.' }), calls({ a: 'Never.' })],
      a: [
        answers('Paid.'),
        answers('Not paid.'),
        calls({ pay: { q: 'much' } }),
        calls({ pay: { q: 'little' } }),
      ],
    },
    adversary: { failures: false },
    limits: { steps: 2 },
  },
  { outcomes: ['bailed', 'cancelled', 'completed', 'stopped'], states: 1_000 },
)

scenario(
  'processors of the user',
  worker('a', {
    inputProcessors: [{ id: 'in', processInput: () => undefined }],
    outputProcessors: [
      {
        id: 'out',
        processOutput({ text, abort }) {
          if (text === 'Rude.') abort('rude', { retry: true })
          return text
        },
      },
    ],
    maxProcessorRetries: 1,
  }),
  { say: { a: [answers('Kind.'), answers('Rude.')] } },
  { outcomes: ['cancelled', 'completed', 'tripped'], states: 100 },
)

scenario(
  'a typed answer',
  worker('a', { structuredOutput: { schema: z.object({ city: z.string() }) } }),
  { say: { a: [answers('{ "city": "Oslo" }'), answers('Oslo')] }, run: { maxSteps: 2 } },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 100 },
)

scenario(
  'memory',
  lead({ a: worker('a', { memory: true }) }, { memory: true }),
  { say: { lead: team('a'), a: ok }, run: { threadId: 'thread' } },
  { outcomes: ['cancelled', 'completed'], states: 100 },
)

scenario(
  'parts that functions make for each run',
  lead({ a: worker('a', { instructions: () => 'Be brief.', tools: () => ({ look }) }) }),
  { say: { lead: team('a') }, adversary: { failures: false } },
  { outcomes: ['cancelled', 'completed'], states: 100 },
)
