/** Files over MCP: in the results of a server's tools, and in the answers of agents that are tools themselves. */
import { Client } from '@modelcontextprotocol/client'
import { createMcpHandler, type CallToolResult, type McpServer } from '@modelcontextprotocol/server'
import { createAgent, createTroupe, file, memoryStore, type ChatModel, type ModelRequest } from 'troupe'
import { mcpServer, mcpTools, type McpServerOptions } from 'troupe/mcp'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { pdf, png } from '../support/small-files.ts'
import { connectionTo, office, transportTo } from './support/office.ts'

type Block = CallToolResult['content'][number]

const image: Block = { type: 'image', data: png, mimeType: 'image/png' }
const sound: Block = { type: 'audio', data: 'SUQz', mimeType: 'audio/mpeg' }
const words: Block = { type: 'text', text: 'See.' }
const paper: Block = {
  type: 'resource',
  resource: { uri: 'docs://sea/tides.pdf', mimeType: 'application/pdf', blob: pdf },
}

/** An agent calls a tool that answers so; the second request of its model, and the result. */
async function answered(answer: CallToolResult, schema?: z.ZodObject) {
  const server = office((mcp: McpServer) => {
    mcp.registerTool(
      'show',
      {
        description: 'Shows.',
        inputSchema: z.object({}),
        ...(schema === undefined ? {} : { outputSchema: schema }),
      },
      async () => answer,
    )
  })
  const connection = connectionTo(server)
  const { agent, model } = worker('clerk', [calls({ name: 'show', args: {} }), 'Done.'], {
    tools: () => mcpTools(connection, { approve: false, only: ['show'] }),
  })
  const troupe = createTroupe({ agents: [agent] })
  const result = await (await troupe.start(agent, 'Go')).result
  await connection.close()
  const request: ModelRequest | undefined = model.calls[1]?.request
  return { record: result.steps[0]?.toolResults[0], message: request?.messages.at(-1), troupe }
}

const kept = (mediaType: string, more: object = {}) => ({
  type: 'file',
  mediaType,
  name: expect.any(String),
  ref: expect.stringMatching(/^[0-9a-f]{64}$/),
  ...more,
})

describe('the result of a tool', () => {
  test('has images, audio and resources of bytes as files, beside the text', async () => {
    const { record, message, troupe } = await answered({ content: [words, image, sound, paper] })
    expect(record).toMatchObject({
      outcome: 'succeeded',
      value: {
        text: 'See.',
        files: [kept('image/png'), kept('audio/mpeg'), kept('application/pdf', { name: 'tides.pdf' })],
      },
    })
    expect(message).toMatchObject({
      role: 'tool',
      content: [
        { type: 'text', text: expect.stringContaining('See.') },
        { type: 'file', mediaType: 'image/png', data: png },
        { type: 'file', mediaType: 'audio/mpeg', data: 'SUQz' },
        { type: 'file', mediaType: 'application/pdf', name: 'tides.pdf', data: pdf },
      ],
    })
    await troupe.close()
  })

  test('has the files alone where there is no text', async () => {
    const { record } = await answered({ content: [image] })
    expect(record?.value).toEqual({ files: [kept('image/png')] })
  })

  test('has structured content beside its files, and its schema is checked', async () => {
    const content = [{ type: 'text', text: '{"metres":3}' } as const, image]
    const schema = z.object({ metres: z.number() })
    const { record } = await answered({ content, structuredContent: { metres: 3 } }, schema)
    expect(record?.value).toEqual({ structuredContent: { metres: 3 }, files: [kept('image/png')] })
  })

  test.each<[string, Block, string]>([
    ['a link', { type: 'resource_link', uri: 'docs://a', name: 'a' }, '[resource a](docs://a)'],
    ['a resource of text', { type: 'resource', resource: { uri: 'docs://a', text: 'Words.' } }, 'Words.'],
    [
      'bytes of an unknown type',
      { type: 'resource', resource: { uri: 'docs://a', blob: pdf } },
      '[resource docs://a of unknown type]',
    ],
  ])('has a line of text for %s', async (_, block, line) => {
    const { record } = await answered({ content: [words, block] })
    expect(record?.value).toBe(`See.\n${line}`)
  })

  test('is an error where the bytes are no base64', async () => {
    const { record } = await answered({
      content: [{ type: 'resource', resource: { uri: 'docs://a.png', mimeType: 'image/png', blob: '*' } }],
    })
    expect(record).toMatchObject({ outcome: 'failed' })
  })

  test('that is an error names its files', async () => {
    const { record } = await answered({ content: [words, image], isError: true })
    expect(record).toMatchObject({
      outcome: 'failed',
      error: { code: 'MCP_TOOL_FAILED', message: expect.stringContaining('See.\n[image image/png]') },
    })
  })
})

describe('the answer of an agent', () => {
  const url = new URL('https://example.com/a.pdf')
  const files = [
    file(Buffer.from(png, 'base64'), 'image/png'),
    file(Buffer.from('SUQz', 'base64'), 'audio/mpeg'),
    file(Buffer.from(pdf, 'base64'), 'application/pdf', { name: 'a b.pdf' }),
    file(url, 'application/pdf'),
  ]
  const artist: ChatModel = {
    provider: 'mine',
    modelId: 'artist',
    generate: async () => ({
      text: 'Drawn.',
      files,
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    }),
  }
  const agent = createAgent({ id: 'artist', description: 'Draws.', instructions: 'Draw.', model: artist })

  async function called(change: (troupe: McpServerOptions['troupe']) => McpServerOptions['troupe']) {
    const troupe = createTroupe({ agents: [agent], store: memoryStore() })
    const handler = createMcpHandler(mcpServer({ agents: { artist: agent }, troupe: change(troupe) }))
    const client = new Client({ name: 'caller', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(transportTo({ fetch: (request) => handler.fetch(request) }))
    const answer = await client.callTool({ name: 'artist', arguments: { prompt: 'A dot.' } })
    await client.close()
    await handler.close()
    await troupe.close()
    return answer
  }

  test('has its files as images, audio, resources and links', async () => {
    expect(await called((troupe) => troupe)).toMatchObject({
      content: [
        { type: 'text', text: 'Drawn.' },
        image,
        sound,
        {
          type: 'resource',
          resource: { uri: 'troupe:/files/a%20b.pdf', mimeType: 'application/pdf', blob: pdf },
        },
        { type: 'resource_link', uri: url.href, mimeType: 'application/pdf' },
      ],
    })
  })

  test('is an error where the troupe has no blobs to read them from', async () => {
    const answer = await called(({ start, resume }) => ({ start, resume }))
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The agent cannot work on this: FILE_NOT_FOUND.' }],
    })
  })
})
