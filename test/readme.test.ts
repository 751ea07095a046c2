/** The README's code runs, as it stands there, against a server that speaks the real protocol. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const node = join(root, 'node_modules/node/bin/node')
const directory = join(root, 'test/.readme')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^#{2,3} ([^\n]+)\n(?:(?!^#)[^\0])*?```ts\n([^\0]*?)```/gm)].map(
  ([, title = '', code = '']) => ({ title, code }),
)

let server: Server

beforeAll(async () => {
  mkdirSync(directory, { recursive: true })
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => answer(JSON.parse(body) as ChatRequest, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

test('the quickstart has at most a dozen lines, without a type argument or a cast', () => {
  const quickstart = blocks.find((block) => block.title === 'Quickstart')?.code ?? ''
  expect(quickstart.trim().split('\n').length).toBeLessThanOrEqual(12)
  expect(quickstart).not.toMatch(/ as |<\w+>/)
})

test.each([
  ['Quickstart', 'completed The answer.'],
  ['Tools', 'The answer.'],
  ['Typed answers', 'Oslo 4'],
  ['Agents that depend on the run', 'completed The answer.'],
  ['Processors', 'tripped No advice on investments.'],
  ['Delegation', "outcome: 'completed'"],
  ['Background delegations', 'ended: succeeded'],
  ['Budgets', 'completed 2 '],
  ['Memory', '4'],
  ['Watching a run', 'completed '],
  ['Time travel', "{ acting: 'collecting' } guide/delegation:1.1"],
  ['Embedding in an XState app', 'run-finish\ndrafted The answer.'],
  ['Inspector', 'completed'],
  ['Testing your agents', 'The sum is 3.'],
  ['Testing an app with agents', '5 of 5 transitions'],
  ['Recorded runs', 'true Journal entry 1 (poet/model#1) does not match the run'],
  ['Runs on disk', 'completed 1'],
  ['Tools in doubt', 'completed 1'],
  ['Answers from elsewhere', 'suspended\ncompleted\n'],
])('the code under "%s" runs', async (title, expected) => {
  const code = blocks.find((block) => block.title === title)?.code
  expect(code).toBeDefined()
  const file = join(directory, `${title.replaceAll(' ', '-')}.ts`)
  writeFileSync(file, code ?? '')
  const { stdout, stderr } = await promisify(execFile)(node, ['--conditions=troupe-source', file], {
    cwd: directory, // where it makes its files
    env: {
      OPENAI_API_KEY: 'test-key-of-the-readme',
      OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    },
  })
  expect(stderr).toBe('')
  expect(stdout).toContain(expected)
})

interface ChatRequest {
  readonly stream?: boolean
  readonly response_format?: object
  readonly messages: readonly { readonly role: string }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

/** Calls the first tool that is offered, once; then answers. */
function answer(asked: ChatRequest, response: import('node:http').ServerResponse): void {
  const name = asked.tools?.[0]?.function.name
  const mayCall = name !== undefined && asked.messages.every((message) => message.role !== 'tool')
  const args = JSON.stringify(name?.startsWith('agent-') === true ? { prompt: 'Go.' } : { city: 'Oslo' })
  const toolCalls = [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } }]
  const message = mayCall
    ? { content: null, tool_calls: toolCalls }
    : { content: asked.response_format ? '{"city":"Oslo","degrees":4}' : 'The answer.' }
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
