/** What must and must not compile with agents on Restate. Nothing runs it. */
import {
  createAgent,
  createMetaRouter,
  createSupervisor,
  memoryStore,
  type AgentDefinition,
  type TroupeMemory,
  type TroupeConfiguration,
} from 'troupe'
import { restateEndpoint, restateTroupe, type RestateRun } from 'troupe/restate'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const schema = z.object({ degrees: z.number() })
const model = scriptedModel([])
const plain = createAgent({ id: 'plain', description: 'Works.', instructions: '', model })
const shaped = createAgent({ id: 'shaped', instructions: '', model, structuredOutput: { schema } })

const endpoint = restateEndpoint({
  agents: [plain, shaped],
  namespace: 'app',
  retryPolicy: { maxInterval: 500 },
  workflowRetention: { days: 7 },
  identityKeys: ['publickeyv1_abc'],
  onError: ({ error, effect }) => [error, effect?.kind],
})
const listener = await endpoint.listen({ port: 0 })
expectType<number>()(listener.port)
// @ts-expect-error -- there is no such option
restateEndpoint({ agents: [plain], leaseTtl: 3 })
// @ts-expect-error -- keys are a list
restateEndpoint({ agents: [plain], identityKeys: 'publickeyv1_abc' })

const troupe = restateTroupe({ ingress: 'http://127.0.0.1:8080', agents: [plain, shaped] })
expectType<RestateRun<undefined>>()(await troupe.start(plain, 'Go'))
const run = await troupe.start(shaped, 'Go', { maxSteps: 3 })
// @ts-expect-error -- a function cannot travel
await troupe.start(shaped, 'Go', { onError: () => undefined })
const result = await run.result
if (result.outcome === 'completed') expectType<{ degrees: number }>()(result.object)
const idle = await run.whenIdle
if (idle.outcome === 'suspended') await run.approve(idle.awaiting[0]?.toolCallId ?? '')
for await (const event of run.events)
  if (event.type === 'text-delta') expectType<string>()(event.payload.text)

// Options of a run are data: what is a function, or holds some, stands on the definition.
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { plain } })
const asking = createAgent({
  id: 'asking',
  instructions: '',
  model,
  contextSchema: z.object({ tier: z.string() }),
})
const router = createMetaRouter({ id: 'router', instructions: '', model, agents: { react: plain } })
await troupe.start(lead, 'Go', {
  maxDepth: 2,
  delegation: { maxMessages: 3, timeout: 1_000, includeConversationHistory: false },
  backgroundTasks: { plain: { timeoutMs: 60_000 } },
  memory: { lastMessages: 3 },
  inputProcessors: [],
  threadId: 'thread',
  signal: AbortSignal.timeout(1),
})
await troupe.start(router, 'Go', { pattern: 'react' })
await troupe.start(asking, 'Go', { context: { tier: 'paid' }, maxSteps: 2 })
// @ts-expect-error -- the agent needs a context
await troupe.start(asking, 'Go')
// @ts-expect-error -- of this shape
await troupe.start(asking, 'Go', { context: { tier: 3 } })
// @ts-expect-error -- an agent takes no maxDepth
await troupe.start(plain, 'Go', { maxDepth: 2 })
// @ts-expect-error -- a hook
await troupe.start(plain, 'Go', { onStepFinish: () => undefined })
// @ts-expect-error -- a hook
await troupe.start(plain, 'Go', { onFinish: () => undefined })
// @ts-expect-error -- a condition is a function
await troupe.start(plain, 'Go', { stopWhen: () => true })
// @ts-expect-error -- a schema has functions
await troupe.start(plain, 'Go', { structuredOutput: { schema } })
// @ts-expect-error -- a processor has functions
await troupe.start(plain, 'Go', { inputProcessors: [{ id: 'polite', processInput: () => undefined }] })
// @ts-expect-error -- a processor has functions
await troupe.start(plain, 'Go', { outputProcessors: [{ id: 'polite', processOutput: () => undefined }] })
// @ts-expect-error -- a scorer is a function
await troupe.start(lead, 'Go', { completion: { scorers: [] } })
// @ts-expect-error -- a hook
await troupe.start(lead, 'Go', { onIterationComplete: () => undefined })
// @ts-expect-error -- a hook
await troupe.start(lead, 'Go', { delegation: { onDelegationStart: () => undefined } })
// @ts-expect-error -- a hook
await troupe.start(lead, 'Go', { delegation: { onDelegationComplete: () => undefined } })
// @ts-expect-error -- a filter is a function
await troupe.start(lead, 'Go', { delegation: { messageFilter: () => [] } })
// Of any agent only what every run may be given is known.
declare const someone: AgentDefinition
await troupe.start(someone, 'Go', { threadId: 'thread', versions: { agents: { plain: { versionId: '1' } } } })

const versions = { agents: { plain: { status: 'draft' } } } as const
restateTroupe({ ingress: 'http://127.0.0.1:8080', agents: [plain], versions })
// @ts-expect-error -- by the ids of agents
restateTroupe({ ingress: 'http://127.0.0.1:8080', agents: [plain], versions: versions.agents })

// What acts on the store of the workers is there where the client has it.
const store = memoryStore()
const stored = restateTroupe({ ingress: 'http://127.0.0.1:8080', agents: [plain], store })
expectType<TroupeMemory>()(stored.memory)
expectType<TroupeConfiguration>()(stored.config)
// @ts-expect-error -- no memory without a store
export type Memory = (typeof troupe)['memory']
// @ts-expect-error -- no config without a store
export type Config = (typeof troupe)['config']

// What it cannot do is not there: actors live where their worker is, Restate recovers by itself, and nothing is forked.
// @ts-expect-error -- no actor
export type Actor = (typeof run)['actor']
// @ts-expect-error -- no recover
export type Recover = (typeof troupe)['recover']
// @ts-expect-error -- no fork
export type Fork = (typeof troupe)['fork']
