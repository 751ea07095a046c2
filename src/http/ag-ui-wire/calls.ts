/** The tool calls of all agents, with their arguments as they are written. */
import type { RunEvent } from '../../index.ts'
import { agentPath, isChild, lastId } from '../../kit/index.ts'
import type { AgUiEvent, Owner } from './events.ts'
import { idIn, ownerOf } from './subagents.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

interface WireCall extends Owner {
  readonly toolCallId: string
}

export function isCall(toolCallId: string): boolean {
  return isChild(lastId(toolCallId), 'call')
}

export class Calls {
  readonly #runId: string
  /** The calls whose arguments are being written, by their ids in the run. */
  readonly #written = new Map<string, WireCall>()
  /** How often a call was written and not made. */
  readonly #notMade = new Map<string, number>()

  constructor(runId: string) {
    this.#runId = runId
  }

  /** A call that is written again, because its reply was cut, is another one. */
  idOf(toolCallId: string): string {
    const times = this.#notMade.get(toolCallId) ?? 0
    return idIn(this.#runId, times === 0 ? toolCallId : `${toolCallId}#${times + 1}`)
  }

  /** A delegation and a handoff are told as such, where they are made. `parent`: the text of the reply. */
  *written({ payload }: EventOf<'tool-call-delta'>, parent: string | undefined): Generator<AgUiEvent, void> {
    const { toolCallId, toolName, text } = payload
    if (!isCall(toolCallId)) return
    if (!this.#written.has(toolCallId)) yield* this.#start(toolCallId, toolName, parent)
    if (text !== '') yield { type: 'TOOL_CALL_ARGS', delta: text, ...this.#call(toolCallId) }
  }

  *made({ payload }: EventOf<'tool-call'>, parent: string | undefined): Generator<AgUiEvent, void> {
    const { toolCallId, toolName, args } = payload
    if (!this.#written.has(toolCallId)) {
      yield* this.#start(toolCallId, toolName, parent)
      yield { type: 'TOOL_CALL_ARGS', delta: JSON.stringify(args), ...this.#call(toolCallId) }
    }
    yield* this.#end(toolCallId)
  }

  *ended({ type, payload }: EventOf<'tool-result' | 'tool-error'>): Generator<AgUiEvent, void> {
    const { toolCallId } = payload
    yield* this.#end(toolCallId)
    if (type === 'tool-result') {
      const { result } = payload
      yield this.#result(toolCallId, typeof result === 'string' ? result : JSON.stringify(result))
    } else {
      yield this.#result(toolCallId, payload.error?.message ?? payload.outcome, payload.outcome)
    }
  }

  /** The reply of the agent has ended without the calls that are still being written. */
  *notMade(agent: string): Generator<AgUiEvent, void> {
    for (const toolCallId of this.#written.keys()) {
      if (agentPath(toolCallId) !== agent) continue
      yield* this.#end(toolCallId)
      yield this.#result(toolCallId, 'The call was not made.', 'cut')
      this.#notMade.set(toolCallId, (this.#notMade.get(toolCallId) ?? 0) + 1)
    }
  }

  /** Ends the calls that the stream leaves open. */
  *close(): Generator<AgUiEvent, void> {
    for (const toolCallId of this.#written.keys()) yield* this.#end(toolCallId)
  }

  #call(toolCallId: string): WireCall {
    return { toolCallId: this.idOf(toolCallId), ...ownerOf(this.#runId, toolCallId) }
  }

  *#start(toolCallId: string, toolCallName: string, parent?: string): Generator<AgUiEvent, void> {
    const call = this.#call(toolCallId)
    this.#written.set(toolCallId, call)
    const held = parent === undefined ? {} : { parentMessageId: parent }
    yield { type: 'TOOL_CALL_START', toolCallName, ...held, ...call }
  }

  *#end(toolCallId: string): Generator<AgUiEvent, void> {
    const call = this.#written.get(toolCallId)
    if (call === undefined) return
    this.#written.delete(toolCallId)
    yield { type: 'TOOL_CALL_END', ...call }
  }

  #result(toolCallId: string, content: string, status?: string): AgUiEvent {
    const call = this.#call(toolCallId)
    const mark = status === undefined ? {} : { metadata: { troupe: { status } } }
    return {
      type: 'TOOL_CALL_RESULT',
      messageId: `${call.toolCallId}#result`,
      role: 'tool',
      content,
      ...call,
      ...mark,
    }
  }
}
