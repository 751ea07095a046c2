/** Delegations: children side by side, bail, failures, cancels, background, nesting, handoffs. */
import { answers, calls, gives, throws } from 'troupe/testing'
import { lead, tool, worker } from '../agents.ts'
import { mayBail, ok, okOrFails, reviewed, runCancels, scenario, team } from './scenario.ts'

const a = worker('a')
const b = worker('b')
const c = worker('c')
const d = worker('d')
const look = tool('look')
const calm = { adversary: { ...runCancels, failures: false } }

scenario(
  'two children',
  lead({ a, b }),
  { say: { lead: team('a', 'b'), a: ok, b: ok }, adversary: runCancels },
  { outcomes: ['cancelled', 'completed'], states: 20 },
)

scenario(
  'three children',
  lead({ a, b, c }),
  { say: { lead: team('a', 'b', 'c'), a: ok, b: ok, c: ok }, adversary: runCancels },
  { outcomes: ['cancelled', 'completed'], states: 40 },
)

scenario(
  'four children, bail and failures',
  lead({ a, b, c, d }, { delegation: reviewed }),
  {
    say: { lead: team('a', 'b', 'c', 'd'), a: okOrFails, b: okOrFails, c: okOrFails, d: okOrFails },
    hooks: mayBail,
    interchangeable: [['a', 'b', 'c', 'd']],
  },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'four children with tools, bail',
  lead(Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, worker(id, { tools: { look } })])), {
    delegation: reviewed,
  }),
  { say: { lead: team('a', 'b', 'c', 'd') }, hooks: mayBail, ...calm, limits: { crashes: 0 } },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 750 },
)

scenario(
  'two children with tools',
  lead({ a: worker('a', { tools: { look } }), b: worker('b', { tools: { look } }) }),
  { say: { lead: team('a', 'b') }, ...calm },
  { outcomes: ['cancelled', 'completed'], states: 200 },
)

scenario(
  'three children with tools, no cancel',
  lead({
    a: worker('a', { tools: { look } }),
    b: worker('b', { tools: { look } }),
    c: worker('c', { tools: { look } }),
  }),
  {
    say: { lead: team('a', 'b', 'c') },
    adversary: { failures: false, cancel: false, cancelDelegations: false },
  },
  { outcomes: ['completed'], states: 300 },
)

scenario(
  'two children, bail, failures, cancels of each delegation',
  lead({ a, b }, { delegation: reviewed }),
  { say: { lead: team('a', 'b'), a: okOrFails, b: okOrFails }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'three children, bail, failures, cancels of each delegation',
  lead({ a, b, c }, { delegation: reviewed }),
  { say: { lead: team('a', 'b', 'c'), a: okOrFails, b: okOrFails, c: okOrFails }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 4_000 },
)

scenario(
  'the last bail wins',
  lead({ a, b }, { delegation: reviewed, bailStrategy: 'last' }),
  { say: { lead: team('a', 'b'), a: okOrFails, b: ok }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'one place for three children',
  lead({ a, b, c }, { toolCallConcurrency: 1, delegation: reviewed }),
  { say: { lead: team('a', 'b', 'c'), a: ok, b: ok, c: ok }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'a hook that rejects, fails or changes the prompt',
  lead({ a, b }, { delegation: { onDelegationStart: () => undefined, ...reviewed }, hookErrors: 'ignore' }),
  {
    say: { lead: team('a', 'b'), a: ok, b: ok },
    hooks: {
      onDelegationStart: [
        gives({ proceed: true }, 'proceeds'),
        gives({ proceed: false, rejectionReason: 'no' }, 'rejects'),
        throws('HOOK'),
      ],
      onDelegationComplete: [gives({ bail: false }), throws('HOOK')],
    },
    adversary: runCancels,
  },
  { outcomes: ['cancelled', 'completed'], states: 400 },
)

scenario(
  'two children in the background, bail',
  lead({ a, b }, { delegation: reviewed, backgroundTasks: { a: {}, b: {} } }),
  { say: { lead: team('a', 'b'), a: ok, b: ok }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'a child in the background beside one that is waited for',
  lead({ a, b }, { backgroundTasks: { a: { concurrency: 1 } } }),
  { say: { lead: team('a', 'b'), a: okOrFails, b: okOrFails } },
  { outcomes: ['cancelled', 'completed'], states: 400 },
)

scenario(
  'nested, two below two, with timeouts',
  lead(
    { m: lead({ a, b }, { id: 'm', delegation: { timeout: 1_000 } }), c },
    { delegation: { timeout: 5_000, ...reviewed } },
  ),
  {
    say: { lead: team('m', 'c'), m: team('a', 'b'), a: ok, b: ok, c: ok },
    hooks: mayBail,
    adversary: runCancels,
  },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 2_500 },
)

scenario(
  'a handoff below a delegation, with a timeout and bail',
  lead({ a: worker('a', { handoffs: [b] }) }, { delegation: { ...reviewed, timeout: 5_000 } }),
  { hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed', 'failed'], states: 100 },
)

scenario(
  'a handoff of the root agent',
  worker('a', { handoffs: [b], tools: { look } }),
  {},
  { outcomes: ['cancelled', 'completed', 'failed'], states: 60 },
)

scenario(
  'a tree that is deeper than allowed',
  lead({ m: lead({ a }, { id: 'm' }) }, { maxDepth: 1 }),
  { say: { lead: team('m'), m: team('a') } },
  { outcomes: ['cancelled', 'completed'], states: 40 },
)

const slow = tool('slow', { background: { concurrency: 1 } })

scenario(
  'a tool in the background, cancels of each call',
  worker('a', { tools: { slow, look } }),
  {
    say: {
      a: [answers('Ok.'), calls({ slow: { q: 'x' } }), calls({ slow: { q: 'x' } }, { look: { q: 'x' } })],
    },
  },
  { outcomes: ['cancelled', 'completed'], states: 400 },
)

scenario(
  'a tool in the background that needs approval, and bails of a subagent beside it',
  lead(
    { a },
    { delegation: reviewed, tools: { slow: tool('slow', { background: true, requireApproval: true }) } },
  ),
  { say: { lead: [answers('Done.'), calls({ slow: { q: 'x' }, a: 'Go.' })], a: ok }, hooks: mayBail },
  { outcomes: ['bailed', 'cancelled', 'completed'], states: 400 },
)

scenario(
  'two subagents in the background because of their tools',
  lead({ a: worker('a', { tools: { slow } }), b: worker('b', { tools: { slow } }) }),
  { say: { lead: team('a', 'b') }, ...calm },
  { outcomes: ['cancelled', 'completed'], states: 400 },
)
