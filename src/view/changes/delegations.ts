/** The delegations of an agent, and its tasks in the background. */
import type { RunEvent } from '../../index.ts'
import type { AgentView, DelegationPart } from '../contract/run-view.ts'
import type { KeyedList } from '../lists/keyed-list.ts'
import { newDelegation } from './place.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

type DelegationEvent = EventOf<
  'delegation-start' | 'delegation-end' | 'delegation-feedback' | 'delegation-rejected' | 'delegation-bail'
>

/** The path of such an event is that of the delegation. */
export function afterDelegationEvent(agent: AgentView, event: DelegationEvent): AgentView {
  const known = agent.parts.get(event.path)
  const delegation = known?.type === 'delegation' ? known : newDelegation(event.path, event.at)
  const { agentName, agentId } = event.payload
  const changed = afterEvent({ ...delegation, agentName, agentId }, event)
  return { ...agent, parts: agent.parts.with(changed) }
}

function afterEvent(delegation: DelegationPart, event: DelegationEvent): DelegationPart {
  switch (event.type) {
    case 'delegation-start': {
      const { prompt, threadId, toolGroups } = event.payload
      return {
        ...called(delegation),
        status: 'running',
        prompt,
        threadId,
        ...(toolGroups === undefined ? {} : { toolGroups }),
      }
    }
    case 'delegation-end': {
      const { agentName: _name, agentId: _id, outcome, ...end } = event.payload
      const agents = withLastEnded(delegation.agents, event.at)
      return { ...called(delegation), ...end, status: outcome, agents, endedAt: event.at }
    }
    case 'delegation-rejected':
      return {
        ...called(delegation),
        status: 'rejected',
        reason: event.payload.reason,
        endedAt: event.at,
      }
    case 'delegation-feedback':
      return { ...delegation, feedback: event.payload.message }
    case 'delegation-bail':
      return { ...delegation, bailed: true }
  }
}

/** A delegation that has begun: its call is written, and no question about it is open. */
function called(delegation: DelegationPart): DelegationPart {
  const { argsText: _text, question: _question, ...rest } = delegation
  return rest
}

/** The last agent of a chain of handoffs has ended. */
export function withLastEnded(agents: KeyedList<AgentView>, at: number): KeyedList<AgentView> {
  const last = agents.at(-1)
  return last === undefined || last.status === 'ended'
    ? agents
    : agents.with({ ...last, status: 'ended', endedAt: at })
}

/** The task is a delegation or a call of the agent. */
export function afterBackgroundEvent(
  agent: AgentView,
  { type, payload }: EventOf<'background-start' | 'background-end'>,
): AgentView {
  const part = agent.parts.get(payload.taskId)
  if (part?.type !== 'tool' && part?.type !== 'delegation') return agent
  const background = type === 'background-start' ? 'running' : 'ended'
  return { ...agent, parts: agent.parts.with({ ...part, background }) }
}
