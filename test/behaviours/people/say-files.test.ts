/** Messages of people with files: kept like those of a prompt, and read where they stand. */
import { ConfigurationError, createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { chart, data, filesIn, holdsBytes, ref } from '../files/pictures.ts'
import { allEvents, calls, only, shown, until, worker } from '../../support/agents/agents.ts'

const guarded = createTool({
  id: 'guarded',
  description: 'Must be allowed.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'allowed',
})

const callId = 'solo/call:1.1'
const message = [{ type: 'text' as const, text: 'See this.' }, chart]
const kept = { type: 'file', mediaType: 'image/png', name: 'chart.png', ref }

function waiting() {
  return worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded }, memory: true })
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
