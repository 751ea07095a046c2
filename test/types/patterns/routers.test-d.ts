/** What of routers, dispatchers and meta-routers must, and must not, compile. */
import {
  createAgent,
  createDispatcher,
  createMetaRouter,
  createRouter,
  createSupervisor,
  openai,
  type AgentDefinition,
  type DispatcherOptions,
  type JsonValue,
  type MetaRouterOptions,
  type Primitive,
  type RouterOptions,
  type RoutingDecision,
  type RunEvent,
} from 'troupe'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'a', description: 'Writes.', instructions: '', model }
const writer = createAgent(common)
const agents = { writer, editor: writer }
const memory = true

const router = createRouter({ ...common, agents, memory, maxIterations: 3, scoreEvery: 'answer' })
expectType<AgentDefinition<RouterOptions<'writer' | 'editor'>, undefined>>()(router)
const dispatcher = createDispatcher({ ...common, agents, delegation: { timeout: 1000 } })
expectType<AgentDefinition<DispatcherOptions<'writer' | 'editor'>, JsonValue | undefined>>()(dispatcher)
const metaRouter = createMetaRouter({ ...common, agents, pattern: 'writer', signals: { urgency: 'high' } })
expectType<AgentDefinition<MetaRouterOptions<'writer' | 'editor'>, JsonValue | undefined>>()(metaRouter)

// Either stands wherever an agent is taken.
createSupervisor({ ...common, agents: { router, dispatcher } })
createRouter({ ...common, memory: { lastMessages: 4 }, agents: { dispatcher } })
createDispatcher({ ...common, agents: { router } })

// Hooks know the keys.
createRouter({
  ...common,
  memory,
  agents,
  delegation: { onDelegationStart: ({ agentName }) => expectType<'writer' | 'editor'>()(agentName) },
})
createDispatcher({
  ...common,
  agents,
  delegation: {
    onDelegationComplete: ({ agentName, bail }) => {
      expectType<'writer' | 'editor'>()(agentName)
      bail()
    },
  },
})

// A shape is that of the answer.
const shaped = createRouter({
  ...common,
  memory,
  agents,
  structuredOutput: { schema: z.object({ a: z.number() }) },
})
const result = await shaped.generate('Go', { maxIterations: 2 })
if (result.outcome === 'completed') expectType<number>()(result.object.a)

// A context that is asked for is required.
const dependent = createRouter({
  ...common,
  memory,
  contextSchema: z.object({ user: z.string() }),
  agents: ({ context }) => (context.user === 'me' ? agents : {}),
})
await dependent.generate('Go', { context: { user: 'me' } })
// @ts-expect-error the context is missing
await dependent.generate('Go')

// Decisions and their event.
export const decision: RoutingDecision = {
  primitiveId: 'writer',
  primitiveType: 'agent',
  prompt: 'Write.',
  selectionReason: 'It fits.',
}
// @ts-expect-error there is no such kind of primitive
export const wrongKind: Primitive = { primitiveId: 'writer', primitiveType: 'person' }
declare const event: RunEvent
if (event.type === 'routing-decision') {
  expectType<readonly Primitive[]>()(event.payload.candidates)
  expectType<'model' | 'onlyCandidate'>()(event.payload.criterion)
}

// @ts-expect-error a router needs memory
createRouter({ ...common, agents })
// @ts-expect-error it cannot do without
createRouter({ ...common, agents, memory: false })
// @ts-expect-error nor can a run of it
await router.generate('Go', { memory: false })
// @ts-expect-error one primitive at a time: there is nothing to run side by side
createRouter({ ...common, agents, memory, toolCallConcurrency: 2 })
// @ts-expect-error a supervisor has background tasks
createRouter({ ...common, agents, memory, backgroundTasks: {} })
// @ts-expect-error a dispatcher has no loop
createDispatcher({ ...common, agents, maxSteps: 3 })
// @ts-expect-error nor words of its own
createDispatcher({ ...common, agents, structuredOutput: { schema: z.object({}) } })
// @ts-expect-error nor anything to score
createDispatcher({ ...common, agents, completion: { scorers: [] } })
// @ts-expect-error a meta-router has no words of its own either
createMetaRouter({ ...common, agents, outputProcessors: [] })
// @ts-expect-error nobody stands for that pattern
createMetaRouter({ ...common, agents, pattern: 'magic' })
