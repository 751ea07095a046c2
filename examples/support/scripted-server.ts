/**
 * A model server on this machine that answers from a script, over the real protocol: the `openai` driver streams
 * from it as from any other. It tells agents apart by their instructions.
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

/** What each agent says, by a phrase of its instructions. */
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
    server.on({ systemMessage: phrase }, async (request) => {
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

function turnOf({ messages }: ChatCompletionRequest): Turn {
  const text = ({ content }: (typeof messages)[number]): string =>
    Array.isArray(content)
      ? content
          .map(({ text = '' }) => text)
          .join(' ')
          .trim()
      : (content ?? '')
  const lastSpoken = messages.findLastIndex((message) => message.role === 'assistant')
  const asked = messages.filter((message) => message.role === 'user')
  const nothing = { role: 'user', content: '' } as const
  return {
    number: messages.filter((message) => message.role === 'assistant').length,
    task: text(asked[0] ?? nothing),
    prompt: text(asked.at(-1) ?? nothing),
    results: messages
      .slice(lastSpoken + 1)
      .filter((message) => message.role === 'tool')
      .map(text),
  }
}

function response(reply: ScriptedReply) {
  if (typeof reply === 'string') return { content: reply }
  return { toolCalls: reply.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })) }
}
