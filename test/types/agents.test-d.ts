/** What of definitions must, and must not, compile: options, their values, and the keys of subagents. */
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createRouter,
  createScorer,
  createSupervisor,
  createTroupe,
  openai,
  type AgentDefinition,
  type AgentOptions,
  type AnyAgent,
  type CallOptions,
  type ClientTool,
  type JsonValue,
  type SupervisorOptions,
} from 'troupe'
import { z } from 'zod'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'a', description: 'Writes.', instructions: '', model }
const writer = createAgent(common)
const lead = createSupervisor({ ...common, id: 'lead', agents: { writer, editor: writer } })

expectType<AgentDefinition<AgentOptions, undefined>>()(writer)
expectType<AgentDefinition<SupervisorOptions<'writer' | 'editor'>, undefined>>()(lead)
expectType<AgentDefinition<SupervisorOptions, undefined>>()(createSupervisor(common))

// Whatever made it, an agent stands wherever one is taken.
export const agents: readonly AgentDefinition[] = [writer, lead]
createSupervisor({ ...common, agents: { lead, writer } })
declare const byName: Readonly<Record<string, AgentDefinition>>
createSupervisor({
  ...common,
  agents: byName,
  delegation: { onDelegationStart: ({ agentName }) => expectType<string>()(agentName) },
})

// An agent without a description runs, and cannot be a subagent: a model chooses by the description.
const silent = createAgent({ id: 'silent', instructions: '', model })
expectType<undefined>()(silent.description)
expectType<string>()(writer.description)
createTroupe({ agents: [silent, lead] })
export const all: readonly AnyAgent[] = [silent, lead]
// @ts-expect-error a subagent has a description
createSupervisor({ ...common, agents: { silent } })
// @ts-expect-error also one that a function of the run gives
createSupervisor({ ...common, agents: () => ({ silent }) })
// @ts-expect-error a router chooses by descriptions
createRouter({ ...common, memory: true, agents: { silent } })
// @ts-expect-error so does a dispatcher
createDispatcher({ ...common, agents: { silent } })
// @ts-expect-error so does a planner
createPlanner({ ...common, agents: { silent } })
// @ts-expect-error so does a fan-out
createFanOut({ ...common, agents: { silent } })
// @ts-expect-error so does a meta-router
createMetaRouter({ ...common, agents: { silent } })
// @ts-expect-error the participants of a debate have descriptions
createDebate({ ...common, agents: { silent, writer } })
// @ts-expect-error so has an agent that a conversation is handed to
createAgent({ ...common, handoffs: [silent] })

// Required, and of the right kind.
createAgent({ id: 'a', model })
// @ts-expect-error instructions are a text
createAgent({ id: 'a', model, instructions: ['Be brief.'] })
// @ts-expect-error a model is required
createAgent({ id: 'a', instructions: '' })
// @ts-expect-error a model is a driver, not its name
createAgent({ id: 'a', instructions: '', model: 'gpt-5-mini' })
// @ts-expect-error an agent comes from a create function
createSupervisor({ ...common, agents: { writer: 'writer' } })
// Agents stand under their keys, or in a list, where their ids are the keys; also those of a function of the run.
createSupervisor({ ...common, agents: [writer] })
createSupervisor({ ...common, agents: () => [writer] })
createSupervisor({ ...common, agents: async () => [writer] })
createPlanner({ ...common, agents: [writer] })
createFanOut({ ...common, agents: [writer] })
createDebate({ ...common, agents: [writer, writer] })
createMetaRouter({ ...common, agents: [writer] })
createTroupe({ agents: { writer } })
createTroupe({ agents: [writer] })
// The keys of a list are not known; those of an object are.
createSupervisor({
  ...common,
  agents: [writer],
  delegation: { onDelegationStart: ({ agentName }) => ({ proceed: agentName === 'anyone' }) },
})
createSupervisor({
  ...common,
  agents: { writer },
  // @ts-expect-error there is no such agent
  delegation: { onDelegationStart: ({ agentName }) => ({ proceed: agentName === 'anyone' }) },
})
// @ts-expect-error a subagent in a list has a description too
createSupervisor({ ...common, agents: [silent] })
// @ts-expect-error a list holds agents
createTroupe({ agents: ['writer'] })
// @ts-expect-error an agent alone is no list
createTroupe({ agents: writer })

