/** What of tool groups and states must, and must not, compile. */
import {
  createAgent,
  createDebate,
  createFanOut,
  createMetaRouter,
  createSupervisor,
  createTool,
  createWorkflow,
  openai,
  type PlanStep,
  type RunEvent,
} from 'troupe'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'desk', description: 'Works.', instructions: '', model }
const inputSchema = z.object({ city: z.string() })

const find = createTool({
  id: 'find',
  description: 'Finds.',
  inputSchema,
  groups: ['orders'] as const,
  applicableStates: ['undefined'],
  nextState: 'found',
  execute: ({ city }) => expectType<string>()(city),
})
expectType<readonly string[]>()(find.groups)
expectType<string | undefined>()(find.nextState)
createWorkflow({
  id: 'send',
  description: 'Sends.',
  inputSchema,
  logic: fromPromise(async ({ input }: { input: { city: string } }) => input.city),
  groups: ['orders'],
  nextState: 'sent',
})
// @ts-expect-error groups are a list
createTool({ id: 'find', description: 'Finds.', inputSchema, groups: 'orders', execute: () => null })

const agent = createAgent({ ...common, tools: { find }, toolGroups: ['orders'], toolState: 'found' })
const result = await agent.generate('Go', { toolGroups: ['*'], toolState: 'new' })
expectType<string | undefined>()(result.toolState)
// @ts-expect-error a state is one name
await agent.generate('Go', { toolState: ['new'] })

createSupervisor({
  ...common,
  agents: { agent },
  delegation: {
    onDelegationStart: ({ toolGroups }) => {
      expectType<readonly string[] | undefined>()(toolGroups)
      return { modifiedToolGroups: ['orders'] }
    },
  },
})

// What calls no tools itself has groups, for those below it, and no state.
createFanOut({ ...common, agents: { agent }, toolGroups: ['orders', 'money'] })
// @ts-expect-error a fan-out is in no state
createFanOut({ ...common, agents: { agent }, toolState: 'found' })
// @ts-expect-error nor is a debate
createDebate({ ...common, agents: { agent, other: agent }, toolState: 'found' })
// @ts-expect-error nor is a meta-router
createMetaRouter({ ...common, agents: { react: agent }, toolState: 'found' })

declare const event: RunEvent
if (event.type === 'tool-state') {
  expectType<string>()(event.payload.state)
  expectType<string>()(event.payload.previousState)
  expectType<string>()(event.payload.toolCallId)
}
declare const step: PlanStep
expectType<readonly string[] | undefined>()(step.toolGroups)
