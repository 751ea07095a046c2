/** Files outlive processes: in SQLite, in forks, in replays, at every crash point. */
import { describe, expect, test } from 'vitest'
import { createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { bytes, chart, data, filesIn, holdsBytes, prompt, ref } from './pictures.ts'
import { calls, lead, shown, until, worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const sent = { type: 'file', mediaType: 'image/png', name: 'chart.png', data }

const draw = createTool({
  id: 'draw',
  description: 'Draws.',
  inputSchema: z.object({}),
  execute: () => chart,
})

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
})

describe('after a restart', () => {
  test.each([false, true])(
    'the files of prompt and tool are there; a worker thread: %j',
    async (worksInThread) => {
      using folder = temporaryFolder()
      const open = (): Store => sqliteStore(folder.file('runs.db'), { worker: worksInThread })
      const first = worker('eye', [calls({ name: 'draw' }), calls({ name: 'ask' })], { tools: { draw, ask } })
      const before = createTroupe({ agents: [first.agent], store: open() })
      const run = await before.start(first.agent, prompt('See', chart))
      const { payload } = await until(run, 'tool-call-suspended')
      await before.close()

      const second = worker('eye', ['Twice the same.'], { tools: { draw, ask } })
      const store = open()
      const after = createTroupe({ agents: [second.agent], store })
      const resumed = await after.resume(run.id)
      await resumed.resume(payload.toolCallId, 'yes')
      expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Twice the same.' })
      expect(shown(second.model, 1).map(({ content }) => filesIn(content))).toEqual([
        [],
        [sent],
        [],
        [sent],
        [],
        [],
      ])
      expect(holdsBytes(await after.journal(run.id))).toBe(false)
      await after.close()
      await store.close?.()
    },
  )
})

describe('a journal with files', () => {
  async function ended() {
    const eye = worker('eye', [], { otherwise: { text: 'It rises.', files: [chart] } })
    const boss = lead(
      'boss',
      [
        calls({ name: 'draw' }),
        calls({ name: 'agent-eye', args: { prompt: 'Look', files: ['chart.png'] } }),
        'Done.',
      ],
      { agents: { eye: eye.agent }, tools: { draw }, otherwise: 'Done again.' },
    )
    const store = memoryStore()
    const troupe = createTroupe({ agents: [boss.agent], store })
    const run = await troupe.start(boss.agent, 'Go')
    const result = await run.result
    return { troupe, store, run, result, boss, eye }
  }

  test('replays to the same result, without a blob', async () => {
    const { troupe, run, result, boss } = await ended()
    const journal = await troupe.journal(run.id)
    const { blobs: _none, ...bare }: Store = memoryStore()
    const lease = { runId: run.id, owner: 'me', token: 1, expiresAt: 1 }
    await bare.append(journal.map((entry) => ({ runId: run.id, entry, lease })))
    const elsewhere = createTroupe({ agents: [boss.agent], store: bare })
    expect((await elsewhere.replay(run.id)).result).toEqual(result)
  })

  test('goes on from every entry, with no other text and no tool repeated', async () => {
    const { troupe, store, run, result } = await ended()
    const journal = await troupe.journal(run.id)
    for (let at = 1; at < journal.length; at++) {
      const eye = worker('eye', [], { otherwise: { text: 'It rises.', files: [chart] } })
      const boss = lead('boss', [], {
        agents: { eye: eye.agent },
        tools: { draw },
        otherwise: ({ messages }) => {
          const results = messages.filter(({ role }) => role === 'tool').length
          if (results === 0) return calls({ name: 'draw' })
          if (results === 1)
            return calls({ name: 'agent-eye', args: { prompt: 'Look', files: ['chart.png'] } })
          return 'Done.'
        },
      })
      const forked = await createTroupe({ agents: [boss.agent], store }).fork(run.id, { at })
      const again = await forked.result
      expect(again, `from entry ${at}`).toMatchObject({ outcome: 'completed', text: 'Done.' })
      expect(again.delegations[0]?.files).toEqual(result.delegations[0]?.files)
      for (const { request } of [...eye.model.calls, ...boss.model.calls]) {
        for (const file of request.messages.flatMap(({ content }) => filesIn(content)))
          expect(file).toEqual(sent)
      }
    }
  })

  test('names a blob only once the store has it', async () => {
    const order: string[] = []
    const store = memoryStore()
    const watched: Store = {
      ...store,
      append(appends) {
        for (const { entry } of appends) {
          if (entry !== undefined && JSON.stringify(entry).includes(ref)) order.push(entry.type)
        }
        return store.append(appends)
      },
      blobs: {
        get: async (asked) => store.blobs?.get(asked),
        async put(given, put) {
          await store.blobs?.put(given, put)
          order.push('blob')
          return true
        },
      },
    }
    const { agent } = worker('eye', [calls({ name: 'draw' }), 'Seen.'], { tools: { draw } })
    const troupe = createTroupe({ agents: [agent], store: watched })
    await (
      await troupe.start(agent, prompt('See', chart))
    ).result
    expect(order).toEqual(['blob', 'run.started', 'blob', 'effect.settled'])
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
  })

  test('a run whose file cannot be stored does not begin', async () => {
    const store = memoryStore()
    const broken: Store = {
      ...store,
      blobs: { get: async () => undefined, put: async () => Promise.reject(new Error('no room')) },
    }
    const { agent, model } = worker('eye', ['Seen.'])
    const troupe = createTroupe({ agents: [agent], store: broken })
    await expect(troupe.start(agent, prompt('See', chart))).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('no room'),
    })
    expect((await troupe.runs()).items).toEqual([])
    expect(model.calls).toHaveLength(0)
    const other = await troupe.start(agent, 'No file')
    expect(await other.result).toMatchObject({ outcome: 'completed' })
  })

  test('a store of blobs that never answers holds up its own run alone, and neither the others nor the close', async () => {
    const store = memoryStore()
    const hanging: Store = {
      ...store,
      blobs: { get: async () => undefined, put: () => new Promise<never>(() => undefined) },
    }
    const { agent, model } = worker('eye', [], { otherwise: 'Done.' })
    const troupe = createTroupe({ agents: [agent], store: hanging })
    const waiting = troupe.start(agent, prompt('See', chart))
    const other = await troupe.start(agent, 'No file')
    expect(await other.result).toMatchObject({ outcome: 'completed' })
    const [outcome] = await Promise.allSettled([waiting, troupe.close()])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TROUPE_CLOSED' } })
    expect(model.calls).toHaveLength(1)
    expect((await store.list('runs', {})).items.map(({ runId }) => runId)).toEqual([other.id])
  })
})