// Names of options.
// @ts-expect-error an agent has no completion; a supervisor has
createAgent({ ...common, completion: { scorers: [] } })
// @ts-expect-error an agent has no agents; a supervisor has
createAgent({ ...common, agents: { writer } })
// @ts-expect-error there is no such option
createSupervisor({ ...common, maxStep: 3 })
// @ts-expect-error there is no such option of delegation
createSupervisor({ ...common, delegation: { onStart: () => undefined } })
// @ts-expect-error there is no such option of completion
createSupervisor({ ...common, completion: { scorers: [], mode: 'all' } })
// @ts-expect-error what is given for one run only does not stand on a definition
createAgent({ ...common, threadId: 't' })

// Values of options.
createSupervisor({ ...common, bailStrategy: 'last', scoreEvery: 'iteration', onExhausted: 'stop' })
// @ts-expect-error not one of the strategies
createSupervisor({ ...common, bailStrategy: 'any' })
// @ts-expect-error not one of the moments
createSupervisor({ ...common, scoreEvery: 'step' })
// @ts-expect-error not one of the ends
createAgent({ ...common, onExhausted: 'throw' })
// @ts-expect-error not one of the policies
createAgent({ ...common, hookErrors: 'warn' })
// @ts-expect-error a cap is a number
createAgent({ ...common, maxSteps: '3' })
// @ts-expect-error a timeout is a number of milliseconds
createSupervisor({ ...common, delegation: { timeout: '5s' } })
// @ts-expect-error not one of the strategies
createSupervisor({ ...common, completion: { scorers: [], strategy: 'most' } })
// @ts-expect-error a completion has scorers
createSupervisor({ ...common, completion: { strategy: 'all' } })
// @ts-expect-error a scorer is made with createScorer
createSupervisor({ ...common, completion: { scorers: [() => 1] } })

// Scorers.
createScorer({ id: 's', threshold: 0.5, score: async ({ output, input }) => (output === input ? 0 : 1) })
createScorer({ id: 's', score: ({ iteration }) => ({ score: iteration / 10, reason: 'late' }) })
// @ts-expect-error a score is a number, or has one
createScorer({ id: 's', score: () => 'good' })
// @ts-expect-error a reason is no score
createScorer({ id: 's', score: () => ({ reason: 'none' }) })

export async function runs(): Promise<void> {
  await lead.generate('Go', { maxSteps: 3, maxDepth: 2, threadId: 't', signal: AbortSignal.timeout(1) })
  await lead.generate([{ role: 'user', content: 'Go' }])
  // @ts-expect-error a prompt comes from a user or an assistant
  await lead.generate([{ role: 'system', content: 'Go' }])
  // @ts-expect-error a prompt is required
  await lead.generate()
  // @ts-expect-error there is no such option
  await lead.generate('Go', { maxStep: 2 })
  // @ts-expect-error an agent takes no maxDepth
  await writer.generate('Go', { maxDepth: 2 })
  // @ts-expect-error nor when it is streamed
  writer.stream('Go', { maxDepth: 2 })
  // @ts-expect-error the agents of a definition stand as they are
  await lead.generate('Go', { agents: { writer } })

  const troupe = createTroupe({ agents: [lead, writer] })
  await troupe.start(lead, 'Go', { maxDepth: 2 })
  // @ts-expect-error an agent takes no maxDepth
  await troupe.start(writer, 'Go', { maxDepth: 2 })
  // @ts-expect-error an agent is started, not its id
  await troupe.start('lead', 'Go')

  // Tools of the client are JSON, and a list of the caller's is taken as it is.
  const parameters = { type: 'object', properties: { near: { type: 'string' } } } as const
  const clientTools = [
    { name: 'whereAmI', description: 'Tells where.', parameters },
    { name: 'pick' },
  ] as const
  expectType<readonly ClientTool[] | undefined>()<CallOptions['clientTools']>(clientTools)
  await troupe.start(lead, 'Go', { clientTools })
  await writer.generate('Go', { clientTools })
  expectType<Readonly<Record<string, JsonValue>> | undefined>()<ClientTool['parameters']>(parameters)
  // @ts-expect-error a tool of a client has a name
  await troupe.start(lead, 'Go', { clientTools: [{ description: 'Tells where.' }] })
  // @ts-expect-error the client performs its calls
  await troupe.start(lead, 'Go', { clientTools: [{ name: 'pick', execute: () => 1 }] })
  // @ts-expect-error a schema is JSON, and no schema of a library
  await troupe.start(lead, 'Go', { clientTools: [{ name: 'pick', parameters: z.object({}) }] })
  // @ts-expect-error they are of a run, and not of an agent
  createAgent({ ...common, clientTools })
}
