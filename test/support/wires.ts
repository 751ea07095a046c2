/** How a plain "Hello" looks on the wire of each API: for tests that hold for both. */
import { openai, type ChatModel, type OpenAIOptions } from 'troupe'
import { event } from './fault-server.ts'

export interface Wire {
  readonly api: 'chat' | 'responses'
  readonly path: string
  /** The body of a reply that is "Hello", without usage. */
  readonly whole: object
  /** The events of a stream that say "Hel" and "lo". */
  readonly hello: readonly string[]
  /** The events that end it, without usage. */
  readonly end: readonly string[]
  model(options: OpenAIOptions): ChatModel
}

const choice = (delta: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason }] })

const chat: Wire = {
  api: 'chat',
  path: '/v1/chat/completions',
  whole: { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] },
  hello: [choice({ role: 'assistant', content: '' }), choice({ content: 'Hel' }), choice({ content: 'lo' })],
  end: [choice({}, 'stop'), event('[DONE]')],
  model: (options) => openai('gpt-x', options),
}

/** An event of the Responses API, with its name as the server sends it. */
export function named(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\n${event(data)}`
}

const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const inProgress = { object: 'response', status: 'in_progress', output: [], error: null }
const completed = { ...inProgress, status: 'completed', output: [message('Hello')] }
const piece = (delta: string) =>
  named({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta })

const responses: Wire = {
  api: 'responses',
  path: '/v1/responses',
  whole: completed,
  hello: [named({ type: 'response.created', response: inProgress }), piece('Hel'), piece('lo')],
  end: [named({ type: 'response.completed', response: completed })],
  model: (options) => openai('gpt-x', { ...options, api: 'responses' }),
}

export const wires: readonly Wire[] = [chat, responses]
