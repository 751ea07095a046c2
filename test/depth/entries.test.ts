/**
 * JSON from outside that nests deeply: each entry refuses it by its code, takes what it needs, or shows the failure to the model. It
 * overflows nothing. A file of src that reads JSON and is in neither list fails the test of the lists.
 */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createAgent,
  createTroupe,
  memoryStore,
  openai,
  type AnyAgent,
  type Problem,
  type RunEvent,
} from 'troupe'
import { a2aFetch, a2aHandler, agentCard, remoteAgent } from 'troupe/a2a'
import { createHandler } from 'troupe/http'
import { inspector } from 'troupe/inspector'
import { mcpConnection, mcpServer, mcpTools } from 'troupe/mcp'
import { importRuns } from 'troupe/moving'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readSources } from '../support/imports.ts'
import { calls, worker } from '../support/agents/agents.ts'
import { Client } from '../inspector/support/client.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

const json = { 'content-type': 'application/json' }

const reply = (text: string): Response => new Response(text, { headers: json })

const poet = () => worker('poet', [], { otherwise: 'Snow falls.' }).agent

const posted = (url: string, body: string, headers: object = {}): Request =>
  new Request(url, { method: 'POST', body, headers: { ...json, ...headers } })

/** The code for which an export with this second line is refused. */
async function imported(line: string): Promise<string> {
  const head = JSON.stringify({ format: 'troupe-export', version: 1, at: 0 })
  try {
    await importRuns(memoryStore(), [`${head}\n${line}\n`])
  } catch (error) {
    return (error as { readonly code: string }).code
  }
  return 'taken'
}

/** What a run of the agent came to: its outcome, or the code of its error or of the error of its tool. */
async function endOf(agent: AnyAgent): Promise<string> {
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  const events: RunEvent[] = []
  for await (const event of run.events) {
    events.push(event)
    if (event.type === 'tool-call-suspended') break
  }
  const result = await run.whenIdle
  await troupe.close()
  const failed = events.find(({ type }) => type === 'tool-error')
  const toolCode = failed?.type === 'tool-error' ? failed.payload.error?.code : undefined
  return toolCode ?? (result.outcome === 'failed' ? result.error.code : result.outcome)
}

async function overHttp(path: string, body: string): Promise<string> {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent] })
  await (
    await troupe.start(agent, 'Go', { runId: 'r' })
  ).result
  const handle = createHandler(troupe, { authorize: 'everybody', agents: [agent], onError: () => undefined })
  const { status } = await handle(posted(`http://x${path}`, body))
  await troupe.close()
  return String(status)
}

