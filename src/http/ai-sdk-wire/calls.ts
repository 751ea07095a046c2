/** The calls of all agents as parts of dynamic tools, with their approvals; a delegation is one while it is held. */
import type { RunEvent } from '../../index.ts'
import { agentPath, isChild, lastId } from '../../kit/index.ts'
import { answeredWith } from '../../kit/host.ts'
import type { UiChunk } from './chunks.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

/** The calls of a stream that are under way. */
export class Calls {
  /** Calls whose arguments are being written, with the names of their tools. */
  readonly written = new Map<string, string>()
  /** Delegations about which a person was asked. */
  readonly held = new Set<string>()
}

export function* callChunks(event: RunEvent, calls: Calls): Generator<UiChunk, void> {
  switch (event.type) {
    case 'tool-call-delta':
      return yield* written(event, calls)
    case 'tool-call': {
      const { toolCallId, toolName, args } = event.payload
      calls.written.delete(toolCallId)
      yield { type: 'tool-input-available', toolCallId, toolName, input: args, dynamic: true }
      return
    }
    case 'tool-progress': {
      const { toolCallId, value } = event.payload
      yield { type: 'tool-output-available', toolCallId, output: value, dynamic: true, preliminary: true }
      return
    }
    case 'tool-result': {
      const { toolCallId, result } = event.payload
      yield { type: 'tool-output-available', toolCallId, output: result, dynamic: true }
      return
    }
    case 'tool-error': {
      const { toolCallId, outcome, error } = event.payload
      yield outcome === 'denied'
        ? { type: 'tool-output-denied', toolCallId }
        : { type: 'tool-output-error', toolCallId, errorText: error?.message ?? outcome, dynamic: true }
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
function* written({ payload }: EventOf<'tool-call-delta'>, { written }: Calls): Generator<UiChunk, void> {
  const { toolCallId, toolName, text } = payload
  if (!isChild(lastId(toolCallId), 'call')) return
  if (!written.has(toolCallId)) yield { type: 'tool-input-start', toolCallId, toolName, dynamic: true }
  written.set(toolCallId, toolName)
  yield { type: 'tool-input-delta', toolCallId, inputTextDelta: text }
}

/** The reply of an agent has ended without these calls. */
function* notMade(agent: string, { written }: Calls): Generator<UiChunk, void> {
  for (const [toolCallId, toolName] of written) {
    if (agentPath(toolCallId) !== agent) continue
    written.delete(toolCallId)
    const errorText = 'The call was not made.'
    yield { type: 'tool-input-error', toolCallId, toolName, input: null, errorText, dynamic: true }
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
      if (isDelegation) {
        calls.held.add(toolCallId)
        const { args } = event.payload
        yield { type: 'tool-input-available', toolCallId, toolName, input: args, dynamic: true }
      }
      yield { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }
      return
    case 'tool-call-suspended':
      yield { type: 'data-question', id: toolCallId, data: { ...event.payload, agent: event.agent } }
      return
    case 'tool-call-answered': {
      const { type, approved, reason } = event.payload
      if (type !== 'approval') {
        yield { type: 'data-answer', id: toolCallId, data: event.payload }
        return
      }
      const why = reason === undefined ? {} : { reason }
      yield { type: 'tool-approval-response', approvalId: toolCallId, approved, ...why }
      if (!isDelegation) return
      if (approved) calls.held.add(toolCallId)
      else yield { type: 'tool-output-denied', toolCallId }
    }
  }
}
