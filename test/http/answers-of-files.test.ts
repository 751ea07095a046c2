/** An answer that is a file alone reaches every client as a file, and nowhere as a text that stands for it. */
import { Client } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createAgent, createTroupe, file } from 'troupe'
import { toLanguageModel } from 'troupe/ai-sdk'
import { createHandler, type WireName } from 'troupe/http'
import { mcpServer } from 'troupe/mcp'
import { scriptedModel } from 'troupe/testing'
import { toTrustGraphChunks } from 'troupe/trustgraph'
import { viewOf } from 'troupe/view'
import { generateText, streamText } from 'ai'
import { expect, test } from 'vitest'
import { transportTo } from '../mcp/support/office.ts'
import { allEvents } from '../support/agents/agents.ts'
import { png } from '../support/small-files.ts'

const bytes = Buffer.from(png, 'base64')

function openStudio() {
  const model = scriptedModel([], {
    otherwise: () => ({ text: '', files: [file(bytes, 'image/png', { name: 'dot.png' })] }),
  })
  const agent = createAgent({ id: 'painter', description: 'Paints.', instructions: '', model })
  return { agent, troupe: createTroupe({ agents: [agent] }) }
}

/** What stands for a file in words. */
const label = '[file'

const kept = { type: 'file', mediaType: 'image/png', name: 'dot.png', ref: expect.any(String) }

test('the result, the events, the text stream and the view', async () => {
  const { agent, troupe } = openStudio()
  const run = await troupe.start(agent, 'Paint')
  const events = await allEvents(run)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: '', files: [kept] })
  expect(events.filter(({ type }) => type.startsWith('text-'))).toEqual([])
  expect(events.at(-1)).toMatchObject({ type: 'run-finish', payload: { text: '', files: [kept] } })
  const view = viewOf(events)
  expect(view).toMatchObject({ files: [kept] })
  expect(JSON.stringify([events, view, await troupe.journal(run.id)])).not.toContain(label)
  const chunks = []
  for await (const chunk of toTrustGraphChunks(run.events)) chunks.push(chunk)
  expect(chunks).toMatchObject([{ message_type: 'answer', content: '', end_of_dialog: true }])
  await troupe.close()
})

const address = expect.stringMatching(/^\/runs\/[^/]+\/files\/[0-9a-f]{64}$/)

/** Of a wire: the address that starts a run, the request, and where the file is in what the client reads. */
const wires: Record<WireName, readonly [path: string, body: object, found: object]> = {
  troupe: ['runs', { prompt: 'Paint' }, { type: 'run-finish', payload: { text: '', files: [kept] } }],
  'ai-sdk': [
    'chat',
    { id: 'c', messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Paint' }] }] },
    { type: 'file', url: address, mediaType: 'image/png' },
  ],
  'ag-ui': [
    'run',
    {
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'u', role: 'user', content: 'Paint' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
    { type: 'RUN_FINISHED', result: { text: '', files: [kept] } },
  ],
}

test.each(Object.entries(wires))('over the wire %s', async (wire, [path, body, found]) => {
  const { agent, troupe } = openStudio()
  const handler = createHandler(troupe, {
    agents: [agent],
    authorize: 'everybody',
    wire: wire as WireName,
  })
  const ask = (address: string, given?: object) =>
    handler(
      new Request(`http://localhost${address}`, {
        ...(given === undefined ? {} : { method: 'POST', body: JSON.stringify(given) }),
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      }),
    )
  let answer = await (await ask(`/agents/painter/${path}`, body)).text()
  if (wire === 'troupe') {
    const { runId } = JSON.parse(answer) as { readonly runId: string }
    answer = await (await ask(`/runs/${runId}/events`)).text()
  }
  const data = answer
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line): unknown => JSON.parse(line.slice('data: '.length)))
  expect(data).toContainEqual(expect.objectContaining(deep(found)))
  expect(answer).not.toContain(label)
  await troupe.close()
})

/** Each object within matches one that has more. */
function deep(found: object): object {
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) => {
      const isPlain = typeof value === 'object' && !Array.isArray(value) && !('asymmetricMatch' in value)
      return [key, isPlain ? expect.objectContaining(deep(value as object)) : value]
    }),
  )
}

test('as a tool of an MCP server', async () => {
  const { agent, troupe } = openStudio()
  const handler = createMcpHandler(mcpServer({ troupe, agents: { painter: agent } }))
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transportTo({ fetch: (request) => handler.fetch(request) }))
  const { content } = await client.callTool({ name: 'painter', arguments: { prompt: 'Paint' } })
  expect(content).toEqual([{ type: 'image', data: png, mimeType: 'image/png' }])
  await client.close()
  await handler.close()
  await troupe.close()
})

test('as a language model of the AI SDK', async () => {
  const { agent, troupe } = openStudio()
  const model = toLanguageModel(agent, { troupe })
  const whole = await generateText({ model, prompt: 'Paint.' })
  expect([whole.text, whole.files.map(({ base64 }) => base64)]).toEqual(['', [png]])
  const streamed = streamText({ model, prompt: 'Paint.' })
  expect([await streamed.text, (await streamed.files).map(({ base64 }) => base64)]).toEqual(['', [png]])
  await troupe.close()
})
