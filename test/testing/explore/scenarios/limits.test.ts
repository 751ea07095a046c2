/** Budgets, caps, retries and deadlines. */
import { RetryableError } from 'troupe'
import { answers, calls, fails, returns, throws } from 'troupe/testing'
import { lead, tool, worker } from '../agents.ts'
import { ok, scenario, team } from './scenario.ts'

const look = tool('look')
const busy = new RetryableError('busy')

scenario(
  'a budget of four model calls over a tree with tools',
  lead(
    { a: worker('a', { tools: { look } }), b: worker('b', { tools: { look } }) },
    { budget: { modelCalls: 4 } },
  ),
  { say: { lead: team('a', 'b') }, adversary: { failures: false } },
  { outcomes: ['cancelled', 'completed', 'exhausted'], states: 500 },
)

scenario(
  'a budget of tokens',
  lead({ a: worker('a'), b: worker('b') }, { budget: { tokens: 40 } }),
  { say: { lead: team('a', 'b') } },
  { outcomes: ['cancelled', 'completed', 'exhausted'], states: 500 },
)

scenario(
  'a limit of time, while a person is asked',
  lead(
    { a: worker('a', { tools: { pay: tool('pay', { requireApproval: true }) } }), b: worker('b') },
    {
      budget: { wallClock: 1_000 },
    },
  ),
  { say: { lead: team('a', 'b'), b: ok }, adversary: { failures: false } },
  { outcomes: ['cancelled', 'completed', 'exhausted'], states: 500 },
)

scenario(
  'models and tools that are tried again',
  worker('a', { tools: { look }, retries: 2 }),
  {
    say: { a: [answers('Ok.'), calls({ look: { q: 'x' } }), fails(busy)] },
    tools: { look: [returns('found'), throws(busy)] },
  },
  { outcomes: ['cancelled', 'completed', 'failed'], states: 100 },
)

scenario(
  'a model that calls for ever',
  worker('a', { tools: { look }, maxSteps: 3, maxRepeatedCalls: 2 }),
  { say: { a: [answers('Ok.'), calls({ look: { q: 'x' } })] }, limits: { steps: 5 } },
  { outcomes: ['cancelled', 'completed', 'exhausted'], states: 100 },
)

scenario(
  'more calls than one step may have',
  lead({ a: worker('a') }, { tools: { look }, maxToolCallsPerStep: 2 }),
  {
    say: { lead: [answers('Done.'), calls({ a: 'Go.', look: { q: 'x' } }, { look: { q: 'y' } })], a: ok },
  },
  { outcomes: ['cancelled', 'completed'], states: 100 },
)
