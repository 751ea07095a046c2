/** The chunks of `fullStream`. */
import type {
  AwaitedSignal,
  ErrorData,
  EventPayloads,
  FinishReason,
  JsonValue,
  ScorerResult,
  Usage,
} from '../index.ts'

/** A call of a tool or of a subagent (`agent-<key>`). */
interface Call {
  toolCallId: string
  toolName: string
  /** As `toolName`. */
  name: string
}

interface Spoken {
  /** The same for all chunks of one message. */
  id: string
}

/** The payloads of chunks, by their types. */
export interface ChunkPayloads {
  start: { task: string }
  'step-start': { step: number }
  'step-finish': { step: number; finishReason: string; usage: Usage }
  'text-start': Spoken
  'text-delta': Spoken & { text: string }
  'text-end': Spoken
  'reasoning-start': Spoken
  'reasoning-delta': Spoken & { text: string }
  'reasoning-end': Spoken
  'tool-call': Call & { args: JsonValue }
  'tool-result': Call & { result: JsonValue }
  'tool-error': Call & { error: ErrorData }
  'tool-call-approval': Call & { args: JsonValue }
  'tool-call-suspended': Call & { suspendPayload: JsonValue }
  /** A chunk of a subagent, by the call that delegates to it. */
  'tool-output': Call & { output: NestedChunk }
  'delegation-start': { agentName: string; prompt: string }
  'delegation-end': { agentName: string; duration: number }
  'delegation-bail': { agentName: string }
  'delegation-rejected': { agentName: string; reason: string }
  'iteration-start': { iteration: number }
  'iteration-end': { iteration: number; continue: boolean }
  'iteration-feedback': { iteration: number; message: string }
  'scoring-start': { scorerIds: string[] }
  'scorer-result': ScorerResult
  'scoring-complete': { complete: boolean; reason?: string }
  'routing-decision': EventPayloads['routing-decision']
  'background-start': EventPayloads['background-start']
  'background-end': EventPayloads['background-end']
  error: { error: ErrorData }
  abort: { reason: string }
  /** The result of a network, before its end. */
  'network-execution-event-step-finish': { result: string }
  /** The run waits for answers; the stream ends. */
  suspended: { awaiting: readonly AwaitedSignal[] }
  finish: { finishReason: FinishReason | (string & {}); text: string; usage: Usage }
}

/** A chunk, discriminated by `type`. */
export type AgentChunk = {
  [Type in keyof ChunkPayloads]: {
    type: Type
    runId: string
    payload: ChunkPayloads[Type]
  }
}[keyof ChunkPayloads]

/** A chunk of a subagent, which may hold one of a subagent of its own. */
export interface NestedChunk {
  type: AgentChunk['type']
  runId: string
  payload: unknown
}
