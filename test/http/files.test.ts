/** Behaviour 87: their bytes go to those who may read the run, and run no code in a browser. */
import { createAgent, createTool, createTroupe, file } from 'troupe'
import { createHandler, type ServedRun, type WireName } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../support/agents/agents.ts'
import { Client, eventsOf } from './support/client.ts'
import { byUser } from './support/desk.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const made = {
  'plan "ä\'(1)*.png': ['image/png', 'png'],
  'chart.svg': ['image/svg+xml', '<svg onload="alert(1)"/>'],
  'page.html': ['text/html', '<script>alert(1)</script>'],
} as const

/** A painter whose tool makes files, and one whose tool gives back what a person has answered. */
function openStudio(wire: WireName = 'troupe') {
  const paint = createTool({
    id: 'paint',
    description: 'Paints.',
    inputSchema: z.object({}),
    execute: () => Object.entries(made).map(([name, [type, text]]) => file(bytes(text), type, { name })),
  })
  const echo = createTool({
    id: 'echo',
    description: 'Asks, and gives the answer back.',
    inputSchema: z.object({}),
    execute: (_, { suspend, resumeData }) => resumeData ?? suspend({ question: 'What?' }),
  })
  const model = scriptedModel([], {
    otherwise({ messages }) {
      const isDone = messages.some(({ role }) => role === 'tool')
      const asks = JSON.stringify(messages).includes('Echo')
      return isDone
        ? { text: 'Done.', files: [file(bytes('answer'), 'image/png')] }
        : calls({ name: asks ? 'echo' : 'paint' })
    },
  })
  const agent = createAgent({ id: 'painter', instructions: 'Paint.', model, tools: { paint, echo } })
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, { authorize: byUser, agents: [agent], wire, base: '/api' })
  return { troupe, agent, handler, ann: new Client(handler).as('ann'), ben: new Client(handler).as('ben') }
}

interface Named {
  readonly name: string
  readonly ref: string
}

test('the files of tools, models and prompts are read by those who may read the run', async () => {
  const { troupe, ann, ben } = openStudio()
  const photo = { type: 'file', mediaType: 'image/jpeg', name: 'photo.jpg', data: btoa('photo') }
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Paint this' }, photo] }]
  const { runId } = (await ann.post('/api/agents/painter/runs', { prompt })).body as ServedRun
  const events = await eventsOf(await ann.response('GET', `/api/runs/${runId}/events`))
  const result = events.find(({ type }) => type === 'tool-result')?.payload as {
    readonly result: readonly Named[]
  }
  const address = (ref: string) => `/api/runs/${runId}/files/${ref}`
  for (const [name, [type, text]] of Object.entries(made)) {
    const { ref } = result.result.find((one) => one.name === name) ?? { ref: '' }
    const response = await ann.response('GET', address(ref))
    expect(await response.text()).toBe(text)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': expect.stringMatching(type === 'image/png' ? /^inline;/ : /^attachment;/),
      'cache-control': 'private, no-cache',
    })
    const [, encoded = ''] =
      /filename\*=UTF-8''(\S+)$/.exec(response.headers.get('content-disposition') ?? '') ?? []
    expect(decodeURIComponent(encoded)).toBe(name)
    expect(await ann.get(address(ref), { headers: { 'if-none-match': `W/"${ref}"` } })).toMatchObject({
      status: 304,
      body: '',
    })
    expect(await ben.get(address(ref), { headers: { 'if-none-match': `"${ref}"` } })).toMatchObject({
      status: 404,
      body: { error: { code: 'RUN_NOT_FOUND' } },
    })
  }
  const journal = JSON.stringify(await troupe.journal(runId))
  for (const [name, text] of Object.entries({ 'photo.jpg': 'photo', 'image-[0-9a-f]{8}.png': 'answer' })) {
    const [, ref = ''] = new RegExp(`"name":"${name}","ref":"([0-9a-f]{64})"`).exec(journal) ?? []
    expect((await ann.get(address(ref))).body).toBe(text)
  }
  for (const ref of ['0'.repeat(64), 'x', '%00', '..']) {
    expect((await ann.get(address(ref))).status).toBe(404)
  }
  await troupe.close()
})

test('a reference that a person has written is no file of the run', async () => {
  const { troupe, ben } = openStudio()
  const ref = await troupe.blobs.put(bytes('secret'))
  const written = { type: 'file', mediaType: 'image/png', name: 'x.png', ref }
  const { runId } = (
    await ben.post('/api/agents/painter/runs', { prompt: `Echo ${JSON.stringify(written)}` })
  ).body as ServedRun
  await expect.poll(async () => (await ben.get('/api/awaiting')).body).toMatchObject({ items: [{ runId }] })
  const resume = { type: 'resume', toolCallId: 'painter/call:1.1', data: [written] }
  expect(await ben.post(`/api/runs/${runId}/answers`, resume)).toMatchObject({ status: 204 })
  const events = await eventsOf(await ben.response('GET', `/api/runs/${runId}/events`))
  expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ payload: { result: [written] } })
  expect(await ben.get(`/api/runs/${runId}/files/${ref}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
  await troupe.close()
})

test('a page of useChat shows the files of an answer by their addresses, and sends them back unread', async () => {
  const { troupe, ann } = openStudio('ai-sdk')
  const user = { role: 'user', parts: [{ type: 'text', text: 'Paint' }] }
  const chat = async (...messages: object[]) =>
    (await ann.post('/api/agents/painter/chat', { id: 'c', messages })).body
  const [, url = ''] = /"type":"file","url":"([^"]+)"/.exec(String(await chat(user))) ?? []
  expect(url).toMatch(/^\/api\/runs\/[\w-]+\/files\/[0-9a-f]{64}$/)
  expect(await ann.get(url)).toMatchObject({ status: 200, body: 'answer' })
  const answer = {
    role: 'assistant',
    parts: [
      { type: 'file', url, mediaType: 'image/png' },
      { type: 'text', text: 'Done.' },
    ],
  }
  expect(await chat(user, answer, user)).toContain('"finish"')
  await troupe.close()
})
