/** The chunks of TrustGraph's streaming protocol (its orchestration specification, "Streaming Protocol"). */
import type { ErrorData, RunEvent } from '../index.ts'
import { agentPath, below, successorId, uuidOf } from '../kit/index.ts'

/** A chunk of a conversation, in the wire format of TrustGraph. */
export interface TrustGraphChunk {
  /**
   * A UUID that is the same for all chunks of one message, and for no message of this or of another run: a thought, an answer, a
   * call, its result. It is made of the run and the message, so that a replay and a second reader have the same.
   */
  readonly message_id: string
  /**
   * The agent session that the chunk comes from: the run for the agent that it began with, the run and the agent's path
   * for any other, also for the successor after a handoff.
   */
  readonly session_id: string
  /** The conversation that the run belongs to, where it was given one. */
  readonly conversation_id?: string
  /**
   * `thought`: the reasoning of a model, or text beside its calls. `error`: the run has failed, or was refused. `cancelled`: the run was
   * cancelled. `subagent-error`: a subagent has failed, was too late or was cancelled; its `content` says why, as that of the other two.
   */
  readonly message_type:
    'thought' | 'answer' | 'action' | 'observation' | 'error' | 'cancelled' | 'subagent-error'
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

/** `begun`: an earlier chunk of the message. */
export function spokenChunk(
  event: Spoken,
  message_type: TrustGraphChunk['message_type'],
  content: string,
  begun?: OpenChunk,
): OpenChunk {
  const message_id = begun?.message_id ?? uuidIn(event, spokenId(event))
  return { message_id, ...sourceOf(event), message_type, content }
}

type Called = Extract<RunEvent, { type: 'tool-call' | 'tool-result' | 'tool-error' }>

/** A call and its result are one chunk each. */
export function callChunk(event: Called): OpenChunk {
  const { toolCallId } = event.payload
  switch (event.type) {
    case 'tool-call': {
      const { toolName, args } = event.payload
      const content = JSON.stringify({ name: toolName, args })
      const message_id = uuidIn(event, `${toolCallId}/action`)
      return { message_id, ...sourceOf(event), message_type: 'action', content }
    }
    case 'tool-result': {
      const { result } = event.payload
      const content = typeof result === 'string' ? result : JSON.stringify(result)
      return observation(event, content)
    }
    case 'tool-error': {
      const { outcome, error } = event.payload
      const content = error?.message ?? `The tool call ${outcome}.`
      return observation(event, content)
    }
  }
}

function observation(event: Called, content: string): OpenChunk {
  const message_id = uuidIn(event, event.payload.toolCallId)
  return { message_id, ...sourceOf(event), message_type: 'observation', content }
}

type DelegationEnd = Extract<RunEvent, { type: 'delegation-end' }>

/** The last message of a subagent that has not done its task; `undefined`: it has, or has never worked. */
export function lostChunk(event: DelegationEnd): OpenChunk | undefined {
  const { agentId, error, outcome } = event.payload
  if (outcome !== 'failed' && outcome !== 'timedOut' && outcome !== 'cancelled') return undefined
  const path = below(event.path, agentId)
  return {
    message_id: uuidIn(event, `${path}/end`),
    ...sourceOf({ ...event, path }),
    message_type: 'subagent-error',
    content: wordsOf(error) ?? `The agent "${agentId}" was cancelled.`,
  }
}

function wordsOf(error: ErrorData | undefined): string | undefined {
  return error === undefined || error.message === '' ? error?.code : error.message
}

type RunFinish = Extract<RunEvent, { type: 'run-finish' }>

/** How a run ends that has neither an answer nor a text in place of it. */
function failureOf({
  outcome,
  error,
  reason,
}: RunFinish['payload']): Pick<OpenChunk, 'message_type' | 'content'> | undefined {
  switch (outcome) {
    case 'failed':
      return { message_type: 'error', content: wordsOf(error) ?? 'The run has failed.' }
    case 'tripped':
      return { message_type: 'error', content: reason ?? 'The run was refused.' }
    case 'cancelled':
      return { message_type: 'cancelled', content: reason ?? 'The run was cancelled.' }
    default:
      return undefined
  }
}

/**
 * The message with which a run ends that has no answer of its own: of the run, or of the last agent of the handoff chain.
 */
export function endChunk(event: RunFinish): OpenChunk {
  const { handoffs = [] } = event.payload
  const successor = handoffs.at(-1)
  const path = successor === undefined ? event.path : successorId(successor.to, handoffs.length)
  return {
    message_id: uuidIn(event, 'end'),
    ...sourceOf({ ...event, path }),
    ...(failureOf(event.payload) ?? { message_type: 'answer', content: event.payload.text }),
  }
}

function uuidIn({ runId }: RunEvent, message: string): string {
  return uuidOf(`${runId}/${message}`)
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
