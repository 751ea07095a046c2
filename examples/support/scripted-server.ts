/**
 * A model server on this machine that answers from a script, over the real protocol: the `openai` driver streams
 * from it as from any other. It tells agents apart by their instructions, and requests without any by their prompt.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import { pace } from './pace.ts'

/** What a scripted agent sees of a request. */
export interface Turn {
  /** How often the agent has spoken in this conversation, from 0. */
  readonly number: number
  /** The first message of the user. */
  readonly task: string
  /** The last message of the user. */
  readonly prompt: string
  /** What tools and subagents have answered to the agent's last message. */
  readonly results: readonly string[]
}

/** A text, or tool calls. */
export type ScriptedReply = string | readonly { readonly name: string; readonly args: object }[]

/** What each agent says, by a phrase of its instructions; for a request without instructions, of its prompt. */
export type Script = Readonly<Record<string, (turn: Turn) => ScriptedReply | Promise<ScriptedReply>>>

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  /** How many requests have come in. */
  readonly requests: number
}

/** Milliseconds before the first word. */
const thinkingTime = 250
const charactersPerSecond = 1600
const chunkSize = 8

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const server = new LLMock({ port: 0, chunkSize, latency: (pace * 1000 * chunkSize) / charactersPerSecond })
  for (const [phrase, reply] of Object.entries(script)) {
    server.on({ predicate: (request) => addressOf(request).includes(phrase) }, async (request) => {
      await wait(pace * thinkingTime, undefined, { ref: false })
      return response(await reply(turnOf(request)))
    })
  }
  const url = await server.start()
  return {
    url: `${url}/v1`,
    get requests() {
      return server.getRequests().length
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** The text by which the speaker of a request is known. */
function addressOf({ messages }: ChatCompletionRequest): string {
  const instructions = messages.filter(({ role }) => role === 'system')
  return (instructions.length > 0 ? instructions : messages.slice(0, 1)).map(textOf).join('\n')
}

function textOf({ content }: ChatCompletionRequest['messages'][number]): string {
  if (!Array.isArray(content)) return content ?? ''
  return content
    .map(({ text = '' }) => text)
    .join(' ')
    .trim()
}

/** What the agent of a request sees of it. */
export function turnOf({ messages }: Pick<ChatCompletionRequest, 'messages'>): Turn {
  const lastSpoken = messages.findLastIndex((message) => message.role === 'assistant')
  const asked = messages.filter((message) => message.role === 'user')
  const nothing = { role: 'user', content: '' } as const
  return {
    number: messages.filter((message) => message.role === 'assistant').length,
    task: textOf(asked[0] ?? nothing),
    prompt: textOf(asked.at(-1) ?? nothing),
    results: messages
      .slice(lastSpoken + 1)
      .filter((message) => message.role === 'tool')
      .map(textOf),
  }
}

function response(reply: ScriptedReply) {
  if (typeof reply === 'string') return { content: reply }
  return { toolCalls: reply.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })) }
}