async function overA2a(params: string): Promise<string> {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent] })
  const card = agentCard(agent, { endpoints: [{ url: 'http://x/a2a', binding: 'JSONRPC' }] })
  const ask = a2aFetch(a2aHandler(agent, { troupe, card }), { authenticate: 'everybody' })
  const body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`
  const answer = (await (await ask(posted('http://x/a2a', body, { 'a2a-version': '1.0' }))).json()) as {
    readonly error?: { readonly code: number }
  }
  await troupe.close()
  return String(answer.error?.code)
}

async function toMcpServer(params: string): Promise<string> {
  const agent = poet()
  const problems: Problem[] = []
  const onError = (problem: Problem): void => void problems.push(problem)
  const troupe = createTroupe({ agents: [agent] })
  const handler = createMcpHandler(mcpServer({ agents: { poet: agent }, troupe, onError }))
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const text = await (await handler.fetch(posted('http://x/mcp', body, accept))).text()
  await handler.close()
  await troupe.close()
  expect(problems).toEqual([])
  if (text.includes('Snow falls.')) return 'served'
  return text.includes('Input validation error') ? 'refused' : text
}

/** `result`: of a call. `schema`: of the tool. */
async function fromMcpServer(result: string, schema = '{"type":"object"}'): Promise<string> {
  const answers: Readonly<Record<string, string>> = {
    initialize:
      '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
    'tools/list': `{"tools":[{"name":"pay","inputSchema":${schema}}]}`,
    'tools/call': result,
  }
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const text = await new Request(url, init).text()
    if (text === '') return new Response(null, { status: 405 })
    const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method: string }
    if (id === undefined) return new Response(null, { status: 202 })
    const answer = answers[method]
    const rest = answer === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${answer}`
    return reply(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`)
  }
  const transport = () => new StreamableHTTPClientTransport(new URL('http://x/mcp'), { fetch })
  const connection = mcpConnection({ transport })
  try {
    const tools = await mcpTools(connection)
    return await endOf(worker('a', [calls({ name: 'pay', args: {} }), 'Done.'], { tools }).agent)
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    await connection.close()
  }
}

/** `state`: of the task. `more`: further fields of it. */
async function fromA2aServer(state: string, parts: string, more = ''): Promise<string> {
  const card = agentCard(worker('foreign', []).agent, {
    endpoints: [{ url: 'http://x/a2a', binding: 'JSONRPC' }],
    streaming: false,
  })
  const message = `{"messageId":"m","role":"ROLE_AGENT","parts":${parts}}`
  const task = `{"id":"t","contextId":"c","history":[],"status":{"state":"TASK_STATE_${state}","message":${message}}${more}}`
  const fetch: typeof globalThis.fetch = async (target, init) => {
    const request = new Request(target, init)
    if (request.method === 'GET') return Response.json(card)
    const { id, method } = (await request.json()) as { readonly id: number; readonly method: string }
    const result = method === 'SendMessage' ? `{"task":${task}}` : task
    return reply(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
  }
  return endOf(remoteAgent({ id: 'r', description: 'd', url: 'http://x/card.json', fetch, pollInterval: 5 }))
}

async function toInspector(path: string, body: string): Promise<string> {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent] })
  const view = inspector(troupe, {})
  const run = await troupe.start(agent, 'Go')
  await run.result
  const client = await Client.of(view)
  const headers = { authorization: `Bearer ${client.token}`, ...json }
  const { status } = await client.ask(`/runs/${run.id}/${path}`, { method: 'POST', headers, body })
  await view.stop()
  await troupe.close()
  return String(status)
}

/** `message`: of a reply of the model, as JSON. */
async function fromModel(message: string, options: object = {}): Promise<string> {
  const replies = [message, '{"role":"assistant","content":"Done."}']
  const model = openai('gpt', {
    baseURL: 'http://x/v1',
    apiKey: 'k',
    api: 'chat',
    fetch: async () => {
      const next = replies.length > 1 ? replies.shift() : replies[0]
      const choice = `{"index":0,"finish_reason":"${next?.includes('tool_calls') === true ? 'tool_calls' : 'stop'}","message":${next}}`
      return reply(`{"id":"x","object":"chat.completion","created":1,"model":"gpt","choices":[${choice}]}`)
    },
  })
  return endOf(createAgent({ id: 'a', description: 'd', instructions: 'i', model, retries: 0, ...options }))
}

const message = (part: string, more = ''): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[${part}]${more}}}`

/** By the file of src that reads the JSON. `expected`: what comes of it, at each depth. */
const entries: Readonly<
  Record<
    string,
    Readonly<Record<string, readonly [drive: (deep: string) => Promise<string>, expected: string]>>
  >
> = {
  'kit/wire/body.ts': {
    'the prompt of a run': [(deep) => overHttp('/agents/poet/runs', `{"prompt":${deep}}`), '400'],
    'the context of a run': [
      (deep) => overHttp('/agents/poet/runs', `{"prompt":"x","context":${deep}}`),
      '400',
    ],
    'data of a signal': [
      (deep) => toInspector('signal', `{"type":"resume","toolCallId":"c","data":${deep}}`),
      '400',
    ],
    'a message that is said': [(deep) => toInspector('signal', `{"type":"say","message":${deep}}`), '400'],
    'a patch of a fork': [
      (deep) => toInspector('fork', `{"at":1,"patch":{"effectId":"x","value":${deep}}}`),
      '400',
    ],
  },
  'moving/import.ts': { 'a line of an export': [(deep) => imported(`{"entry":${deep}}`), 'IMPORT_INVALID'] },
  'a2a/server/json-rpc.ts': {
    'data of a message': [(deep) => overA2a(message(`{"data":${deep}}`)), '-32600'],
    'metadata of a message': [
      (deep) => overA2a(message('{"text":"x"}', `,"metadata":{"a":${deep}}`)),
      '-32600',
    ],
  },
  'mcp/server/serve-call.ts': {
    'the prompt of a call': [
      (deep) => toMcpServer(`{"name":"poet","arguments":{"prompt":${deep}}}`),
      'refused',
    ],
    'an argument that no agent has': [
      (deep) => toMcpServer(`{"name":"poet","arguments":{"prompt":"x","a":${deep}}}`),
      'served',
    ],
    'metadata of a call': [
      (deep) => toMcpServer(`{"name":"poet","arguments":{"prompt":"x"},"_meta":{"a":${deep}}}`),
      'served',
    ],
    'answers that nobody asked for': [
      (deep) => toMcpServer(`{"name":"poet","arguments":{"prompt":"x"},"inputResponses":{"a":${deep}}}`),
      'served',
    ],
  },
  'mcp/tools/call.ts': {
    'the structured content of an answer': [
      (deep) => fromMcpServer(`{"content":[],"structuredContent":{"a":${deep}}}`),
      'NOT_SERIALISABLE',
    ],
    'metadata of a block': [
      (deep) => fromMcpServer(`{"content":[{"type":"text","text":"x","_meta":{"a":${deep}}}]}`),
      'completed',
    ],
    'the schema of a tool': [
      (deep) => fromMcpServer('{"content":[]}', `{"type":"object","default":${deep}}`),
      'INVALID_CONFIGURATION',
    ],
  },
  'a2a/client/task-client.ts': {
    'data of an answer': [(deep) => fromA2aServer('COMPLETED', `[{"data":${deep}}]`), 'NOT_SERIALISABLE'],
    'data of a question': [
      (deep) => fromA2aServer('INPUT_REQUIRED', `[{"data":${deep}}]`),
      'NOT_SERIALISABLE',
    ],
    'data of a failure': [(deep) => fromA2aServer('FAILED', `[{"data":${deep}}]`), 'REMOTE_FAILED'],
    'metadata of a task': [
      (deep) => fromA2aServer('COMPLETED', '[{"text":"x"}]', `,"metadata":{"a":${deep}}`),
      'completed',
    ],
  },
  'actors/openai/shared/reply.ts': {
    'arguments of a call': [
      (deep) =>
        fromModel(
          `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"t","arguments":${JSON.stringify(`{"a":${deep}}`)}}}]}`,
        ),
      'MODEL_REPLY_INVALID',
    ],
    'a field of a reply': [
      (deep) => fromModel(`{"role":"assistant","content":"x","reasoning_details":${deep}}`),
      'MODEL_REPLY_INVALID',
    ],
  },
  'actors/text/json-in.ts': {
    'a typed answer': [
      (deep) =>
        fromModel(`{"role":"assistant","content":${JSON.stringify(`{"a":${deep}}`)}}`, {
          structuredOutput: { schema: z.object({ a: z.unknown() }) },
        }),
      'INVALID_OBJECT',
    ],
  },
}

const rows = Object.entries(entries).flatMap(([file, cases]) =>
  Object.entries(cases).map(([what, [drive, expected]]) => ({ file, what, drive, expected })),
)

test.each(rows)('$file: $what', async ({ drive, expected }) => {
  const seen = []
  for (const levels of [1_500, 100_000]) seen.push([levels, await drive(nested(levels))])
  expect(seen).toEqual([
    [1_500, expected],
    [100_000, expected],
  ])
})

/** Files that read JSON which we have written, or that keep of it what a text or a number can be. They need no limit. */
const ours: Readonly<Record<string, string>> = {
  'audit/chain.ts': 'a copy of an entry of ours',
  'sealed/names.ts': 'an id of ours, whose digest was checked',
  'sealed/seals.ts': 'what we have sealed, and the cipher has checked',
  'actors/effects/values.ts': 'outcomes of a journal, which are bounded when they are written',
  'actors/remote/remote-effects.ts': 'outcomes of a journal, which are bounded when they are written',
  'actors/openai/http/guarded-fetch.ts': 'the replies of reply.ts',
  'actors/openai/shared/call-assembler.ts': 'whether a text is JSON, and no value of it',
  'ai-sdk/model/content.ts': 'arguments as those of reply.ts',
  'http/ag-ui-wire/interrupts.ts': 'texts of a list within a body',
  'a2a/push/kept-pushes.ts': 'a key of ours',
  'code-mode/interpreter/sandbox.ts': 'what an interpreter has written, as deep as its own stack',
  'inspector/cli/example-command.ts': 'manifests of packages on this machine',
  'inspector/cli/replies.ts': 'what a person types at a terminal',
  'inspector/cli/terminal-command.ts': 'what a person types at a terminal',
  'inspector/embed/story-file.ts': 'a story, of whoever has the page',
  'inspect-stately/page-server.ts': 'what our server sends to its page',
  'inspector/files/content.ts': 'content of a journal',
  'inspector/page/actions/json-field.tsx': 'what a person types in a page',
  'inspector/page/connection/api.ts': 'what our server sends to its page',
  'mcp/server/questions.ts': 'the plan of an answer, which the run checks as any other answer',
  'inspector/page/list/runs-view.tsx': 'what the page has kept in its address',
  'node-http/incoming-response.ts': 'a body in the test of a server',
  'postgres/tables/items.ts': 'a column of ours',
  'postgres/tables/journals.ts': 'a column of ours',
  'postgres/tables/lists.ts': 'a column of ours',
  'postgres/tables/queued-signals.ts': 'a column of ours',
  'postgres/tables/schedules.ts': 'a column of ours',
  'postgres/tables/threads.ts': 'a column of ours',
  'react/source/failures.ts': 'what our server answers',
  'react/source/remote-run.ts': 'what our server answers',
  'restate/client/admin.ts': 'what Restate answers',
  'restate/client/cursor.ts': 'three texts of a cursor',
  'restate/client/ingress.ts': 'what Restate answers',
  'restate/client/open-questions.ts': 'what our worker answers',
  'restate/client/run-facts.ts': 'what our worker answers',
  'restate/deltas/read-deltas.ts': 'what our worker answers',
  'restate/worker/workflow.ts': 'what our worker has kept',
  'runtime/handle/cursor.ts': 'numbers of a cursor',
  'kit/sql/column-text.ts': 'one text',
  'runtime/journal/journal-text.ts': 'entries of ours',
  'kit/sql/run-row.ts': 'a column of ours',
  'runtime/program/structure.ts': 'a copy of a value of the program',
  'runtime/replay/actor-view.ts': 'a copy of the context of an actor',
  'runtime/schedules/kept-schedule.ts': 'a column of ours',
  'sqlite/connection/parse-stored.ts': 'a column of ours',
  'sqlite/tables/journals.ts': 'a column of ours',
  'testing/contract/check.ts': 'a copy of a value of a test',
  'testing/contract/replies.ts': 'a copy of a value of a test',
  'inspector/cli/evaluate-command.ts': 'reports of ours, in a file that a person names',
  'testing/evaluate/tool-recording.ts': 'a recording of ours',
  'testing/models/cassette.ts': 'a recording of ours',
  'testing/models/record-model.ts': 'a copy of a value of a test',
}

/** The packages of the protocols read the JSON of these. */
const ofPackages = ['mcp/server/serve-call.ts', 'mcp/tools/call.ts', 'a2a/client/task-client.ts']

test('each file of src that reads JSON is an entry with rows, or reads what is ours', () => {
  const reads = Object.entries(readSources('src'))
    .filter(([, source]) => /\bJSON\.parse\(|\.json\(\)/.test(source))
    .map(([file]) => file)
  const known = [...Object.keys(entries).filter((file) => !ofPackages.includes(file)), ...Object.keys(ours)]
  expect(known.toSorted()).toEqual(reads.toSorted())
})
