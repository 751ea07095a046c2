/** Messages of people with files: kept like those of a prompt, and read where they stand. */
import { ConfigurationError, createTroupe, file, memoryStore, type BlobStorage, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { chart, data, filesIn, holdsBytes, ref } from '../files/pictures.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { allEvents, calls, only, shown, until, worker } from '../../support/agents/agents.ts'
import { guarded } from '../../support/agents/guarded.ts'

const callId = 'solo/call:1.1'
const message = [{ type: 'text' as const, text: 'See this.' }, chart]
const kept = { type: 'file', mediaType: 'image/png', name: 'chart.png', ref }

function waiting(options: { readonly hookTimeout?: number } = {}) {
  const answers = [calls({ name: 'guarded', args: {} }), 'Done.']
  return worker('solo', answers, { tools: { guarded }, memory: true, ...options })
}

test('the model is given the bytes, and the journal, the events and the thread hold references', async () => {
  const { agent, model } = waiting()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { threadId: 't' })
  await until(run, 'tool-call-approval')
  await run.say(message, { by: 'ann' })
  await run.approve(callId)
  const result = await run.result
  expect(filesIn(shown(model, 2).at(-1)?.content)).toEqual([
    { type: 'file', mediaType: 'image/png', name: 'chart.png', data },
  ])
  expect(only(await allEvents(run), 'said')[0]?.payload).toMatchObject({
    message: 'See this.\n[file "chart.png", image/png]',
    content: [{ type: 'text', text: 'See this.' }, kept],
    by: 'ann',
  })
  const journal = await troupe.journal(run.id)
  expect(holdsBytes(journal)).toBe(false)
  expect(JSON.stringify(journal)).toContain(ref)
  expect((await troupe.memory.messages('t')).map(({ content }) => filesIn(content))).toEqual([[], [kept], []])
  expect((await troupe.replay(run.id)).result).toEqual(result)
  await troupe.close()
})

test('a message from another process brings its files', async () => {
  const { agent, model } = waiting()
  const store = memoryStore()
  const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: Infinity })
  const other = createTroupe({ agents: [agent], store, pollInterval: 5 })
  const run = await owner.start(agent, 'Go')
  await run.whenIdle
  await other.signal(run.id, { type: 'say', message })
  await run.approve(callId)
  await run.result
  expect(filesIn(shown(model, 2).at(-1)?.content)).toHaveLength(1)
  expect(holdsBytes(await owner.journal(run.id))).toBe(false)
  await Promise.all([owner.close(), other.close()])
})

test('a message that no model has read is told with its files', async () => {
  const { agent } = waiting()
  const run = agent.stream('Go')
  await until(run, 'tool-call-approval')
  await run.say([chart])
  await run.cancel()
  expect((await run.result).unheard).toMatchObject([{ content: [kept] }])
})

test('bytes are refused where the store has no blobs, and so is a store that does not take them; the run goes on', async () => {
  const { agent } = waiting()
  const { blobs: _blobs, ...bare } = memoryStore()
  const troupe = createTroupe({ agents: [agent], store: bare })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'tool-call-approval')
  await expect(run.say(message)).rejects.toThrow(ConfigurationError)
  await run.approve(callId)
  expect((await run.result).outcome).toBe('completed')
  await troupe.close()

  const full: Store = memoryStore()
  Object.assign(full.blobs ?? {}, { put: () => Promise.reject(new Error('The disk is full.')) })
  const { agent: second } = waiting()
  const next = createTroupe({ agents: [second], store: full })
  const another = await next.start(second, 'Go')
  await until(another, 'tool-call-approval')
  await expect(another.say(message)).rejects.toThrow('The disk is full.')
  await another.cancel()
  expect((await another.result).outcome).toBe('cancelled')
  await next.close()
})

/** A store whose blobs take no file before the test lets them. */
function slowly(store: Store): { readonly store: Store; readonly put: readonly string[]; answer(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const put: string[] = []
  const blobs: BlobStorage = {
    get: async () => undefined,
    put: (given) => {
      put.push(given)
      return promise.then(() => true)
    },
  }
  return { store: { ...store, blobs }, put, answer: resolve }
}

const twoFiles = [...message, file(Uint8Array.of(9), 'image/png')]
const late = { name: 'TerminalError', code: 'HOOK_TIMEOUT' }

test('a store that does not take the files within hookTimeout refuses the message; the run goes on', async () => {
  const { agent, model } = waiting({ hookTimeout: 500 })
  const slow = slowly(memoryStore())
  const clock = new ManualClock()
  const troupe = createTroupe({ agents: [agent], store: slow.store, clock })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'tool-call-approval')
  const saying = run.say(twoFiles)
  await expect.poll(() => slow.put).toEqual([ref])
  clock.advance(499)
  await run.say('Go on.')
  clock.advance(1)
  await expect(saying).rejects.toMatchObject(late)
  slow.answer()
  await run.approve(callId)
  expect((await run.result).outcome).toBe('completed')
  expect(slow.put).toEqual([ref]) // the second file is not asked for any more
  expect(only(await allEvents(run), 'said').map(({ payload }) => payload.message)).toEqual(['Go on.'])
  expect(shown(model, 2).flatMap(({ content }) => filesIn(content))).toEqual([])
  await troupe.close()
})

test('so does one in another process than the run', async () => {
  const { agent } = waiting({ hookTimeout: 1 })
  const store = memoryStore()
  const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: Infinity })
  const other = createTroupe({ agents: [agent], store: slowly(store).store, pollInterval: 5 })
  const run = await owner.start(agent, 'Go')
  await run.whenIdle
  await expect(other.signal(run.id, { type: 'say', message })).rejects.toMatchObject(late)
  expect((await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  await run.cancel()
  await Promise.all([owner.close(), other.close()])
})

test.each([
  ['parts without words or files', [{ type: 'text', text: ' ' }]],
  ['no parts', []],
  ['a part of another kind', [{ type: 'picture' }]],
])('%s: refused', async (_, wrong) => {
  const { agent } = waiting()
  const run = agent.stream('Go')
  await until(run, 'tool-call-approval')
  await expect(run.say(wrong as never)).rejects.toThrow(ConfigurationError)
  await run.cancel()
})
