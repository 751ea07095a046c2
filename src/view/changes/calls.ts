/** The calls of tools and workflows, and the questions about them and about delegations. */
import type { RunEvent } from '../../index.ts'
import { agentPath, asksAboutPlan, isChild, lastId } from '../../kit/index.ts'
import type { AgentView, DelegationPart } from '../contract/run-view.ts'
import type { QuestionView, ToolPart } from '../contract/parts.ts'
import { newDelegation } from './place.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

type CallEvent = EventOf<
  | 'tool-call-delta'
  | 'tool-call'
  | 'tool-progress'
  | 'tool-result'
  | 'tool-error'
  | 'tool-state'
  | 'tool-call-approval'
  | 'tool-call-suspended'
  | 'tool-call-answered'
>

type CallPart = ToolPart | DelegationPart

export function afterCallEvent(agent: AgentView, event: CallEvent): AgentView {
  const { toolCallId } = event.payload
  // A handoff that is being written is no part: the handoff itself is.
  if (isChild(lastId(toolCallId), 'handoff')) return agent
  const call = callOf(agent, event)
  const changed = call.type === 'tool' ? afterToolEvent(call, event) : afterDelegationCall(call, event)
  const { toolState } = agent
  const state = event.type === 'tool-state' ? event.payload.state : toolState
  const parts = agent.parts.with(changed)
  return parts === agent.parts && state === toolState
    ? agent
    : { ...agent, parts, ...(state === undefined ? {} : { toolState: state }) }
}

function callOf(agent: AgentView, { at, payload }: CallEvent): CallPart {
  const { toolCallId, toolName } = payload
  const known = agent.parts.get(toolCallId)
  if (known?.type === 'tool' || known?.type === 'delegation') return known
  return isChild(lastId(toolCallId), 'delegation')
    ? { ...newDelegation(toolCallId, at), agentName: toolName.replace(/^agent-/, '') }
    : { type: 'tool', id: toolCallId, at, toolName, status: 'running' }
}

function afterToolEvent(call: ToolPart, event: CallEvent): ToolPart {
  switch (event.type) {
    case 'tool-call-delta':
      return call.args === undefined ? streamed(call, event) : call
    case 'tool-call': {
      const { argsText: _written, ...made } = call
      return { ...made, args: event.payload.args, status: 'running' }
    }
    case 'tool-progress':
      return { ...call, progress: event.payload.value }
    case 'tool-result':
      return { ...atRest(call), status: 'succeeded', result: event.payload.result, endedAt: event.at }
    case 'tool-error': {
      const { outcome, error } = event.payload
      return {
        ...atRest(call),
        status: outcome,
        endedAt: event.at,
        ...(error === undefined ? {} : { error }),
      }
    }
    case 'tool-state':
      return { ...call, toolState: event.payload.state }
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return { ...call, status: 'waiting', question: questionOf(event, call) }
    case 'tool-call-answered': {
      const { args, approved } = event.payload
      const { question: _answered, ...asked } = call
      if (asksAboutPlan(call.id)) {
        const status = approved ? 'succeeded' : 'denied'
        return {
          ...asked,
          status,
          answer: answerOf(event),
          endedAt: event.at,
          ...(args === undefined ? {} : { args }),
        }
      }
      return {
        ...asked,
        status: 'running',
        answer: answerOf(event),
        ...(args === undefined ? {} : { args }),
      }
    }
  }
}

/** A delegation is called as a tool is, and may be held as one. */
function afterDelegationCall(call: DelegationPart, event: CallEvent): DelegationPart {
  switch (event.type) {
    case 'tool-call-delta':
      return call.prompt === undefined ? streamed(call, event) : call
    case 'tool-call-approval':
    case 'tool-call-suspended':
      return { ...call, status: 'waiting', question: questionOf(event, call) }
    case 'tool-call-answered': {
      const { question: _answered, ...asked } = call
      return { ...asked, status: 'running', answer: answerOf(event) }
    }
    default:
      return call
  }
}

/** A call that has ended has no report of its work any more, and no question. */
function atRest(call: ToolPart): ToolPart {
  const { progress: _progress, question: _question, argsText: _text, ...rest } = call
  return rest
}

/** The arguments so far. Those of another message are those of another attempt. */
function streamed<Part extends CallPart>(call: Part, event: EventOf<'tool-call-delta'>): Part {
  const { messageId, payload } = event
  const goesOn = call.status === 'streaming' && call.messageId === messageId
  const argsText = (goesOn ? (call.argsText ?? '') : '') + payload.text
  return { ...call, status: 'streaming', argsText, ...(messageId === undefined ? {} : { messageId }) }
}

function questionOf(
  event: EventOf<'tool-call-approval' | 'tool-call-suspended'>,
  call: CallPart,
): QuestionView {
  const { at, agent, payload } = event
  const { toolCallId, toolName } = payload
  const asked = { toolCallId, agent, toolName, path: agentPath(event.path), since: at }
  if (event.type === 'tool-call-approval') return { ...asked, type: 'approval', args: event.payload.args }
  const { suspendPayload, isClient } = event.payload
  const args = (call.type === 'tool' ? call.args : undefined) ?? null
  return isInterruption(suspendPayload)
    ? { ...asked, type: 'interruption', args }
    : {
        ...asked,
        type: 'suspension',
        args,
        payload: suspendPayload,
        ...(isClient === undefined ? {} : { isClient }),
      }
}

/** The process ended while the tool was at work. */
function isInterruption(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'interrupted' in payload
}

function answerOf({ payload }: EventOf<'tool-call-answered'>): NonNullable<ToolPart['answer']> {
  const { toolCallId: _id, toolName: _name, answerId: _answerId, ...answer } = payload
  return answer
}
