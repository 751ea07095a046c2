/** The tools of an MCP server, as an agent has them. */
import { Client } from '@modelcontextprotocol/client'
import { createTroupe, type RunEvent } from 'troupe'
import { mcpTools, type McpProgress, type McpToolCall, type McpToolsOptions } from 'troupe/mcp'
import { expect, test } from 'vitest'
import { calls, until, worker } from '../support/agents/agents.ts'
import { connectionTo, office, transportTo } from './support/office.ts'

const resultOf = async (tool: string, args: Record<string, string>, options: McpToolsOptions = {}) => {
  const server = office()
  const connection = connectionTo(server)
  const { agent, model } = worker('clerk', [calls({ name: tool, args }), 'Done.'], {
    tools: () => mcpTools(connection, { approve: false, ...options }),
  })
  const result = await agent.generate('Go')
  await connection.close()
  return { server, model, result, record: result.steps[0]?.toolResults[0] }
}

test('a tool of a server has a name that models accept, its schema, and the policies that its hints give', async () => {
  const connection = connectionTo(office())
  const tools = await mcpTools(connection, { prefix: 'office_', groups: ['office'] })
  expect(
    Object.values(tools).map(({ id, description, onInterrupted, requireApproval, groups }) => ({
      id,
      description,
      onInterrupted,
      requireApproval,
      groups,
    })),
  ).toEqual(
    [
      ['office_look_up', 'Looks a word up.', 'retry', false],
      ['office_measure', 'Measures.', 'retry', false],
      ['office_shred', 'Destroys a file.', 'ask', true],
      ['office_wait', 'Takes its time.', 'ask', false],
      ['office_deploy', 'Deploys.', 'ask', false],
    ].map(([id, description, onInterrupted, requireApproval]) => ({
      id,
      description,
      onInterrupted,
      requireApproval,
      groups: ['office'],
    })),
  )
  expect(tools['office_look_up']?.parameters).toMatchObject({
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
  })
  await connection.close()
})

test('options choose tools and decide on their policies', async () => {
  const connection = connectionTo(office())
  const only = await mcpTools(connection, { only: ['shred', 'wait'], approve: false, onInterrupted: 'fail' })
  expect(Object.keys(only)).toEqual(['shred', 'wait'])
  expect(only['shred']).toMatchObject({ requireApproval: false, onInterrupted: 'fail' })
  const reading = await mcpTools(connection, {
    only: ({ annotations }) => annotations?.readOnlyHint === true,
    approve: ({ name }) => name === 'look.up',
    onInterrupted: () => 'ask',
  })
  expect(Object.values(reading)).toMatchObject([
    { id: 'look_up', requireApproval: true, onInterrupted: 'ask' },
  ])
  await expect(mcpTools(connection, { only: ['shread'] })).rejects.toThrow(
    'mcpTools: only names "shread". The server has: look.up, measure, shred, wait, deploy.',
  )
  await connection.close()
})

test('the text of an answer is the result, and each call carries a key that is the same on every attempt', async () => {
  const { server, record, model } = await resultOf('look_up', { word: 'tide' })
  expect(record).toMatchObject({ outcome: 'succeeded', value: 'all about tide' })
  expect(server.calls).toEqual([
    {
      tool: 'look.up',
      args: { word: 'tide' },
      meta: expect.objectContaining({ 'troupe/idempotencyKey': expect.stringMatching(/./) }),
    },
  ])
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({ role: 'tool', content: 'all about tide' })
})

test('meta gives fields for each call, and cannot take the place of the key', async () => {
  const seen: McpToolCall[] = []
  const meta = (call: McpToolCall) => {
    seen.push(call)
    return { traceparent: 'of the span', 'troupe/idempotencyKey': 'mine' }
  }
  const { server } = await resultOf('look_up', { word: 'tide' }, { meta })
  expect(seen).toEqual([
    { tool: 'look.up', runId: expect.any(String), agent: 'clerk', toolCallId: expect.any(String) },
  ])
  expect(server.calls).toMatchObject([
    { meta: { traceparent: 'of the span', 'troupe/idempotencyKey': expect.not.stringMatching('mine') } },
  ])
})

test('structured content comes before text', async () => {
  const { record } = await resultOf('measure', { of: 'table' })
  expect(record).toMatchObject({ outcome: 'succeeded', value: { metres: 3 } })
})

test('arguments that do not fit go back to the model, and not to the server', async () => {
  const { server, record, model } = await resultOf('look_up', { words: 'tide' })
  expect(record).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_TOOL_CALL' } })
  expect(server.calls).toEqual([])
  expect(JSON.stringify(model.calls[1]?.request.messages.at(-1))).toContain('word')
})

test('half a character in arguments reaches no server', async () => {
  const { server, record } = await resultOf('look_up', { word: 'ti\ud83d' })
  expect(record).toMatchObject({ outcome: 'succeeded' })
  expect(server.calls).toMatchObject([{ args: { word: 'ti\ufffd' } }])
})

