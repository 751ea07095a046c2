/** A server of agents that have the names which the suite of the Model Context Protocol gives the tools of a server. */
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import {
  createTool,
  createTroupe,
  type AgentDefinition,
  type FilePart,
  type JsonValue,
  type Tool,
} from 'troupe'
import type { Elicitation } from 'troupe/mcp'
import { z } from 'zod'
import { serveAgents } from '../../../../examples/29-mcp/serve.ts'
import { calls, worker } from '../../../support/agents/agents.ts'

const nothing = z.object({})

const image: FilePart = { type: 'file', mediaType: 'image/png', data: btoa('a picture') }
const sound: FilePart = { type: 'file', mediaType: 'audio/wav', data: btoa('a sound') }
const page: FilePart = { type: 'file', mediaType: 'text/plain', name: 'note.txt', data: btoa('a note') }

/** An agent that says this, and nothing else. */
function saying(id: string, text: string, files: readonly FilePart[] = []): AgentDefinition {
  return worker(id, [], { otherwise: { text, ...(files.length > 0 ? { files } : {}) } }).agent
}

/** An agent that calls its tool, and then says that it is done. */
function calling(id: string, tool: Tool<JsonValue>): AgentDefinition {
  return worker(id, [], {
    tools: { [tool.id]: tool },
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : calls({ name: tool.id, args: {} }),
  }).agent
}

const form = { type: 'object', properties: { ok: { type: 'boolean' } } } as const

const question = (message: string): Elicitation => ({
  type: 'mcp-elicitation',
  tool: 'ask',
  questions: { ok: { mode: 'form', message, requestedSchema: form } },
})

/** Asks each question in turn, with a form in which any field may be filled in. */
const asking = (...messages: readonly string[]) =>
  createTool({
    id: 'ask',
    description: 'Asks a person.',
    inputSchema: nothing,
    execute: (_, { answers, suspend }) => {
      const next = messages[answers.length]
      return next === undefined ? 'answered' : suspend(question(next))
    },
  })

const reporting = createTool({
  id: 'work',
  description: 'Tells of its work.',
  inputSchema: nothing,
  execute: (_, { emit }) => {
    for (const part of [0, 50, 100]) emit(`${part} of 100`)
    return 'worked'
  },
})

function cast(): Readonly<Record<string, AgentDefinition>> {
  const broken = worker('test_error_handling', [], {
    otherwise: () => {
      throw new Error('The model is not there.')
    },
  }).agent
  const agents = [
    saying('test_simple_text', 'This is a simple text response for testing.'),
    saying('test_image_content', '', [image]),
    saying('test_audio_content', '', [sound]),
    saying('test_embedded_resource', '', [page]),
    saying('test_multiple_content_types', 'A text, a picture and a note.', [image, page]),
    saying('test_logging_tool', 'Nothing is logged.'),
    broken,
    calling('test_tool_with_progress', reporting),
    ...['elicitation', 'streaming_elicitation', 'input_required_result_elicitation'].map((name) =>
      calling(`test_${name}`, asking('Shall it go on?')),
    ),
    ...['request_state', 'tampered_state'].map((name) =>
      calling(`test_input_required_result_${name}`, asking('Shall it go on?')),
    ),
    calling('test_input_required_result_multi_round', asking('What is your name?', 'Which colour?')),
  ]
  return Object.fromEntries(agents.map((agent) => [agent.id, agent]))
}

/** The tools of the suite take arguments of their own, and those of agents a prompt. */
async function withPrompt(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request
  const text = await request.text()
  const body = parsed(text)
  if (!isCall(body)) return new Request(request, { method: 'POST', body: text })
  const params = { ...body.params, arguments: { prompt: 'Go' } }
  return new Request(request, { method: 'POST', body: JSON.stringify({ ...body, params }) })
}

/** `undefined` for a body that is no JSON, as the suite sends some. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCall(body: unknown): body is { readonly params: object } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'params' in body &&
    'method' in body &&
    body.method === 'tools/call'
  )
}

/** The address of a server that lives as long as it is not disposed of. */
export async function serverOfAgents(): Promise<{ readonly url: string } & AsyncDisposable> {
  const agents = cast()
  const troupe = createTroupe({ agents: Object.values(agents) })
  const served = serveAgents({ agents, troupe, onError: () => undefined })
  const server = createAdaptorServer({ fetch: async (request) => served.fetch(await withPrompt(request)) })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await served.close()
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await troupe.close()
    },
  }
}
