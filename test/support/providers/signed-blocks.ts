/** The Messages API of Anthropic with thinking: a call must follow the signed block of thinking that led to it. */
import { TerminalError, type ChatModel, type JsonValue, type Message } from 'troupe'
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
  return {
    read: (body): Asked => ({
      system: String(body['system']),
      answers: messagesOf(body).filter(({ role }) => role === 'assistant').length,
      stream: false,
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
    reply: (turn, n) => ({ content: contentOf(turn, n) }),
    events: () => [],
  }
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
    return { role: 'user', content: [{ type: 'text', text: message.content }] }
  const { content, toolCalls = [], providerData = [] } = message
  return {
    role: 'assistant',
    content: [
      ...(providerData as unknown as readonly Block[]),
      ...(content === '' ? [] : [{ type: 'text', text: content }]),
      ...toolCalls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
  }
}
