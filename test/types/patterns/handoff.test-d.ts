/** Agents that hand their conversation to others. */
import {
  createAgent,
  createPlanner,
  createReflexion,
  createRouter,
  createSupervisor,
  openai,
  type AgentDefinition,
  type HandoffFilterContext,
  type HandoffRecord,
  type JsonValue,
  type Message,
} from 'troupe'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = openai('gpt-5-mini')
const common = { description: 'Does something.', instructions: '', model }
const billing = createAgent({ id: 'billing', ...common })

// A list, an object by names, or a function that gives one of them.
createAgent({ id: 'a', ...common, handoffs: [billing], maxHandoffs: 2 })
createSupervisor({ id: 'b', ...common, handoffs: { invoices: billing } })
createReflexion({ id: 'c', ...common, handoffs: () => ({ invoices: billing }) })

// Two that name each other: neither needs a cast, and both keep their types.
const ada = createAgent({
  id: 'ada',
  ...common,
  handoffs: [(): AgentDefinition => bob],
  structuredOutput: { schema: z.object({ city: z.string() }) },
})
const bob = createAgent({ id: 'bob', ...common, handoffs: [ada] })

const result = await ada.generate('Go', { maxSteps: 3 })
expectType<string | undefined>()(result.by)
expectType<readonly HandoffRecord[] | undefined>()(result.handoffs)
if (result.outcome === 'completed') expectType<{ city: string }>()(result.object)
void bob

createAgent({
  id: 'd',
  ...common,
  handoffs: [billing],
  handoffFilter: (context) => {
    expectType<HandoffFilterContext>()(context)
    expectType<readonly Message[]>()(context.messages)
    return context.messages.slice(-1)
  },
})

// Input that goes with a handoff: a filter sees the inputs of all targets.
const priority = z.object({ priority: z.enum(['low', 'high']) })
createAgent({
  id: 'k',
  ...common,
  handoffs: {
    bills: { agent: billing, inputSchema: priority },
    law: { agent: ada, inputSchema: z.object({ claim: z.number() }) },
    bob,
  },
  handoffFilter: ({ input, messages }) => {
    expectType<{ priority: 'low' | 'high' } | { claim: number } | undefined>()(input)
    return messages
  },
})
createSupervisor({
  id: 'l',
  ...common,
  handoffs: [{ agent: billing, inputSchema: priority }],
  handoffFilter: ({ input, messages }) => {
    expectType<{ priority: 'low' | 'high' } | undefined>()(input)
    return messages
  },
})
createReflexion({
  id: 'm',
  ...common,
  contextSchema: z.object({ plan: z.enum(['free', 'pro']) }),
  handoffs: ({ context }) => {
    expectType<'free' | 'pro'>()(context.plan)
    return { bills: { agent: billing, inputSchema: priority } }
  },
  handoffFilter: ({ input, messages }) => {
    expectType<{ priority: 'low' | 'high' } | undefined>()(input)
    return messages
  },
})
expectType<JsonValue | undefined>()(result.handoffs?.[0]?.input)
createAgent({
  id: 'n',
  ...common,
  // @ts-expect-error no schema
  handoffs: { bills: { agent: billing, inputSchema: 'priority' } },
})
// @ts-expect-error a target has an agent
createAgent({ id: 'o', ...common, handoffs: { bills: { inputSchema: priority } } })

// In the place of one agent: a function that names it later.
createReflexion({
  id: 'q',
  ...common,
  handoffs: { bills: { agent: () => billing, inputSchema: priority }, law: () => ada },
})
createAgent({ id: 'r', ...common, handoffs: [() => billing, { agent: () => ada }] })
createAgent({
  id: 's',
  ...common,
  contextSchema: z.object({ plan: z.enum(['free', 'pro']) }),
  handoffs: (...[run]) => {
    expectType<'free' | 'pro'>()(run.context.plan)
    return [billing]
  },
})
// @ts-expect-error one agent, not a list
createAgent({ id: 't', ...common, handoffs: [() => [billing]] })
// @ts-expect-error at once, not later
createAgent({ id: 'u', ...common, handoffs: [async () => billing] })

// A function of the run, with its context; a filter for one run.
createAgent({
  id: 'i',
  ...common,
  contextSchema: z.object({ plan: z.enum(['free', 'pro']) }),
  handoffs: async ({ context, runId }) => {
    expectType<'free' | 'pro'>()(context.plan)
    expectType<string>()(runId)
    return context.plan === 'pro' ? [billing] : { invoices: billing }
  },
})
void ada.generate('Go', { handoffFilter: ({ messages }) => messages.slice(-2) })
// @ts-expect-error a planner has no handoffs to filter
createPlanner({ id: 'j', ...common, handoffFilter: () => [] })

// @ts-expect-error the ids alone name nobody
createAgent({ id: 'e', ...common, handoffs: ['billing'] })
// @ts-expect-error a filter gives messages
createAgent({ id: 'f', ...common, handoffs: [billing], handoffFilter: () => 'all' })
// @ts-expect-error a router decides, and hands its conversation to nobody
createRouter({ id: 'g', ...common, memory: true, agents: { billing }, handoffs: [billing] })
// @ts-expect-error nor does a planner
createPlanner({ id: 'h', ...common, handoffs: [billing] })
// @ts-expect-error they stand on definitions, and are not given with a run
void billing.generate('Go', { handoffs: [ada] })
