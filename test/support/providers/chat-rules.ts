/** Providers of Chat Completions whose models reason: Gemini 3 signs its calls, DeepSeek wants its reasoning back. */
import type { Asked, Body, Provider, Turn } from './provider-server.ts'

interface ChatMessage {
  readonly role: string
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly extra_content?: { readonly google?: { readonly thought_signature?: string } }
  }[]
}

function messagesOf(body: Body): readonly ChatMessage[] {
  return body['messages'] as readonly ChatMessage[]
}

function readChat(body: Body): Asked {
  const messages = messagesOf(body)
  return {
    system: messages.find(({ role }) => role === 'system')?.content ?? '',
    answers: messages.filter(({ role }) => role === 'assistant').length,
    stream: body['stream'] === true,
  }
}

/** Fields that a provider adds to a message, and to a call of it. */
interface Extras {
  readonly message: object
  readonly call: (index: number) => object
}

function chatProvider(extrasOf: (n: number) => Extras, refusal: Provider['refusal']): Provider {
  const finish = ({ calls = [] }: Turn): string => (calls.length > 0 ? 'tool_calls' : 'stop')
  const callsOf = ({ calls = [] }: Turn, n: number) =>
    calls.map(({ name, args }, index) => ({
      index,
      id: `call_${n}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
      ...extrasOf(n).call(index),
    }))
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return {
    read: readChat,
    refusal,
    reply: (turn, n) => {
      const calls = callsOf(turn, n)
      const message = {
        role: 'assistant',
        content: turn.text ?? null,
        ...extrasOf(n).message,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      }
      return { id: `r${n}`, choices: [{ index: 0, message, finish_reason: finish(turn) }], usage }
    },
    events: (turn, n) => {
      const chunk = (delta: object, finish_reason: string | null = null) => ({
        id: `r${n}`,
        choices: [{ index: 0, delta, finish_reason }],
      })
      return [
        ...piecesOf(extrasOf(n).message).map((piece) => chunk({ role: 'assistant', ...piece })),
        ...(turn.text === undefined ? [] : [chunk({ content: turn.text })]),
        ...callsOf(turn, n).map((call) => chunk({ tool_calls: [call] })),
        { ...chunk({}, finish(turn)), usage },
        '[DONE]',
      ]
    },
  }
}

/** A text comes in two pieces. */
function piecesOf(extras: object): readonly object[] {
  return Object.entries(extras).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [{ [name]: value.slice(0, 4) }, { [name]: value.slice(4) }]
      : [{ [name]: value as unknown }],
  )
}

/** Gemini 3: the first call of each reply has a signature, which must come back on it. */
export function gemini(): Provider {
  const signature = (n: number): string => `signature-${n}`
  const issued = /^(signature-\d+|skip_thought_signature_validator)$/
  return chatProvider(
    (n) => ({
      message: {},
      call: (index) =>
        index === 0 ? { extra_content: { google: { thought_signature: signature(n) } } } : {},
    }),
    (body) => {
      const at = messagesOf(body).findIndex(({ tool_calls: calls = [] }) => {
        const [first] = calls
        return first !== undefined && !issued.test(first.extra_content?.google?.thought_signature ?? '')
      })
      return at === -1
        ? undefined
        : `Function call is missing a thought_signature in functionCall parts. Position ${at}.`
    },
  )
}

/** DeepSeek in thinking mode: each message of the model must have its reasoning, which may be empty. */
export function deepSeek(): Provider {
  return chatProvider(
    (n) => ({ message: { reasoning_content: `thought ${n}` }, call: () => ({}) }),
    (body) => {
      const at = messagesOf(body).findIndex(
        ({ role, reasoning_content: reasoning }) =>
          role === 'assistant' && !/^(thought \d+)?$/.test(reasoning ?? 'none'),
      )
      return at === -1
        ? undefined
        : `Missing \`reasoning_content\` field in the assistant message at message index ${at}.`
    },
  )
}

/** A gateway to Claude (as OpenRouter): the blocks of the reasoning are signed, and must come back unchanged. */
export function gateway(): Provider {
  const blocks = (n: number) => [
    {
      type: 'reasoning.text',
      text: `thought ${n}`,
      signature: `signed-${n}`,
      format: 'anthropic-claude-v1',
      index: 0,
    },
  ]
  const isWhole = (message: ChatMessage): boolean => {
    const [block] = (Reflect.get(message, 'reasoning_details') ?? []) as ReturnType<typeof blocks>
    const n = /^signed-(\d+)$/.exec(block?.signature ?? '')?.[1]
    return n !== undefined && block?.text === `thought ${n}` && block.format === 'anthropic-claude-v1'
  }
  const provider = chatProvider(
    (n) => ({ message: { reasoning_details: blocks(n) }, call: () => ({}) }),
    (body) =>
      messagesOf(body).some((message) => message.tool_calls !== undefined && !isWhole(message))
        ? 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.'
        : undefined,
  )
  const events: Provider['events'] = (turn, n) => {
    const [, ...rest] = provider.events(turn, n)
    const [block] = blocks(n)
    const piece = (part: object) => ({
      id: `r${n}`,
      choices: [{ index: 0, delta: { reasoning_details: [{ type: block?.type, index: 0, ...part }] } }],
    })
    return [
      piece({ text: 'thought', format: block?.format, signature: null }),
      piece({ text: ` ${n}` }),
      piece({ signature: block?.signature }),
      ...rest,
    ]
  }
  return { ...provider, events }
}
