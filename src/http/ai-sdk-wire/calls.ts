/**
 * The calls of all agents as parts of tools, with their approvals; a delegation is one while it is held. The tools of the page
 * are parts of their own names, which the page may type; all others are dynamic.
 */
import type { RunEvent } from '../../index.ts'
import { agentPath, asksAboutPlan, isChild, lastId } from '../../kit/index.ts'
import { answeredWith } from '../../kit/host.ts'
import type { ClientCalls } from '../serving/client-tools.ts'
import type { UiChunk } from './chunks.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

/** The calls of a stream that are under way. */
export class Calls {
  /** Calls whose arguments are being written, with their tools. */
  readonly written = new Map<string, { readonly toolName: string } & Kind>()
  /** Calls about which a person was asked, for approval. */
  readonly reviewed = new Set<string>()
  /** Suspended calls that were answered in this stream. */
  readonly resumed = new Set<string>()
  /** Delegations about which a person was asked. */
  readonly held = new Set<string>()
  readonly #clientCalls: ClientCalls

  constructor(clientCalls: ClientCalls) {
    this.#clientCalls = clientCalls
  }

  isClient(event: Pick<RunEvent, 'agent' | 'delegationId'>, toolName: string): boolean {
    return this.#clientCalls.has(event, toolName)
  }

  kindOf(event: Pick<RunEvent, 'agent' | 'delegationId'>, toolName: string): Kind {
    return this.isClient(event, toolName) ? {} : { dynamic: true }
  }
}

interface Kind {
  /** Set unless it is a tool of the page. */
  readonly dynamic?: true
}

export function* callChunks(event: RunEvent, calls: Calls): Generator<UiChunk, void> {
  switch (event.type) {
    case 'tool-call-delta':
      return yield* written(event, calls)
    case 'tool-call': {
      const { toolCallId, toolName, args } = event.payload
      calls.written.delete(toolCallId)
      const kind = calls.kindOf(event, toolName)
      yield { type: 'tool-input-available', toolCallId, toolName, input: args, ...kind }
      return
    }
    case 'tool-progress': {
      const { toolCallId, value } = event.payload
      yield { type: 'tool-output-available', toolCallId, output: value, dynamic: true, preliminary: true }
      return
    }
    case 'tool-result': {
      const { toolCallId, toolName, result } = event.payload
      const kind = calls.kindOf(event, toolName)
      yield { type: 'tool-output-available', toolCallId, output: result, ...kind }
      return
    }
    case 'tool-error': {
      const { toolCallId, toolName, outcome, error } = event.payload
      const kind = calls.kindOf(event, toolName)
      yield outcome === 'denied' && calls.reviewed.has(toolCallId)
        ? { type: 'tool-output-denied', toolCallId }
        : { type: 'tool-output-error', toolCallId, errorText: error?.message ?? outcome, ...kind }
      return
    }
    case 'tool-call-approval':
    case 'tool-call-suspended':
    case 'tool-call-answered':
      return yield* questionChunks(event, calls)
    case 'delegation-end': {
      if (!calls.held.delete(event.path)) return
      const { text, error } = event.payload
      const outcome = answeredWith(event.payload)
      yield outcome === 'succeeded'
        ? { type: 'tool-output-available', toolCallId: event.path, output: text, dynamic: true }
        : {
            type: 'tool-output-error',
            toolCallId: event.path,
            errorText: error?.message ?? outcome,
            dynamic: true,
          }
      return
    }
    case 'step-finish':
    case 'error':
      return yield* notMade(agentPath(event.path), calls)
    default:
  }
}

/** A delegation and a handoff have parts of their own. */
function* written(event: EventOf<'tool-call-delta'>, calls: Calls): Generator<UiChunk, void> {
  const { toolCallId, toolName, text } = event.payload
  const { written } = calls
  const kind = calls.kindOf(event, toolName)
  if (!isChild(lastId(toolCallId), 'call')) return
  if (!written.has(toolCallId)) yield { type: 'tool-input-start', toolCallId, toolName, ...kind }
  written.set(toolCallId, { toolName, ...kind })
  yield { type: 'tool-input-delta', toolCallId, inputTextDelta: text }
}

/** The reply of an agent has ended without these calls. */
function* notMade(agent: string, { written }: Calls): Generator<UiChunk, void> {
  for (const [toolCallId, tool] of written) {
    if (agentPath(toolCallId) !== agent) continue
    written.delete(toolCallId)
    const errorText = 'The call was not made.'
    yield { type: 'tool-input-error', toolCallId, ...tool, input: null, errorText }
  }
}

function* questionChunks(
  event: EventOf<'tool-call-approval' | 'tool-call-suspended' | 'tool-call-answered'>,
  calls: Calls,
): Generator<UiChunk, void> {
  const { toolCallId, toolName } = event.payload
  const isDelegation = isChild(lastId(toolCallId), 'delegation')
  switch (event.type) {
    case 'tool-call-approval':
      calls.reviewed.add(toolCallId)
      if (isDelegation) {
        calls.held.add(toolCallId)
        const { args } = event.payload
        yield { type: 'tool-input-available', toolCallId, toolName, input: args, dynamic: true }
      } else if (asksAboutPlan(toolCallId)) {
        const { args } = event.payload
        yield { type: 'tool-input-available', toolCallId, toolName, input: args, dynamic: true }
      }
      yield { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }
      return
    case 'tool-call-suspended': {
      if (calls.isClient(event, toolName)) return // the page performs the call
      const { agent, at: since, payload } = event
      yield { type: 'data-question', id: toolCallId, data: { ...payload, agent, since } }
      return
    }
    case 'tool-call-answered': {
      const { type, approved, reason } = event.payload
      if (type !== 'approval') {
        calls.resumed.add(toolCallId)
        if (calls.isClient(event, toolName)) return
        yield { type: 'data-answer', id: toolCallId, data: event.payload }
        return
      }
      calls.reviewed.add(toolCallId)
      const why = reason === undefined ? {} : { reason }
      yield { type: 'tool-approval-response', approvalId: toolCallId, approved, ...why }
      if (asksAboutPlan(toolCallId)) {
        const output = event.payload.args ?? { approved }
        yield approved
          ? { type: 'tool-output-available', toolCallId, output, dynamic: true }
          : { type: 'tool-output-denied', toolCallId }
        return
      }
      if (!isDelegation) return
      if (approved) calls.held.add(toolCallId)
      else yield { type: 'tool-output-denied', toolCallId }
    }
  }
}

/** Calls that were answered and are suspended anew: on the page they have the answer as their output, and now wait again. */
export function* askedAgain(event: EventOf<'suspended'>, calls: Calls): Generator<UiChunk, void> {
  for (const { toolCallId, toolName, type, args } of event.payload.awaiting) {
    if (type !== 'suspension' || !calls.resumed.has(toolCallId)) continue
    yield { type: 'tool-input-available', toolCallId, toolName, input: args, dynamic: true }
  }
}
