/** What of functions of the run, and of the context that they are given, must, and must not, compile. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  openai,
  type AgentDefinition,
  type AnyAgent,
  type AgentOptions,
  type JsonValue,
} from 'troupe'
import { z } from 'zod'
import { expectType } from './expect-type.ts'

const contextSchema = z.object({ tenant: z.string(), since: z.coerce.date(), tier: z.enum(['free', 'paid']) })
type Context = z.output<typeof contextSchema>
const model = openai('gpt-5-mini')
const tool = createTool({ id: 't', description: 'T.', inputSchema: z.object({}), execute: () => 1 })
const child = createAgent({ id: 'child', description: 'Works.', instructions: '', model })

// The context is inferred from its schema, in every function; no type argument, no cast.
const agent = createAgent({
  id: 'agent',
  description: 'Works.',
  contextSchema,
  instructions: ({ context, runId }) => {
    expectType<Context>()(context)
    expectType<string>()(runId)
    return `Serve ${context.tenant}.`
  },
  model: async ({ context }) => (context.tier === 'paid' ? model : openai('gpt-5-nano')),
  tools: ({ context }) => (context.tier === 'paid' ? { tool } : {}),
  workflows: () => ({}),
})
const lead = createSupervisor({
  id: 'lead',
  contextSchema,
  instructions: '',
  model: ({ context }) => {
    expectType<Context>()(context)
    return model
  },
  agents: ({ context }) => ({ child, ...(context.tier === 'paid' ? { agent } : {}) }),
  delegation: {
    onDelegationStart: ({ agentName }) => expectType<'child' | 'agent'>()(agentName),
  },
})

// Without a schema it is JSON, if it was given.
createAgent({
  id: 'plain',
  model,
  instructions: ({ context }) => {
    expectType<JsonValue | undefined>()(context)
    return ''
  },
})

createTool({
  id: 'tenant',
  description: 'Tells the tenant.',
  inputSchema: z.object({ q: z.string() }),
  contextSchema,
  execute: ({ q }, { context }) => {
    expectType<string>()(q)
    expectType<Context>()(context)
    return context.tenant
  },
})
createTool({
  id: 'any',
  description: 'Tells.',
  inputSchema: z.object({}),
  execute: (_input, { context }) => {
    expectType<JsonValue | undefined>()(context)
    return 1
  },
})

// @ts-expect-error there is no such field of the context
createAgent({ id: 'a', model, contextSchema, instructions: ({ context }) => context.name })
// @ts-expect-error instructions are a text
createAgent({ id: 'a', model, instructions: () => 7 })
// @ts-expect-error a model is a driver
createAgent({ id: 'a', model: () => 'gpt-5-mini', instructions: '' })
// @ts-expect-error a tool is made with createTool
createAgent({ id: 'a', model, instructions: '', tools: () => ({ tool: { execute: () => 1 } }) })
// @ts-expect-error an agent comes from a create function
createSupervisor({ id: 'a', model, instructions: '', agents: () => ({ writer: 'writer' }) })
// @ts-expect-error an agent has no agents; a supervisor has
createAgent({ id: 'a', model, instructions: '', agents: () => ({ child }) })

// Whatever context they need, they stand wherever an agent is taken.
export const agents: readonly AnyAgent[] = [agent, lead, child]
createSupervisor({ id: 'boss', instructions: '', model, agents: { child } })
expectType<AgentDefinition<AgentOptions, undefined>>()(child)

/** Tenants are an interface here: such a context needs no index signature. */
interface Tenant {
  tenant: string
  since: Date
  tier: 'free' | 'paid'
}
declare const tenant: Tenant

export async function runs(): Promise<void> {
  const troupe = createTroupe({ agents: [agent, lead, child] })
  await agent.generate('Go', { context: tenant, maxSteps: 2 })
  agent.stream('Go', { context: { tenant: 'a', since: '2026-01-01', tier: 'free' } })
  await troupe.start(lead, 'Go', { context: tenant, maxDepth: 2 })
  await agent.generate('Go', { context: tenant, structuredOutput: { schema: z.object({ n: z.number() }) } })

  // @ts-expect-error the context is required
  await agent.generate('Go')
  // @ts-expect-error the context is required
  agent.stream('Go', { maxSteps: 2 })
  // @ts-expect-error the context is required
  await troupe.start(lead, 'Go')
  // @ts-expect-error a field of the context is missing
  await agent.generate('Go', { context: { tenant: 'a', since: '2026-01-01' } })
  // @ts-expect-error not one of the tiers
  await troupe.start(agent, 'Go', { context: { tenant: 'a', since: '2026-01-01', tier: 'gold' } })

  // Where no schema asks for one, it may be given all the same.
  await child.generate('Go')
  await child.generate('Go', { context: { any: ['thing'] } })
  await troupe.start(child, 'Go', { context: 'a text' })

  const optional = createAgent({
    id: 'optional',
    model,
    contextSchema: z.object({ tenant: z.string() }).optional(),
    instructions: ({ context }) => context?.tenant ?? '',
  })
  await optional.generate('Go')
  await optional.generate('Go', { context: { tenant: 'a' } })
  // @ts-expect-error a tenant is a text
  await optional.generate('Go', { context: { tenant: 1 } })
}
