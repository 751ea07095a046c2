/** What of meta-routers, reflexions and debates must, and must not, compile. */
import {
  createAgent,
  createDebate,
  createFanOut,
  createMetaRouter,
  createReflexion,
  createSupervisor,
  createTroupe,
  openai,
  type AgentDefinition,
  type DebateOptions,
  type DecisionRecord,
  type JsonValue,
  type MetaRouterOptions,
  type ReflexionOptions,
} from 'troupe'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'a', description: 'Writes.', instructions: '', model }
const writer = createAgent(common)
const agents = { writer, editor: writer }
const schema = z.object({ a: z.number() })

const meta = createMetaRouter({ ...common, agents: { react: writer, debate: writer } })
expectType<AgentDefinition<MetaRouterOptions<'react' | 'debate'>, JsonValue | undefined>>()(meta)
const debate = createDebate({ ...common, agents, rounds: 2, quorum: 1 })
expectType<AgentDefinition<DebateOptions<'writer' | 'editor'>, undefined>>()(debate)
const reflexion = createReflexion({ ...common, maxCritiques: 2 })
expectType<AgentDefinition<ReflexionOptions, undefined>>()(reflexion)

// Each stands wherever an agent is taken.
createSupervisor({ ...common, agents: { meta, debate, reflexion } })
createMetaRouter({ ...common, agents: { react: reflexion, 'pro-and-con': debate } })

// A shape is that of the answer.
const shaped = await createDebate({ ...common, agents, structuredOutput: { schema } }).generate('Go')
if (shaped.outcome === 'completed') expectType<number>()(shaped.object.a)
const criticised = await createReflexion({ ...common, structuredOutput: { schema } }).generate('Go')
if (criticised.outcome === 'completed') expectType<number>()(criticised.object.a)

// Task types and patterns as they are written, without what has a default.
const kinds = ['react', 'debate'] as const
createMetaRouter({
  ...common,
  agents: { react: writer, debate },
  taskTypes: [{ name: 'decision', description: 'A choice', valid_patterns: kinds }],
  patterns: [{ name: 'debate', description: 'For and against' }],
})
createMetaRouter({
  ...common,
  agents,
  // @ts-expect-error which patterns are valid must be said
  taskTypes: [{ name: 'decision', description: 'A choice' }],
})
const troupe = createTroupe({ agents: [meta] })
await troupe.config.set('agent-pattern', 'debate', { name: 'debate', description: 'For and against' })

// A request may name its pattern and say more of itself.
const result = await meta.generate('Go', { pattern: 'debate', signals: { scope: 'two options' } })
if (result.decisions !== undefined) expectType<readonly DecisionRecord[]>()(result.decisions)
// @ts-expect-error no agent stands for it
await meta.generate('Go', { pattern: 'magic' })
// @ts-expect-error there is no such signal
await meta.generate('Go', { signals: { mood: 'good' } })

// Hooks know the keys.
createDebate({
  ...common,
  agents,
  delegation: { onDelegationStart: ({ agentName }) => expectType<'writer' | 'editor'>()(agentName) },
})

// @ts-expect-error a debate has agents
createDebate(common)
// @ts-expect-error and no tools
createDebate({ ...common, agents, tools: {} })
// @ts-expect-error its own model calls nothing, so it repeats nothing
createDebate({ ...common, agents, maxRepeatedCalls: 2 })
// @ts-expect-error nor does that of a fan-out
createFanOut({ ...common, agents, maxRepeatedCalls: 2 })
// @ts-expect-error a meta-router has no loop
createMetaRouter({ ...common, agents, maxSteps: 3 })
// @ts-expect-error nor words of its own
createMetaRouter({ ...common, agents, structuredOutput: { schema } })
// @ts-expect-error a reflexion has no subagents
createReflexion({ ...common, agents })