test('an answer that is marked as an error fails the call, or is shown to the model', async () => {
  const failing = await resultOf('shred', { file: 'a.txt' })
  expect(failing.record).toMatchObject({
    outcome: 'failed',
    error: {
      name: 'TerminalError',
      code: 'MCP_TOOL_FAILED',
      message: expect.stringContaining('no file a.txt'),
    },
  })
  expect(JSON.stringify(failing.model.calls[1]?.request.messages)).not.toContain('no file a.txt')
  const shown = await resultOf('shred', { file: 'a.txt' }, { errors: 'show' })
  expect(shown.record).toMatchObject({ outcome: 'succeeded', value: { error: 'There is no file a.txt.' } })
})

test('a destructive tool waits for a person', async () => {
  const server = office()
  const connection = connectionTo(server)
  const { agent } = worker('clerk', [calls({ name: 'shred', args: { file: 'a.txt' } }), 'Done.'], {
    tools: () => mcpTools(connection),
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended', awaiting: [{ type: 'approval' }] })
  expect(server.calls).toEqual([])
  await troupe.close()
  await connection.close()
})

test('progress is reported, and a cancel of the run reaches the server', async () => {
  const server = office()
  const connection = connectionTo(server)
  const progress = Promise.withResolvers<McpProgress>()
  const { agent } = worker('clerk', [calls({ name: 'wait', args: {} }), 'Done.'], {
    tools: () => mcpTools(connection, { onProgress: progress.resolve }),
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const reported = until(run, 'tool-progress')
  expect((await reported).payload).toEqual({
    toolCallId: 'clerk/call:1.1',
    toolName: 'wait',
    value: { progress: 1, total: 2, message: 'half of it' },
  })
  expect(await progress.promise).toEqual({
    tool: 'wait',
    runId: run.id,
    agent: 'clerk',
    toolCallId: 'clerk/call:1.1',
    progress: 1,
    total: 2,
    message: 'half of it',
  })
  await run.cancel('Enough.')
  await server.cancelled
  expect((await run.result).outcome).toBe('cancelled')
  await troupe.close()
  await connection.close()
})

test('a call without an answer fails at its timeout, and the model learns of it', async () => {
  const { record, model } = await resultOf('wait', {}, { timeout: 50 })
  expect(record).toMatchObject({ outcome: 'failed', error: { code: 'TOOL_TIMEOUT' } })
  expect(JSON.stringify(model.calls[1]?.request.messages.at(-1))).toContain('within its timeout')
})

test('tools are listed once for each run, and its journal has them', async () => {
  const server = office()
  const connection = connectionTo(server)
  const { agent } = worker(
    'clerk',
    [
      calls({ name: 'look_up', args: { word: 'a' } }),
      calls({ name: 'look_up', args: { word: 'b' } }),
      'Done.',
    ],
    { tools: () => mcpTools(connection) },
  )
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  expect((await run.result).outcome).toBe('completed')
  expect(server.lists.count).toBe(1)
  const journal = JSON.stringify(await troupe.journal(run.id))
  expect(journal).toContain('Looks a word up.')
  const replayed: RunEvent[] = [...(await troupe.replay(run.id)).events]
  expect(replayed.filter(({ type }) => type === 'tool-result')).toHaveLength(2)
  expect(server.lists.count).toBe(1)
  await troupe.close()
  await connection.close()
})

test('a client of your own serves as well', async () => {
  const client = new Client({ name: 'mine', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transportTo(office()))
  const { agent } = worker('clerk', [calls({ name: 'look_up', args: { word: 'tide' } }), 'Done.'], {
    tools: () => mcpTools(client, { only: ['look.up'] }),
  })
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults[0]).toMatchObject({ value: 'all about tide' })
  await client.close()
})

test('tools are strict where the user asks for it, and one that cannot be is an error', async () => {
  const connection = connectionTo(office())
  const tools = await mcpTools(connection, { strict: ({ name }) => name === 'look.up' })
  expect(tools['look_up']).toMatchObject({ strict: true, parameters: { additionalProperties: false } })
  expect(tools['shred']).toMatchObject({ strict: false })
  await expect(mcpTools(connection, { strict: 'yes' as never })).rejects.toThrow('strict must be')
  await connection.close()
})

test('the tools of a server are found by a search, where they are deferred', async () => {
  const connection = connectionTo(office())
  const searching = calls({ name: 'find-tools', args: { query: 'look a word up' } })
  const { agent, model } = worker(
    'clerk',
    [searching, calls({ name: 'look_up', args: { word: 'tide' } }), 'Done.'],
    {
      tools: () => mcpTools(connection, { approve: false, defer: { limit: 1 } }),
    },
  )
  const { steps } = await agent.generate('Go')
  await connection.close()
  expect(model.calls.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([
    ['find-tools'],
    ['find-tools', 'look_up'],
    ['find-tools', 'look_up'],
  ])
  expect(steps[1]?.toolResults[0]).toMatchObject({ outcome: 'succeeded' })
})

test('a wrong option of the search is refused', async () => {
  const connection = connectionTo(office())
  await expect(mcpTools(connection, { defer: { limit: 0 } })).rejects.toThrow('from 1 to 20')
  await expect(mcpTools(connection, { defer: 'yes' as never })).rejects.toThrow('the options of deferTools')
  await connection.close()
})
