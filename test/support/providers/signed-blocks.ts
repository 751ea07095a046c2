/** The Messages API of Anthropic with thinking: a call must follow the signed block of thinking that led to it. */
import { TerminalError, type ChatModel, type JsonValue, type Message, textOf } from 'troupe'
import type { Asked, Body, Provider, Turn } from './provider-server.ts'

interface Block {
  readonly type: string
  readonly thinking?: string
  readonly signature?: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly input?: JsonValue
}

interface BlockMessage {
  readonly role: string
  readonly content: readonly Block[]
}

const messagesOf = (body: Body): readonly BlockMessage[] => body['messages'] as readonly BlockMessage[]

export function anthropic(): Provider {
  const contentOf = ({ text, calls = [] }: Turn, n: number): readonly Block[] => [
    { type: 'thinking', thinking: `thought ${n}`, signature: `signed-${n}` },
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, args }, index) => ({
      type: 'tool_use',
      id: `toolu_${n}_${index}`,
      name,
      input: args,
    })),
  ]
  const message = (turn: Turn, n: number) => ({
    type: 'message',
    id: `msg_${n}`,
    role: 'assistant',
    model: 'claude',
  })
  const stopReason = ({ calls = [] }: Turn): string => (calls.length > 0 ? 'tool_use' : 'end_turn')
  const usage = {
    input_tokens: 4,
    output_tokens: 5,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 3,
    output_tokens_details: { thinking_tokens: 2 },
  }
  return {
    read: (body): Asked => ({
      system: systemOf(body['system']),
      answers: messagesOf(body).filter(({ role }) => role === 'assistant').length,
      stream: body['stream'] === true,
    }),
    refusal: (body) => {
      const at = messagesOf(body).findIndex(({ role, content }) => {
        const [first] = content
        const calls = content.some(({ type }) => type === 'tool_use')
        return role === 'assistant' && calls && !isSigned(first)
      })
      return at === -1
        ? undefined
        : `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`
    },
    reply: (turn, n) => ({
      ...message(turn, n),
      content: contentOf(turn, n),
      stop_reason: stopReason(turn),
      usage,
    }),
    events: (turn, n) => [
      {
        type: 'message_start',
        message: { ...message(turn, n), content: [], usage: { ...usage, output_tokens: 1 } },
      },
      ...contentOf(turn, n).flatMap((block, index) => blockEvents(block, index)),
      { type: 'message_delta', delta: { stop_reason: stopReason(turn) }, usage },
      { type: 'message_stop' },
    ],
  }
}

/** The instructions, as one text or as blocks. */
function systemOf(system: unknown): string {
  return Array.isArray(system)
    ? (system as readonly Block[]).map(({ text }) => text).join('')
    : String(system)
}

/** A text comes in two pieces, and a signature at the end. */
function blockEvents(block: Block, index: number): readonly object[] {
  const delta = (type: string, name: string, text: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type, [name]: text },
  })
  const halves = (text: string): readonly string[] => [text.slice(0, 4), text.slice(4)]
  const deltas = (): readonly object[] => {
    if (block.type === 'thinking') {
      return [
        ...halves(block.thinking ?? '').map((text) => delta('thinking_delta', 'thinking', text)),
        delta('signature_delta', 'signature', block.signature ?? ''),
      ]
    }
    if (block.type === 'text')
      return halves(block.text ?? '').map((text) => delta('text_delta', 'text', text))
    return halves(JSON.stringify(block.input)).map((text) => delta('input_json_delta', 'partial_json', text))
  }
  const { type, id, name } = block
  const empty = { thinking: { thinking: '' }, text: { text: '' }, tool_use: { id, name, input: {} } }
  return [
    { type: 'content_block_start', index, content_block: { type, ...empty[type as keyof typeof empty] } },
    ...deltas(),
    { type: 'content_block_stop', index },
  ]
}

function isSigned(block: Block | undefined): boolean {
  const n = /^signed-(\d+)$/.exec(block?.signature ?? '')?.[1]
  return block?.type === 'thinking' && n !== undefined && block.thinking === `thought ${n}`
}

/** A driver for it, as a user would write one: the signed blocks travel as `providerData`. */
export function anthropicModel(url: string, modelId = 'claude'): ChatModel {
  return {
    provider: 'anthropic',
    modelId,
    async generate({ messages }, { signal }) {
      const [system, ...rest] = messages
      const response = await fetch(`${url}/messages`, {
        method: 'POST',
        signal,
        body: JSON.stringify({ system: system?.content, messages: rest.map(toBlocks) }),
      })
      const body = (await response.json()) as { content: readonly Block[]; error?: { message: string } }
      if (body.error !== undefined) throw new TerminalError(body.error.message)
      const { content } = body
      return {
        text: content.map(({ text = '' }) => text).join(''),
        toolCalls: content.flatMap(({ type, id = '', name = '', input = {} }) =>
          type === 'tool_use' ? [{ id, name, args: input }] : [],
        ),
        finishReason: content.some(({ type }) => type === 'tool_use') ? 'tool-calls' : 'stop',
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        providerData: content.filter(({ type }) => type === 'thinking') as unknown as JsonValue,
      }
    },
  }
}

function toBlocks(message: Message): BlockMessage {
  if (message.role !== 'assistant')
    return { role: 'user', content: [{ type: 'text', text: textOf(message.content) }] }
  const { toolCalls = [], providerData = [] } = message
  const content = textOf(message.content)
  return {
    role: 'assistant',
    content: [
      ...(providerData as unknown as readonly Block[]),
      ...(content === '' ? [] : [{ type: 'text', text: content }]),
      ...toolCalls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
  }
}
