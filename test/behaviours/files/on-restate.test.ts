/** Files on Restate: in blobs that the client and all workers share, and refused where there are none. */
import { join } from 'node:path'
import { ConfigurationError, createTool, type RunEvent, type Store } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chart, data, filesIn, prompt, ref } from './pictures.ts'
import { calls, lead, only, shown, worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Desk } from '../../restate/crashes/desk.ts'

let desk: Desk
const folder = temporaryFolder()
const stores: Store[] = []

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  for (const store of stores) await store.close?.()
  folder[Symbol.dispose]()
})

function open(name: string): Store {
  const store = sqliteStore(join(folder.path, `${name}.db`))
  stores.push(store)
  return store
}

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

const draw = createTool({
  id: 'draw',
  description: 'Draws.',
  inputSchema: z.object({}),
  execute: () => chart,
})

test('files of the prompt and of a tool go to the model and, by name, to a subagent; no journal holds bytes', async () => {
  const eye = worker('eye', ['It rises.'])
  const boss = lead(
    'boss',
    [
      calls({ name: 'draw' }),
      calls({ name: 'agent-eye', args: { prompt: 'Look', files: ['chart.png'] } }),
      'Done.',
    ],
    { agents: { eye: eye.agent }, tools: { draw } },
  )
  await desk.serve({ agents: [boss.agent], namespace: 'files', store: open('files') })
  const { ingress } = desk.server
  const troupe = restateTroupe({
    ingress,
    namespace: 'files',
    agents: [boss.agent],
    store: open('files'),
    pollInterval: 10,
  })
  const run = await troupe.start(boss.agent, prompt('See', chart))
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(shown(boss.model, 2).flatMap(({ content }) => filesIn(content))).toEqual([sent, sent])
  expect(shown(eye.model, 1).flatMap(({ content }) => filesIn(content))).toEqual([sent])
  const journal = JSON.stringify(await troupe.journal(run.id))
  expect(journal).toContain(ref)
  expect(journal).not.toContain(data)
  expect(await troupe.blobs.get(ref)).toBeDefined()
})

test('without shared blobs a prompt with a file is refused at the client, and a result with one fails its call', async () => {
  const { agent, model } = worker('painter', [calls({ name: 'draw' }), 'Not drawn.'], { tools: { draw } })
  const troupe = await desk.troupe(agent)
  await expect(troupe.start(agent, prompt('See', chart))).rejects.toThrow(ConfigurationError)
  const run = await troupe.start(agent, 'Draw')
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  expect(only(events, 'tool-error')[0]?.payload.error).toMatchObject({ code: 'NO_BLOB_STORAGE' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Not drawn.' })
  expect(model.calls).toHaveLength(2)
})
