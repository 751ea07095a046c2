/**
 * An exported value of each factory: its type must be nameable in the declarations of a user's own package, so that every
 * type that it is made of is exported. `npm run types:check` writes these declarations.
 */
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  jsonSchema,
  memoryStore,
  openai,
} from 'troupe'
import { createMachine } from 'xstate'
import { z } from 'zod'

const common = { description: 'Works.', instructions: '', model: openai('gpt-5-mini') }
const structuredOutput = { schema: z.object({ city: z.string() }) }
const contextSchema = z.object({ user: z.string() })

export const model = openai('gpt-5-mini')
export const schema = jsonSchema({ type: 'object' })
export const weather = createTool({
  id: 'weather',
  description: 'The weather.',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ degrees: z.number() }),
  execute: () => ({ degrees: 4 }),
})
export const forecast = createWorkflow({
  id: 'forecast',
  description: 'The weather of tomorrow.',
  inputSchema: z.object({}),
  logic: createMachine({}),
})
export const scorer = createScorer({ id: 'good', score: () => 1 })

export const agent = createAgent({ id: 'agent', ...common, tools: { weather } })
export const shaped = createAgent({ id: 'shaped', ...common, structuredOutput, contextSchema })
export const silent = createAgent({ id: 'silent', instructions: '', model })
const agents = { agent, shaped }
export const supervisor = createSupervisor({ id: 'supervisor', ...common, agents, structuredOutput })
export const router = createRouter({ id: 'router', ...common, agents, memory: true })
export const dispatcher = createDispatcher({ id: 'dispatcher', ...common, agents })
export const planner = createPlanner({ id: 'planner', ...common, agents, workflows: { forecast } })
export const fanOut = createFanOut({ id: 'fan-out', ...common, agents })
export const metaRouter = createMetaRouter({ id: 'meta-router', ...common, agents: { react: agent } })
export const reflexion = createReflexion({ id: 'reflexion', ...common })
export const debate = createDebate({ id: 'debate', ...common, agents })

export const store = memoryStore()
export const troupe = createTroupe({ agents: [supervisor, silent], store })
export const logic = troupe.logic(supervisor)
export const run = supervisor.stream('Go')
export const result = debate.generate('Go')
