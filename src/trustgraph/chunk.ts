/** The chunks of TrustGraph's streaming protocol (its orchestration specification, "Streaming Protocol"). */
import type { RunEvent } from '../index.ts'
import { agentPath, successorId } from '../kit/index.ts'

/** A chunk of a conversation, in the wire format of TrustGraph. */
export interface TrustGraphChunk {
  /** The same for all chunks of one message, and for no other message: a thought, an answer, a call, its result. */
  readonly message_id: string
  /**
   * The agent session that the chunk comes from: the run for the agent that it began with, the run and the agent's path
   * for any other, also for the successor after a handoff.
   */
  readonly session_id: string
  /** The conversation that the run belongs to, where it was given one. */
  readonly conversation_id?: string
  /** `thought`: the reasoning of a model, or text beside its calls. */
  readonly message_type: 'thought' | 'answer' | 'action' | 'observation'
  readonly content: string
  /** Set on the last chunk of a message. */
  readonly end_of_message: boolean
  /** Set once, on the last chunk of the final message. */
  readonly end_of_dialog: boolean
}

/** A chunk that is not known yet to be the last of its message. */
export type OpenChunk = Omit<TrustGraphChunk, 'end_of_message' | 'end_of_dialog'>

export function going(chunk: OpenChunk): TrustGraphChunk {
  return { ...chunk, end_of_message: false, end_of_dialog: false }
}

export function ended(chunk: OpenChunk): TrustGraphChunk {
  return { ...chunk, end_of_message: true, end_of_dialog: false }
}

export function last(chunk: OpenChunk): TrustGraphChunk {
  return { ...chunk, end_of_message: true, end_of_dialog: true }
}

type Spoken = Extract<
  RunEvent,
  { type: 'reasoning-delta' | 'reasoning-end' | 'text-delta' | 'text-end' | 'text-start' | 'reasoning-start' }
>

/** The id of the message: reasoning, and each attempt after a crash, is a message of its own. */
export function spokenId({ attempt, messageId = '', type }: Spoken): string {
  const again = attempt === undefined ? messageId : `${messageId}/${attempt}`
  return type.startsWith('reasoning') ? `${again}/thought` : again
}

export function spokenChunk(
  event: Spoken,
  message_type: TrustGraphChunk['message_type'],
  content: string,
): OpenChunk {
  return { message_id: spokenId(event), ...sourceOf(event), message_type, content }
}

type Called = Extract<RunEvent, { type: 'tool-call' | 'tool-result' | 'tool-error' }>

/** A call and its result are one chunk each. */
export function callChunk(event: Called): OpenChunk {
  const { toolCallId } = event.payload
  switch (event.type) {
    case 'tool-call': {
      const { toolName, args } = event.payload
      const content = JSON.stringify({ name: toolName, args })
      return { message_id: `${toolCallId}/action`, ...sourceOf(event), message_type: 'action', content }
    }
    case 'tool-result': {
      const { result } = event.payload
      const content = typeof result === 'string' ? result : JSON.stringify(result)
      return { message_id: toolCallId, ...sourceOf(event), message_type: 'observation', content }
    }
    case 'tool-error': {
      const { outcome, error } = event.payload
      const content = error?.message ?? `The tool call ${outcome}.`
      return { message_id: toolCallId, ...sourceOf(event), message_type: 'observation', content }
    }
  }
}

/**
 * The message with which a run ends that has no answer of its own: of the run, or of the last agent of the handoff chain.
 */
export function endChunk(event: Extract<RunEvent, { type: 'run-finish' }>, content: string): OpenChunk {
  const { handoffs = [] } = event.payload
  const successor = handoffs.at(-1)
  const path = successor === undefined ? event.path : successorId(successor.to, handoffs.length)
  return {
    message_id: `${event.runId}/end`,
    ...sourceOf({ ...event, path }),
    message_type: 'answer',
    content,
  }
}

function sourceOf({
  conversationId,
  path,
  runId,
}: RunEvent): Pick<OpenChunk, 'session_id' | 'conversation_id'> {
  return {
    session_id: sessionOf(runId, agentPath(path)),
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
  }
}

/** The agent that a run began with has a path of one id, which no handoff has led to. */
function sessionOf(runId: string, path: string): string {
  return /[/~]/.test(path) ? `${runId}/${path}` : runId
}
