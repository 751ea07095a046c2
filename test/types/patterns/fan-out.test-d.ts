/** What of fan-outs must, and must not, compile. */
import {
  createAgent,
  createFanOut,
  createSupervisor,
  createTool,
  openai,
  type AgentDefinition,
  type FanOutOptions,
  type RunEvent,
} from 'troupe'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'desk', description: 'Divides.', instructions: '', model }
const scout = createAgent({ ...common, id: 'scout' })

const desk = createFanOut({
  ...common,
  agents: { scout, editor: scout },
  maxGoals: 4,
  maxRounds: 2,
  goalTimeout: 1_000,
})
expectType<AgentDefinition<FanOutOptions<'scout' | 'editor'>, undefined>>()(desk)

// Whatever made it, it stands wherever an agent is taken, and takes agents of any pattern.
createSupervisor({ ...common, agents: { desk } })
createFanOut({ ...common, agents: { desk, lead: createSupervisor(common) } })

// Hooks tell its agents apart by their keys.
createFanOut({
  ...common,
  agents: { scout, editor: scout },
  delegation: {
    onDelegationStart: ({ agentName }) => expectType<'scout' | 'editor'>()(agentName),
  },
})

// Its caps may be given for one run.
void desk.generate('Go', { maxRounds: 1, maxGoals: 2, goalTimeout: 10 })

// An answer may have a shape.
const counting = createFanOut({
  ...common,
  agents: { scout },
  structuredOutput: { schema: z.object({ count: z.number() }) },
})
const counted = await counting.generate('Go')
if (counted.outcome === 'completed') expectType<{ count: number }>()(counted.object)

// Its events say what was asked of whom, and what came of it.
declare const event: RunEvent
if (event.type === 'fan-out') expectType<string>()(event.payload.correlationId)
if (event.type === 'synthesis-start') expectType<readonly string[]>()(event.payload.missing)

// @ts-expect-error it needs agents
createFanOut(common)
const add = createTool({ id: 'add', description: '', inputSchema: z.object({}), execute: () => 1 })
// @ts-expect-error it calls no tools itself
createFanOut({ ...common, agents: { scout }, tools: { add } })
// @ts-expect-error a cap is a number
createFanOut({ ...common, agents: { scout }, maxGoals: '8' })
// @ts-expect-error that is a planner's cap
createFanOut({ ...common, agents: { scout }, maxReplans: 2 })
// @ts-expect-error it is not scored
createFanOut({ ...common, agents: { scout }, completion: { scorers: [] } })
