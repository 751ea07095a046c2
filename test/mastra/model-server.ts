/** A model server of the OpenAI protocol, at `OPENAI_BASE_URL` of this process, which answers as a function tells it. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request, as far as answers depend on it. */
export interface Asked {
  readonly model: string
  readonly system: string
  /** The last message of the user. */
  readonly prompt: string
  readonly messages: readonly WireMessage[]
  /** The names on offer. */
  readonly tools: readonly string[]
  /** How many replies the model has given in this conversation. */
  readonly turn: number
  /** The name of the shape that the answer must have. */
  readonly shape: string | undefined
}

interface WireMessage {
  readonly role: string
  readonly content: string | null
}

/** A text, or a text with calls; a number is the status of a refusal. */
export type Reply = string | number | { readonly text?: string; readonly calls: readonly Call[] }

type Call = readonly [name: string, args: object]

export type Model = (asked: Asked) => Reply

interface Body {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly WireMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly response_format?: { readonly json_schema?: { readonly name: string } }
}

const names = ['OPENAI_BASE_URL', 'OPENAI_API_KEY'] as const

export class ModelServer implements AsyncDisposable {
  readonly asked: Asked[] = []
  readonly #server: Server
  readonly #before = names.map((name) => process.env[name])

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(model: Model): Promise<ModelServer> {
    const server = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      request.on('end', () => {
        const body = JSON.parse(text) as Body
        const asked = askedBy(body)
        started.asked.push(asked)
        send(model(asked), body, response)
      })
    })
    const started = new ModelServer(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    process.env['OPENAI_BASE_URL'] = started.url
    process.env['OPENAI_API_KEY'] = 'none'
    return started
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** The requests of the agent with these instructions. */
  of(system: string): Asked[] {
    return this.asked.filter((asked) => asked.system === system)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [index, name] of names.entries()) {
      const before = this.#before[index]
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    }
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function askedBy({ model, messages, tools = [], response_format }: Body): Asked {
  return {
    model,
    messages,
    system: messages.find(({ role }) => role === 'system')?.content ?? '',
    prompt: messages.findLast(({ role }) => role === 'user')?.content ?? '',
    tools: tools.map(({ function: { name } }) => name),
    turn: messages.filter(({ role }) => role === 'assistant').length,
    shape: response_format?.json_schema?.name,
  }
}

function send(reply: Reply, { model, stream }: Body, response: ServerResponse): void {
  if (typeof reply === 'number') {
    response.writeHead(reply, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'The archive is closed.' } }))
    return
  }
  const { text = '', calls } = typeof reply === 'string' ? { text: reply, calls: undefined } : reply
  const tool_calls = calls?.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  const finish_reason = tool_calls === undefined ? 'stop' : 'tool_calls'
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const common = { id: 'c', created: 0, model }
  if (stream !== true) {
    const message = { role: 'assistant', content: text, ...(tool_calls && { tool_calls }) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...common, choices: [{ index: 0, message, finish_reason }], usage }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (delta: object, more: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: null, ...more }]
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices })}\n\n`)
  }
  for (const piece of text.match(/[^]{1,5}/g) ?? []) chunk({ role: 'assistant', content: piece })
  chunk(tool_calls === undefined ? {} : { tool_calls }, { finish_reason })
  response.write(
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
  )
  response.end('data: [DONE]\n\n')
}
