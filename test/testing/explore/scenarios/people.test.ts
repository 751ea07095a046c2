/** Approvals and suspended calls: people answer, refuse, or never answer. */
import { answers, calls, returns, suspends } from 'troupe/testing'
import { lead, tool, worker } from '../agents.ts'
import { mayBail, ok, reviewed, scenario, team } from './scenario.ts'

const pay = tool('pay', { requireApproval: true })
const look = tool('look')
const payer = (id: string) => worker(id, { tools: { pay } })
const calm = { adversary: { failures: false } }

scenario(
  'two children that ask for approval, with tools and failures',
  lead({ a: worker('a', { tools: { pay, look } }), b: payer('b') }),
  { say: { lead: team('a', 'b') } },
  { outcomes: ['cancelled', 'completed'], states: 4_000 },
)

scenario(
  'two children that ask for approval, bail',
  lead({ a: payer('a'), b: payer('b') }, { delegation: reviewed }),
  { say: { lead: team('a', 'b') }, hooks: mayBail, ...calm },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'an approval with a deadline in a delegation with a timeout',
  lead(
    { a: worker('a', { tools: { pay: tool('pay', { requireApproval: true, approvalTimeout: 1_000 }) } }) },
    { delegation: { timeout: 5_000 } },
  ),
  { say: { lead: team('a') }, people: ['approve', 'deny', 'never'] },
  { outcomes: ['cancelled', 'completed'], states: 100 },
)

scenario(
  'a person who never answers',
  lead({ a: payer('a'), b: payer('b') }),
  { say: { lead: team('a', 'b') }, people: ['approve', 'never'], ...calm },
  { outcomes: ['cancelled', 'completed', 'suspended'], states: 300 },
)

scenario(
  'an approval and a tool beside two children, bail',
  lead({ a: worker('a'), b: worker('b') }, { delegation: reviewed, tools: { pay, look } }),
  {
    say: {
      lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.', pay: { q: 'x' }, look: { q: 'x' } })],
      a: ok,
      b: ok,
    },
    hooks: mayBail,
    adversary: { failures: false, cancelDelegations: false },
  },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 1_000 },
)

scenario(
  'calls in doubt that ask, fail, and are made again, with deadlines, bail',
  lead(
    {
      a: worker('a', {
        tools: {
          pay: tool('pay', { onInterrupted: 'ask', timeout: 1_000 }),
          book: tool('book', { onInterrupted: 'fail' }),
        },
      }),
      b: worker('b', { tools: { look } }),
    },
    { delegation: reviewed },
  ),
  {
    say: {
      lead: team('a', 'b'),
      a: [answers('Ok.'), calls({ pay: { q: 'x' }, book: { q: 'x' } })],
      b: [answers('Ok.'), calls({ look: { q: 'x' } })],
    },
    hooks: mayBail,
    people: ['approve', { resume: { result: 'paid before' } }, 'deny', 'never'],
    adversary: { ...calm.adversary, cancelDelegations: false },
  },
  { outcomes: ['bailed', 'cancelled', 'completed', 'suspended'], states: 1_500 },
)

scenario(
  'a tool that suspends its call',
  lead({ a: worker('a', { tools: { look } }), b: worker('b') }, { delegation: { timeout: 5_000 } }),
  {
    say: { lead: team('a', 'b'), a: [answers('Ok.'), calls({ look: { q: 'x' } })], b: ok },
    tools: { look: [returns('found'), suspends({ ask: 'Which?' })] },
    people: [{ resume: { which: 1 } }, 'deny', 'never'],
  },
  { outcomes: ['cancelled', 'completed', 'suspended'], states: 500 },
)
