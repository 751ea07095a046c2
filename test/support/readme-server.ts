/**
 * The model server of the pages: it speaks the real protocol, and answers every request of their code. It calls the
 * first tool that is offered, once, and then answers.
 */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export class ReadmeServer implements AsyncDisposable {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<ReadmeServer> {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => answer(JSON.parse(body) as ChatRequest, response))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new ReadmeServer(server)
  }

  get baseURL(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

interface ChatRequest {
  readonly stream?: boolean
  readonly response_format?: { readonly json_schema?: { readonly name: string; readonly schema?: Shape } }
  readonly messages: readonly { readonly role: string; readonly content: string | null }[]
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters: Parameters }
  }[]
}

interface Shape {
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
}

interface Parameters {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly enum?: readonly string[] }>>
}

function argsFor({ required = [], properties }: Parameters): string {
  const ofType: Readonly<Record<string, unknown>> = { number: 20, array: ['Oslo'] }
  const value = (name: string): unknown =>
    ofType[properties[name]?.type ?? ''] ?? properties[name]?.enum?.[0] ?? 'Oslo'
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, value(name)])))
}

/** What is answered where a shape is asked for, by its name. */
const objects: Readonly<Record<string, object>> = {
  answer: { city: 'Oslo', degrees: 4 },
  'routing-decision': {
    primitiveId: 'none',
    primitiveType: 'none',
    prompt: 'The answer.',
    selectionReason: 'It is done.',
  },
  plan: {
    steps: [
      { id: 'look', goal: 'Look the tides up.', toolHint: 'tides', args: { city: 'Oslo' } },
      { id: 'write', goal: 'Write about them.', toolHint: 'agent-writer', dependsOn: ['look'] },
    ],
  },
  goals: {
    goals: [
      { goal: 'Find it.', agent: 'find', context: null },
      { goal: 'Check it.', agent: 'check', context: null },
    ],
  },
  assessment: { complete: true, goals: null },
  task_type: { taskType: 'decision', rationale: 'They must do it or leave it.' },
  pattern: { pattern: 'debate', rationale: 'Much speaks for it, and much against it.' },
}

/** An end where that is on offer, else the first agent; a source is missing until there is one. */
function objectFor(name: string, { messages, response_format }: ChatRequest): object | undefined {
  if (name === 'critique') {
    const satisfied = messages.some(({ role, content }) => role === 'assistant' && content?.includes('[1]'))
    return { satisfied, critique: satisfied ? '' : 'Name a source, like [1].' }
  }
  if (name === 'plan' && messages.some(({ content }) => content?.includes('Lübeck')))
    return { steps: [{ id: 'train', goal: 'Book a train.', toolHint: 'book', args: { what: 'a train' } }] }
  const [primitiveId = ''] = response_format?.json_schema?.schema?.properties?.['primitiveId']?.enum ?? []
  const isDispatched = name === 'routing-decision' && primitiveId === 'sales'
  return isDispatched ? { ...objects[name], primitiveId, primitiveType: 'agent' } : objects[name]
}

/** Calls the first tool that is offered, once; then answers, and names a source when it is told to. */
function answer(asked: ChatRequest, response: ServerResponse): void {
  const { name, parameters } = asked.tools?.[0]?.function ?? {}
  const shape = asked.response_format?.json_schema?.name
  const mayCall = name !== undefined && asked.messages.every((message) => message.role !== 'tool')
  const args = parameters === undefined ? '{}' : argsFor(parameters)
  const wantsSource = asked.messages.at(-1)?.content?.includes('[1]') === true
  const text = wantsSource ? 'The answer [1].' : 'The answer.'
  const toolCalls = [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } }]
  const message = mayCall
    ? { content: null, tool_calls: toolCalls }
    : { content: shape === undefined ? text : JSON.stringify(objectFor(shape, asked)) }
  const finish_reason = mayCall ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const common = { id: 'c', created: 0, model: 'm' }
  if (asked.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [{ index: 0, delta: { role: 'assistant', ...message }, finish_reason }]
    const chunk = { ...common, object: 'chat.completion.chunk', choices, usage }
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }]
  response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }))
}
