/** What `redact` takes away is on no record, and the run goes on with what is there: replay and recovery give the same. */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type ChatModel,
  type ModelRequest,
  type Store,
} from 'troupe'
import { recall } from 'troupe/recall'
import { exportRuns, importRuns } from 'troupe/moving'
import { sealedStore, type Redact } from 'troupe/sealed'
import { scriptedModel } from 'troupe/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { sealing } from '../support/sealing.ts'

const card = '4242424242424242'

const redact: Redact = (text) => text.replaceAll(/\b\d{16}\b/g, '[card]')

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** Calls its tool with the card that it knows, and repeats what it was told. */
function shop() {
  const requests: ModelRequest[] = []
  const paid: unknown[] = []
  const model: ChatModel = {
    provider: 'test',
    modelId: 'shop',
    async generate(request) {
      requests.push(request)
      const result = request.messages.find(({ role }) => role === 'tool')
      if (result !== undefined)
        return { text: `Paid by ${card}.`, reasoning: card, toolCalls: [], finishReason: 'stop', usage }
      return {
        text: '',
        toolCalls: [{ id: 'c', name: 'pay', args: { by: card, id: `id ${card}` } }],
        finishReason: 'tool-calls',
        usage,
      }
    },
  }
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ by: z.string(), id: z.string() }),
    requireApproval: true,
    execute: (input) => {
      paid.push(input)
      return { by: card, nested: [{ id: card }] }
    },
  })
  return { agent: createAgent({ id: 'shop', model, tools: { pay }, memory: true }), requests, paid }
}

function opened(inner: Store, agent: ReturnType<typeof shop>['agent'], by: Redact = redact) {
  const store = sealedStore(inner, { ...sealing, redact: by })
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  onTestFinished(() => troupe.close())
  return { store, troupe }
}

test('no text of a run has it, its models and tools get what is on record, and another process goes on', async () => {
  const inner = memoryStore()
  const { agent, requests, paid } = shop()
  const { troupe } = opened(inner, agent)
  const run = await troupe.start(agent, `Pay with ${card}.`, {
    threadId: 't',
    resourceId: 'ann',
    context: { card },
  })
  const idle = await run.whenIdle
  expect(idle).toMatchObject({
    outcome: 'suspended',
    awaiting: [{ args: { by: '[card]', id: 'id [card]' } }],
  })
  const toolCallId = idle.outcome === 'suspended' ? (idle.awaiting[0]?.toolCallId ?? '') : ''
  await troupe.close()
  const { troupe: other } = opened(inner, agent)
  await other.signal(run.id, { type: 'approve', toolCallId, note: `seen ${card}` })
  const result = await (await other.resume(run.id)).result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Paid by [card].' })
  expect(paid).toEqual([{ by: '[card]', id: 'id [card]' }])
  expect(JSON.stringify(requests.map(({ messages }) => messages))).not.toContain(card)
  const journal = await other.journal(run.id)
  expect(JSON.stringify(journal)).not.toContain(card)
  expect(JSON.stringify(journal)).toContain('seen [card]')
  expect((await other.replay(run.id)).result).toMatchObject({ text: 'Paid by [card].' })
  const fork = await other.fork(run.id, { at: journal.length - 3 })
  expect((await fork.result).text).toBe('Paid by [card].')
  expect(JSON.stringify(await other.memory.messages('t'))).not.toContain(card)
})

test('it goes over notes, messages and configuration, and over no id', async () => {
  const { agent } = shop()
  const { troupe } = opened(memoryStore(), agent)
  await troupe.memory.setWorkingMemory(card, `The card ${card}.`)
  expect(await troupe.memory.workingMemory(card)).toBe('The card [card].')
  await troupe.memory.save(
    card,
    [{ id: card, role: 'user', content: [{ type: 'text', text: card }], at: 1 }],
    card,
  )
  expect(await troupe.memory.messages(card)).toEqual([
    { id: card, role: 'user', content: [{ type: 'text', text: '[card]' }], resourceId: card, at: 1 },
  ])
  await troupe.config.set('cards', card, { id: card, list: [card, 1] })
  expect(await troupe.config.items('cards')).toEqual([
    { kind: 'cards', key: card, value: { id: '[card]', list: ['[card]', 1] } },
  ])
})

