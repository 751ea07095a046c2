/** The README's code runs, as it stands there, against a server that speaks the real protocol. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RestateServer } from '../scripts/restate/server.ts'

const root = join(import.meta.dirname, '..')
const node = join(root, 'node_modules/node/bin/node')
const directory = join(root, 'test/.readme')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^#{2,3} ([^\n]+)\n(?:(?!^#)[^\0])*?```ts\n([^\0]*?)```/gm)].map(
  ([, title = '', code = '']) => ({ title, code }),
)

let server: Server
let restate: RestateServer

beforeAll(async () => {
  restate = await RestateServer.start()
  mkdirSync(directory, { recursive: true })
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => answer(JSON.parse(body) as ChatRequest, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}, 60_000)

afterAll(async () => {
  await restate.stop()
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

test('the quickstart has at most a dozen lines, without a type argument or a cast', () => {
  const quickstart = blocks.find((block) => block.title === 'Quickstart')?.code ?? ''
  expect(quickstart.trim().split('\n').length).toBeLessThanOrEqual(12)
  expect(quickstart).not.toMatch(/ as |<\w+>/)
})

/** What the code under each heading prints, or a part of it. */
const printed: Readonly<Record<string, string>> = {
  Quickstart: 'completed The answer.',
  Tools: 'The answer.',
  'Tool groups and states': 'find undefined found\nfound',
  Workflows: '{ sent: true } The answer.',
  'Typed answers': 'Oslo 4',
  Models: 'openai gpt-5-mini\nopenai qwen3\nopenai gpt-5\nmine parrot\nYou said: Hello',
  Delegation: "outcome: 'completed'",
  Bail: 'writer The answer.',
  'What a subagent sees': 'finder succeeded',
  'Review and caps': 'completed 2',
  Scoring: "completed [ 'failed', 'passed' ]",
  Routing: 'none It is done.\ncompleted',
  Dispatching: 'completed The answer. desk, sales',
  Planning: 'completed look: complete, write: complete',
  'Fan-out': 'completed The answer. find: succeeded, check: succeeded',
  'Meta-routing':
    'task-type: decision, of general, research, risk-assessment, summarisation, decision (model)\npattern: debate, of debate, react (model)',
  Reflexion: 'Name a source, like [1].\ncontent\nThe answer [1].',
  Debate: 'completed The answer. hope: succeeded, doubt: succeeded, hope: succeeded, doubt: succeeded',
  Handoff: 'completed billing The answer. triage → billing',
  Results: 'The answer.\n2 { guide: ',
  'Watching a run': 'completed ',
  'Approval and suspension': '20 euros go to NO93 8601. completed',
  'Retries, timeouts, cancelling': 'A haiku will do.',
  Memory: '4',
  Processors: 'tripped No advice on investments.',
  'Agents that depend on the run': 'completed The answer.',
  'Versions of an agent': "{ editor: null, writer: '1' }\nThe answer. { editor: null, writer: '2' }",
  'Background delegations': 'ended: succeeded',
  Budgets: 'completed 2 ',
  'Time travel': "{ acting: 'collecting' } guide/delegation:1.1",
  Provenance: 'desk (completed)\n  answer: "The answer."\n  iteration\n  synthesis\n',
  'Recorded runs': 'true Journal entry 1 (poet/model#1) does not match the run',
  'Runs on disk': 'completed 1',
  'Tools in doubt': 'completed 1',
  'Answers from elsewhere': 'suspended\ncompleted\n',
  'Past one machine': 'completed guide succeeded',
  'Embedding in an XState app': 'run-finish\ndrafted The answer.',
  Inspector: 'completed',
  'Testing your agents': 'The sum is 3.',
  'Testing an app with agents': '5 of 5 transitions',
  'Coming from TrustGraph': 'answer The answer. true',
  'Errors and bad input': 'maxSteps must be a positive integer, not 0.\nMODEL_UNREACHABLE',
}

test('all of its code is run', () => {
  expect(blocks.map(({ title }) => title).toSorted()).toEqual(Object.keys(printed).toSorted())
  expect(blocks).toHaveLength(readme.match(/^```ts$/gm)?.length ?? 0)
})

test('its code compiles in a strict project', () => {
  for (const { title, code } of blocks) writeFileSync(fileOf(title), code)
  const config = join(directory, 'tsconfig.json')
  const compilerOptions = { noUnusedLocals: true, noUnusedParameters: true }
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(node, [tsc, '-p', config], { encoding: 'utf8' })
  expect(stdout + stderr).toBe('')
}, 120_000)

test.each(Object.entries(printed))('the code under "%s" runs', async (title, expected) => {
  const code = blocks.find((block) => block.title === title)?.code
  expect(code).toBeDefined()
  writeFileSync(fileOf(title), code ?? '')
  const { stdout, stderr } = await promisify(execFile)(node, ['--conditions=troupe-source', fileOf(title)], {
    cwd: directory, // where it makes its files
    env: {
      OPENAI_API_KEY: 'test-key-of-the-readme',
      OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      RESTATE_INGRESS: restate.ingress,
      RESTATE_ADMIN: restate.admin,
      RESTATE_LOGGING: 'ERROR', // its SDK warns of requests that are not signed
    },
  })
  expect(stderr).toBe('')
  expect(stdout).toContain(expected)
})

function fileOf(title: string): string {
  return join(directory, `${title.replaceAll(/\W+/g, '-')}.ts`)
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
  readonly properties: Readonly<Record<string, { readonly type?: string }>>
}

function argsFor({ required = [], properties }: Parameters): string {
  const value = (name: string): unknown => (properties[name]?.type === 'number' ? 20 : 'Oslo')
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
