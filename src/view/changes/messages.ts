/** The messages of an agent, and its reasoning. */
import type { RunEvent } from '../../index.ts'
import type { AgentView, PartView } from '../contract/run-view.ts'
import type { MessagePart } from '../contract/parts.ts'
import type { KeyedList } from '../lists/keyed-list.ts'

type MessageEvent = Extract<
  RunEvent,
  { type: 'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }
>

/** A message that is complete stays as it is. */
export function afterMessageEvent(agent: AgentView, event: MessageEvent): AgentView {
  const known = messageOf(agent, event)
  if (known?.status === 'complete') return agent
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
      return withMessage(agent, begun(event, known))
    case 'text-delta':
    case 'reasoning-delta': {
      const message = known?.status === 'streaming' ? known : begun(event, known)
      return withMessage(agent, { ...message, text: message.text + event.payload.text })
    }
    case 'text-end':
    case 'reasoning-end':
      return withMessage(agent, ended(known ?? begun(event, known), event))
  }
}

function typeOf(event: MessageEvent): MessagePart['type'] {
  return event.type.startsWith('text') ? 'text' : 'reasoning'
}

function idOf(event: MessageEvent): string {
  return `${typeOf(event)}:${event.messageId ?? ''}`
}

function messageOf(agent: AgentView, event: MessageEvent): MessagePart | undefined {
  const part = agent.parts.get(idOf(event))
  return part !== undefined && isMessage(part) ? part : undefined
}

function isMessage(part: PartView): part is MessagePart {
  return part.type === 'text' || part.type === 'reasoning'
}

/** A message that is begun again keeps its place. */
function begun(event: MessageEvent, earlier: MessagePart | undefined): MessagePart {
  const { at, messageId = '', attempt } = event
  return {
    type: typeOf(event),
    id: idOf(event),
    at: earlier?.at ?? at,
    messageId,
    text: '',
    status: 'streaming',
    ...(attempt === undefined ? {} : { attempt }),
  }
}

/** The text of the end stands, whatever was streamed. */
function ended(
  message: MessagePart,
  event: Extract<RunEvent, { readonly type: 'text-end' | 'reasoning-end' }>,
): MessagePart {
  const { text, status } = event.payload
  const sources = event.type === 'text-end' ? event.payload.sources : undefined
  return { ...message, text, status, ...(sources === undefined ? {} : { sources }) }
}

function withMessage(agent: AgentView, message: MessagePart): AgentView {
  const parts = agent.parts.with(message)
  if (message.type === 'reasoning') return { ...agent, parts }
  const stands = message.status === 'streaming' || message.status === 'complete'
  return { ...agent, text: stands ? message.text : lastText(parts), parts }
}

/** Of the last message that is complete. */
function lastText(parts: KeyedList<PartView>): string {
  for (let position = parts.length - 1; position >= 0; position--) {
    const part = parts.at(position)
    if (part?.type === 'text' && part.status === 'complete') return part.text
  }
  return ''
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

/** The messages of people to an agent. */
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
