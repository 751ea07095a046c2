/** The place of an event in a view: the agent that its path leads to, by way of delegations. */
import type { RunEvent } from '../../index.ts'
import { agentOf, agentPath, lastId, noUsage } from '../../kit/index.ts'
import type { AgentView, DelegationPart, RunView } from '../contract/run-view.ts'
import type { ToolPart } from '../contract/parts.ts'
import { KeyedList } from '../lists/keyed-list.ts'

type Agents = KeyedList<AgentView>

/** The view with a change of the agent that emits an event. An agent that the view does not know begins with it. */
export function withAgentOf(
  view: RunView,
  event: RunEvent,
  change: (agent: AgentView) => AgentView,
): RunView {
  return withChainOf(view, event, (agents, id) =>
    agents.with(change(agents.get(id) ?? newAgent(id, event.at))),
  )
}

/**
 * The view with a change of the agent that emits an event, and of those that have handed their conversation to it.
 * `id`: of the agent among them.
 */
export function withChainOf(
  view: RunView,
  event: RunEvent,
  change: (agents: Agents, id: string) => Agents,
): RunView {
  const agents = changed(view.agents, { path: agentPath(event.path), within: '', at: event.at }, change)
  return agents === view.agents ? view : { ...view, agents }
}

interface Place {
  /** Of the agent. */
  readonly path: string
  /** The path of the delegation whose agents these are; empty for the run. */
  readonly within: string
  readonly at: number
}

function changed(
  agents: Agents,
  { path, within, at }: Place,
  change: (agents: Agents, id: string) => Agents,
): Agents {
  const id = firstAgent(path, within)
  const delegationId = delegationBelow(path, id)
  if (delegationId === undefined) return change(agents, id)
  const agent = agents.get(id) ?? newAgent(id, at)
  const part = agent.parts.get(delegationId)
  const delegation = part?.type === 'delegation' ? part : newDelegation(delegationId, at)
  const below = changed(delegation.agents, { path, within: delegationId, at }, change)
  if (below === delegation.agents) return agents
  return agents.with({ ...agent, parts: agent.parts.with({ ...delegation, agents: below }) })
}

/** Returns the call or delegation with this id: a `toolCallId` or `delegationId`. */
export function callIn({ agents }: RunView, id: string): ToolPart | DelegationPart | undefined {
  return callAmong(agents, id, '')
}

function callAmong(agents: Agents, id: string, within: string): ToolPart | DelegationPart | undefined {
  const path = agentPath(id)
  const agent = firstAgent(path, within)
  const delegationId = delegationBelow(path, agent)
  const part = agents.get(agent)?.parts.get(delegationId ?? id)
  if (delegationId === undefined)
    return part?.type === 'tool' || part?.type === 'delegation' ? part : undefined
  return part?.type === 'delegation' ? callAmong(part.agents, id, delegationId) : undefined
}

/** The path of the first agent on a path behind `within`. */
function firstAgent(path: string, within: string): string {
  const end = path.indexOf('/', within === '' ? 0 : within.length + 1)
  return end === -1 ? path : path.slice(0, end)
}

/** The path of the actor below an agent whose own agent comes next on a path; `undefined`: the agent is the last. */
function delegationBelow(path: string, agent: string): string | undefined {
  let end = agent.length
  while (end < path.length) {
    const next = path.indexOf('/', end + 1)
    if (next === -1) return undefined
    const following = path.indexOf('/', next + 1)
    const id = path.slice(next + 1, following === -1 ? path.length : following)
    if (agentOf(id) !== undefined) return path.slice(0, next)
    end = next
  }
  return undefined
}

function newAgent(id: string, at: number): AgentView {
  const agent = agentOf(lastId(id)) ?? id
  return { id, agent, status: 'running', text: '', usage: noUsage, parts: KeyedList.of(), at }
}

/** A delegation that has not begun. */
export function newDelegation(id: string, at: number): DelegationPart {
  return {
    type: 'delegation',
    id,
    at,
    agentName: '',
    agentId: '',
    status: 'running',
    text: '',
    agents: KeyedList.of(),
  }
}
