/**
 * The events of a run as the chunks of TrustGraph's streaming protocol (its orchestration specification, "Streaming
 * Protocol"): grouped by message, distinguished by session, with the ends of messages and of the dialog marked.
 */
import { agentPath, successorId } from '../actors/actor-path.ts'
import type { RunEvent } from '../runtime/handle/event-log.ts'

export interface TrustGraphChunk {
  /** The same for all chunks of one message. */
  readonly message_id: string
  /**
   * The agent session that the chunk comes from: the run for the agent that it began with, the run and the agent's path
   * for any other, also for the successor after a handoff.
   */
  readonly session_id: string
  /** The reasoning, text and calls of a model, and the result of a call. */
  readonly message_type: 'thought' | 'answer' | 'action' | 'observation'
  readonly content: string
  /** Set on the last chunk of a message. */
  readonly end_of_message: boolean
  /** Set once, on the last chunk of the final message. */
  readonly end_of_dialog: boolean
}

type Open = Omit<TrustGraphChunk, 'end_of_message' | 'end_of_dialog'>

/**
 * Passes the chunks on as they come. The last chunk of a message waits until it is known to be the last, and that of an
 * answer of the root agent until it is known whether the run ends with it.
 */
export async function* toTrustGraphChunks(events: AsyncIterable<RunEvent>): AsyncGenerator<TrustGraphChunk> {
  const open = new Map<string, Open>()
  /** The last chunk of the root agent's last answer. */
  let lastAnswer: Open | undefined
  for await (const event of events) {
    switch (event.type) {
      case 'reasoning-delta':
      case 'text-delta': {
        const chunk = chunkOf(event)
        const key = `${chunk.message_id}:${chunk.message_type}`
        const held = open.get(key)
        if (held !== undefined) yield going(held)
        open.set(key, chunk)
        break
      }
      case 'reasoning-end':
      case 'text-end': {
        const { message_id, message_type } = chunkOf(event)
        const key = `${message_id}:${message_type}`
        const held = open.get(key)
        open.delete(key)
        if (held === undefined) break
        if (event.type === 'reasoning-end' || event.delegationId !== undefined) {
          yield ended(held)
          break
        }
        if (lastAnswer !== undefined) yield ended(lastAnswer)
        lastAnswer = held
        break
      }
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        yield ended(chunkOf(event))
        break
      case 'handoff':
        if (event.delegationId !== undefined || lastAnswer === undefined) break
        yield ended(lastAnswer) // the run ends with its successor's answer
        lastAnswer = undefined
        break
      case 'run-finish':
        for (const held of open.values()) yield ended(held) // of attempts that failed
        if (lastAnswer !== undefined && lastAnswer.message_id === event.messageId) {
          yield { ...lastAnswer, end_of_message: true, end_of_dialog: true }
          break
        }
        if (lastAnswer !== undefined) yield ended(lastAnswer)
        yield { ...unspoken(event), end_of_message: true, end_of_dialog: true }
        break
      default: // other events have no chunk
    }
  }
}

function going(chunk: Open): TrustGraphChunk {
  return { ...chunk, end_of_message: false, end_of_dialog: false }
}

function ended(chunk: Open): TrustGraphChunk {
  return { ...chunk, end_of_message: true, end_of_dialog: false }
}

type Spoken = Extract<
  RunEvent,
  {
    type:
      | 'reasoning-delta'
      | 'reasoning-end'
      | 'text-delta'
      | 'text-end'
      | 'tool-call'
      | 'tool-result'
      | 'tool-error'
  }
>

function chunkOf(event: Spoken): Open {
  const session_id = sessionOf(event.runId, agentPath(event.path))
  switch (event.type) {
    case 'reasoning-delta':
    case 'reasoning-end':
      return said(event, 'thought', session_id)
    case 'text-delta':
    case 'text-end':
      return said(event, 'answer', session_id)
    case 'tool-call': {
      const { toolCallId, toolName, args } = event.payload
      const content = JSON.stringify({ name: toolName, args })
      return { message_id: `${toolCallId}/action`, session_id, message_type: 'action', content }
    }
    case 'tool-result': {
      const { toolCallId, result } = event.payload
      const content = typeof result === 'string' ? result : JSON.stringify(result)
      return { message_id: toolCallId, session_id, message_type: 'observation', content }
    }
    case 'tool-error': {
      const { toolCallId, outcome, error } = event.payload
      const content = error?.message ?? `The tool call ${outcome}.`
      return { message_id: toolCallId, session_id, message_type: 'observation', content }
    }
  }
}

function said(
  { messageId = '', payload }: Extract<Spoken, { messageId?: string; payload: { text: string } }>,
  message_type: 'thought' | 'answer',
  session_id: string,
): Open {
  return { message_id: messageId, session_id, message_type, content: payload.text }
}

/** The agent that a run began with has a path of one id, which no handoff has led to. */
function sessionOf(runId: string, path: string): string {
  return /[/~]/.test(path) ? `${runId}/${path}` : runId
}

/**
 * The last chunk of a run that ends without text, or with the answer of another agent: in the run's own session, or in
 * that of the last agent of the handoff chain.
 */
function unspoken({ runId, path, payload }: Extract<RunEvent, { type: 'run-finish' }>): Open {
  const { text, handoffs = [] } = payload
  const last = handoffs.at(-1)
  const session_id = sessionOf(runId, last === undefined ? path : successorId(last.to, handoffs.length))
  return { message_id: `${runId}/end`, session_id, message_type: 'answer', content: text }
}
