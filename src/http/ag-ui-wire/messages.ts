/** The text and the reasoning of all agents. A message that is begun again is another one. */
import type { RunEvent } from '../../index.ts'
import { agentPath } from '../../kit/index.ts'
import type { AgUiEvent, Owner } from './events.ts'
import { idIn, ownerOf } from './subagents.ts'

type MessageEvent = Extract<
  RunEvent,
  { type: 'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }
>

type Kind = 'text' | 'reasoning'

interface OpenMessage extends Owner {
  readonly messageId: string
}

export function isMessageEvent(event: RunEvent): event is MessageEvent {
  return event.type.startsWith('text-') || event.type.startsWith('reasoning-')
}

export class Messages {
  readonly #runId: string
  readonly #open = new Map<string, { readonly kind: Kind; readonly message: OpenMessage }>()
  /** The text of the present reply of each agent, by the path of the agent. */
  readonly #texts = new Map<string, string>()
  #answer = ''

  constructor(runId: string) {
    this.#runId = runId
  }

  /** The last text of the agent that holds the conversation; empty where the agent has not taken it. */
  get answer(): string {
    return this.#answer
  }

  /** The id of the text of the agent's present reply, which holds its calls; `undefined`: this stream has shown none. */
  textOf(path: string): string | undefined {
    return this.#texts.get(agentPath(path))
  }

  /** The agent is about to call its model. */
  forgetText(path: string): void {
    this.#texts.delete(agentPath(path))
  }

  *after(event: MessageEvent): Generator<AgUiEvent, void> {
    const kind: Kind = event.type.startsWith('text-') ? 'text' : 'reasoning'
    const key = `${kind}:${event.messageId ?? event.path}`
    const isEnd = event.type === 'text-end' || event.type === 'reasoning-end'
    const { text } = { text: '', ...event.payload }
    if (!isEnd) {
      yield* this.#opened(key, kind, event)
      if (text !== '') yield* this.#content(key, text)
      return
    }
    if (event.type === 'text-end') this.#noteAnswer(event)
    if (!this.#open.has(key)) {
      if (text === '') return
      yield* this.#opened(key, kind, event)
      yield* this.#content(key, text)
    }
    if (event.payload.status !== 'complete') this.forgetText(event.path)
    yield* this.#end(key, event.payload.status)
  }

  /** Ends the messages that the stream leaves open. */
  *close(): Generator<AgUiEvent, void> {
    for (const key of this.#open.keys()) yield* this.#end(key, 'cut')
  }

  /** A whole message of the agent that holds the conversation. */
  *whole(id: string, name: string, delta: string): Generator<AgUiEvent, void> {
    const messageId = idIn(this.#runId, id)
    yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name }
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }
    yield { type: 'TEXT_MESSAGE_END', messageId }
  }

  #noteAnswer({ path, payload }: Extract<RunEvent, { type: 'text-end' }>): void {
    const { subagentRunId } = ownerOf(this.#runId, path)
    if (subagentRunId === undefined) this.#answer = payload.status === 'complete' ? payload.text : ''
  }

  /** An attempt that its process has left open is cut. */
  *#opened(key: string, kind: Kind, event: MessageEvent): Generator<AgUiEvent, void> {
    const { path, agent, messageId: id = path, attempt = 1 } = event
    const parts = [id, ...(attempt === 1 ? [] : [attempt]), ...(kind === 'text' ? [] : [kind])]
    const message = { messageId: idIn(this.#runId, parts.join('#')), ...ownerOf(this.#runId, path) }
    const open = this.#open.get(key)
    if (open?.message.messageId === message.messageId) return
    if (open !== undefined) yield* this.#end(key, 'cut')
    this.#open.set(key, { kind, message })
    if (kind === 'text') {
      this.#texts.set(agentPath(path), message.messageId)
      yield { type: 'TEXT_MESSAGE_START', role: 'assistant', name: agent, ...message }
    } else {
      yield { type: 'REASONING_START', ...message }
      yield { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...message }
    }
  }

  *#content(key: string, delta: string): Generator<AgUiEvent, void> {
    const open = this.#open.get(key)
    if (open === undefined) return
    const type = open.kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
    yield { type, delta, ...open.message }
  }

  *#end(key: string, status: string): Generator<AgUiEvent, void> {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    const mark = status === 'complete' ? {} : { metadata: { troupe: { status } } }
    if (open.kind === 'text') {
      yield { type: 'TEXT_MESSAGE_END', ...open.message, ...mark }
    } else {
      yield { type: 'REASONING_MESSAGE_END', ...open.message, ...mark }
      yield { type: 'REASONING_END', ...open.message }
    }
  }
}