test.each<[string, Redact]>([
  [
    'throws',
    () => {
      throw new Error('no rule')
    },
  ],
  ['gives no text', () => 7 as never],
  ['answers later', (async (text: string) => text) as never],
])('where it %s, a new run is refused and nothing is written', async (_name, by) => {
  const inner = memoryStore()
  const { agent } = shop()
  const { troupe } = opened(inner, agent, by)
  await expect(troupe.start(agent, 'Hello')).rejects.toMatchObject({ code: 'SEAL_FAILED' })
  expect((await inner.list('runs', {})).items).toEqual([])
})

test('where it throws in the middle of a run, the run stops there, can be resumed, and no other stops', async () => {
  const inner = memoryStore()
  const { agent } = shop()
  let isBroken = true
  const by: Redact = (text) => {
    if (isBroken && text.includes('id 4242')) throw new Error('no rule')
    return redact(text)
  }
  const { troupe } = opened(inner, agent, by)
  const run = await troupe.start(agent, 'Hello')
  await expect(run.result).rejects.toMatchObject({ name: 'StoreError', code: 'SEAL_FAILED' })
  isBroken = false
  const again = await troupe.resume(run.id)
  expect((await again.whenIdle).outcome).toBe('suspended')
})

test('also from texts that were recalled, and from the beginning of an answer that was cut', async () => {
  const inner = memoryStore()
  const read: unknown[] = []
  let cancel = (): void => undefined
  const model: ChatModel = {
    provider: 'test',
    modelId: 'cut',
    generate: (request, { onDelta, signal }) => {
      read.push(request.messages)
      onDelta?.({ type: 'text', text: `The card ${card} ` })
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        setImmediate(() => cancel())
      })
    },
  }
  const search = () => [{ id: 'note', text: `She pays with ${card}.`, source: `Mail on ${card}` }]
  const options = {
    model,
    memory: true,
    keepPartial: 'thread',
    inputProcessors: [recall({ search })],
  } as const
  const agent = createAgent({ id: 'cut', instructions: '', ...options })
  const store = sealedStore(inner, { ...sealing, redact })
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  onTestFinished(() => troupe.close())
  const run = await troupe.start(agent, 'Who pays?', { threadId: 't', resourceId: 'ann' })
  cancel = () => void run.cancel()
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'cancelled', partialText: 'The card [card] ' })
  expect(JSON.stringify(read)).toContain('She pays with [card].')
  const messages = await troupe.memory.messages('t')
  expect(messages.map(({ content }) => content)).toEqual(['Who pays?', 'The card [card] '])
  const events = (await troupe.replay(run.id)).events
  const onRecord = [await store.read(run.id), await inner.read(run.id), read, events, messages]
  expect(JSON.stringify(onRecord)).not.toContain(card)
})

test('the reason of an end by force, and a run that is imported, are redacted too', async () => {
  const model = scriptedModel([], { otherwise: { hang: true } })
  const agent = createAgent({ id: 'clerk', instructions: '', model })
  const clear = memoryStore()
  const troupe = createTroupe({ agents: [agent], store: clear, onError: () => undefined })
  const run = await troupe.start(agent, `Charge ${card}.`)
  await troupe.close()

  const inner = memoryStore()
  const store = sealedStore(inner, { ...sealing, redact })
  await importRuns(store, exportRuns(clear))
  expect(JSON.stringify(await store.read(run.id))).toContain('Charge [card].')
  // Once more it is the same run, and no conflict.
  await importRuns(store, exportRuns(clear))

  const other = createTroupe({ agents: [agent], store, onError: () => undefined })
  onTestFinished(() => other.close())
  await other.cancel(run.id, `It was ${card}.`, { force: true })
  const entries = JSON.stringify(await store.read(run.id))
  expect(entries).toContain('It was [card].')
  expect(entries).not.toContain(card)
})
