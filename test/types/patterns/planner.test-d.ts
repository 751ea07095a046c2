/** What of planners must, and must not, compile: their options, the keys of subagents, and the plan of a result. */
import {
  createAgent,
  createPlanner,
  createSupervisor,
  openai,
  type AgentDefinition,
  type PlannerOptions,
  type PlanRecord,
  type PlanStepStatus,
  type RunEvent,
} from 'troupe'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const common = { id: 'p', description: 'Plans.', instructions: '', model: openai('gpt-5-mini') }
const writer = createAgent({ ...common, id: 'writer' })
const planner = createPlanner({
  ...common,
  agents: { writer },
  maxReplans: 3,
  maxPlanSteps: 8,
  reviewSteps: true,
  maxDepth: 2,
  delegation: { onDelegationComplete: ({ agentName, bail }) => (expectType<'writer'>()(agentName), bail()) },
})

expectType<AgentDefinition<PlannerOptions<'writer'>, undefined>>()(planner)
createSupervisor({ ...common, agents: { planner } })

// @ts-expect-error a planner has no loop that a condition could stop
createPlanner({ ...common, stopWhen: () => true })
// @ts-expect-error nor one that could repeat itself
createPlanner({ ...common, maxRepeatedCalls: 2 })
// @ts-expect-error the first bail ends it
createPlanner({ ...common, bailStrategy: 'last' })
// @ts-expect-error it is not scored
createPlanner({ ...common, completion: { scorers: [] } })
// @ts-expect-error a cap is a number
createPlanner({ ...common, maxReplans: '2' })
// @ts-expect-error it is a switch
createPlanner({ ...common, reviewSteps: 1 })
// @ts-expect-error a planner's option
createAgent({ ...common, maxReplans: 2 })

export async function results(event: RunEvent): Promise<void> {
  const result = await planner.generate('Go', { maxReplans: 1, reviewSteps: false })
  expectType<PlanRecord | undefined>()(result.plan)
  expectType<PlanStepStatus | undefined>()(result.plan?.steps[0]?.status)
  // @ts-expect-error there is no such option
  await planner.generate('Go', { maxReplan: 1 })

  const shaped = createPlanner({ ...common, structuredOutput: { schema: z.object({ n: z.number() }) } })
  const answer = await shaped.generate('Go')
  if (answer.outcome === 'completed') expectType<number>()(answer.object.n)

  if (event.type === 'plan-revised') expectType<string>()(event.payload.reason)
  if (event.type === 'plan-step-end') expectType<'complete' | 'failed' | 'skipped'>()(event.payload.status)
}
