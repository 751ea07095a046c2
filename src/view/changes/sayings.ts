/** The messages of people to an agent. */
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import type { AgentView } from '../contract/run-view.ts'
import type { KeyedList } from '../lists/keyed-list.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

export function afterSaid(agent: AgentView, { at, payload }: EventOf<'said'>): AgentView {
  const { id: sayingId, ...saying } = payload
  const part = {
    type: 'saying',
    id: `saying:${sayingId}`,
    at,
    sayingId,
    ...saying,
    status: 'waiting',
  } as const
  return { ...agent, parts: agent.parts.with(part) }
}

/** A message may be heard by a successor of the agent that has taken it. */
export function afterHeard(
  agents: KeyedList<AgentView>,
  { payload }: EventOf<'heard'>,
): KeyedList<AgentView> {
  let changed = agents
  for (const agent of agents) {
    const part = agent.parts.get(`saying:${payload.id}`)
    if (part?.type !== 'saying') continue
    changed = changed.with({ ...agent, parts: agent.parts.with({ ...part, status: 'heard' }) })
  }
  return changed
}
