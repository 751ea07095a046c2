/** The agents of a view after an event: each event changes the agent that emits it. */
import type { RunEvent } from '../../index.ts'
import type { AgentView, PartView, RunView } from '../contract/run-view.ts'
import { afterCallEvent } from './calls.ts'
import { afterBackgroundEvent, afterDelegationEvent } from './delegations.ts'
import { afterMessageEvent, afterHeard, afterSaid } from './messages.ts'
import { withAgentOf, withChainOf } from './place.ts'
import { afterFanOutEvent, afterPlanEvent, afterSynthesis } from './plans.ts'
import {
  afterCompactionEvent,
  afterIterationEvent,
  afterScoringEvent,
  afterStepEvent,
  withoutStreaming,
} from './steps.ts'

export function withAgentAfter(view: RunView, event: RunEvent): RunView {
  if (event.type === 'heard') return withChainOf(view, event, (agents) => afterHeard(agents, event))
  return withAgentOf(view, event, (agent) => after(agent, event))
}

function after(agent: AgentView, event: RunEvent): AgentView {
  switch (event.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return afterMessageEvent(agent, event)
    case 'tool-call-delta':
    case 'tool-call':
    case 'tool-progress':
    case 'tool-result':
    case 'tool-error':
    case 'tool-state':
    case 'tool-call-approval':
    case 'tool-call-suspended':
    case 'tool-call-answered':
      return afterCallEvent(agent, event)
    case 'delegation-start':
    case 'delegation-end':
    case 'delegation-feedback':
    case 'delegation-rejected':
    case 'delegation-bail':
      return afterDelegationEvent(agent, event)
    case 'background-start':
    case 'background-end':
      return afterBackgroundEvent(agent, event)
    case 'step-start':
    case 'step-finish':
      return afterStepEvent(agent, event)
    case 'iteration-start':
    case 'iteration-end':
    case 'iteration-feedback':
      return afterIterationEvent(agent, event)
    case 'scoring-start':
    case 'scorer-result':
    case 'scoring-complete':
      return afterScoringEvent(agent, event)
    case 'compaction-start':
    case 'compaction-end':
      return afterCompactionEvent(agent, event)
    case 'plan-created':
    case 'plan-revised':
    case 'plan-step-start':
    case 'plan-step-end':
      return afterPlanEvent(agent, event)
    case 'fan-out':
    case 'fan-in':
      return afterFanOutEvent(agent, event)
    case 'synthesis-start':
      return afterSynthesis(agent, event)
    case 'said':
      return afterSaid(agent, event)
    case 'abort':
      return { ...agent, aborted: event.payload.reason }
    case 'error':
    case 'model-fallback':
      return withPart(
        { ...agent, parts: withoutStreaming(agent.parts) },
        errorPart(event, agent.parts.length),
      )
    default:
      return afterDecision(agent, event)
  }
}

/** Events that are a part as they are, and those of the run. */
function afterDecision(agent: AgentView, event: RunEvent): AgentView {
  const { at, type } = event
  const place = { id: `${type}:${agent.parts.length}`, at }
  switch (event.type) {
    case 'handoff': {
      const handedOff = withPart(agent, { ...place, type: 'handoff', ...event.payload })
      return { ...handedOff, status: 'ended', endedAt: at }
    }
    case 'routing-decision':
      return withPart(agent, { ...place, type: 'routing', decision: event.payload })
    case 'pattern-selected':
      return withPart(agent, { ...place, type: 'pattern', selection: event.payload })
    case 'critique':
      return withPart(agent, { ...place, type: 'critique', critique: event.payload })
    case 'run-start':
    case 'run-finish':
    case 'suspended':
    case 'resumed':
    case 'budget-warning':
    case 'drift':
    case 'restored':
      return agent
    default:
      return withPart(agent, { id: `event:${agent.parts.length}`, at, type: 'event', event })
  }
}

/** `count`: how many parts, or errors, there are before it. */
/** After a fall the next model of the row is called. */
export function errorPart(event: Extract<RunEvent, { type: 'error' | 'model-fallback' }>, count: number) {
  const { at, agent, path, payload } = event
  const { error } = payload
  const willRetry = event.type === 'model-fallback' || event.payload.willRetry
  return { type: 'error', id: `error:${count}`, at, agent, path, error, willRetry } as const
}

function withPart(agent: AgentView, part: PartView): AgentView {
  return { ...agent, parts: agent.parts.with(part) }
}
