/** The plan of a planner, and the rounds of a fan-out or debate. */
import type { PlanStep, RunEvent } from '../../index.ts'
import type { AgentView } from '../contract/run-view.ts'
import type { PlanPart } from '../contract/parts.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

const planId = 'plan'

export function afterPlanEvent(
  agent: AgentView,
  event: EventOf<'plan-created' | 'plan-revised' | 'plan-step-start' | 'plan-step-end'>,
): AgentView {
  const known = agent.parts.get(planId)
  const plan: PlanPart =
    known?.type === 'plan' ? known : { type: 'plan', id: planId, at: event.at, revision: 0, steps: [] }
  return { ...agent, parts: agent.parts.with(afterPlan(plan, event)) }
}

function afterPlan(
  plan: PlanPart,
  event: EventOf<'plan-created' | 'plan-revised' | 'plan-step-start' | 'plan-step-end'>,
): PlanPart {
  switch (event.type) {
    case 'plan-created':
      return { ...plan, revision: event.payload.revision, steps: event.payload.steps }
    case 'plan-revised': {
      const { revision, steps, reason } = event.payload
      return { ...plan, revision, steps, reason }
    }
    case 'plan-step-start': {
      const { stepId, revision } = event.payload
      return withStep(plan, stepId, revision, { status: 'running' })
    }
    case 'plan-step-end': {
      const { stepId, revision, ...end } = event.payload
      return withStep(plan, stepId, revision, end)
    }
  }
}

function withStep(plan: PlanPart, id: string, revision: number, change: Partial<PlanStep>): PlanPart {
  const steps = plan.steps.map((step) =>
    step.id === id && step.revision === revision ? { ...step, ...change } : step,
  )
  return { ...plan, steps }
}

export function afterFanOutEvent(agent: AgentView, event: EventOf<'fan-out' | 'fan-in'>): AgentView {
  const { correlationId: id, round } = event.payload
  if (event.type === 'fan-out') {
    const { goals } = event.payload
    return { ...agent, parts: agent.parts.with({ type: 'fan-out', id, at: event.at, round, goals }) }
  }
  const known = agent.parts.get(id)
  if (known?.type !== 'fan-out') return agent
  return { ...agent, parts: agent.parts.with({ ...known, completions: event.payload.completions }) }
}

/** The answer is written: of a plan, or of a round. */
export function afterSynthesis(agent: AgentView, { payload }: EventOf<'synthesis-start'>): AgentView {
  const { correlationId = planId, missing } = payload
  const known = agent.parts.get(correlationId)
  if (known?.type !== 'plan' && known?.type !== 'fan-out') return agent
  return { ...agent, parts: agent.parts.with({ ...known, missing }) }
}
