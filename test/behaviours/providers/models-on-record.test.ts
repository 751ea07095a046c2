/** The model that has answered stands in the journal: an edit of the row of models does not change what is told of a run. */
import {
  createAgent,
  createRouter,
  createTool,
  createTroupe,
  memoryStore,
  TerminalError,
  type AnyAgent,
  type ChatModel,
  type JournalEntry,
  type RunEvent,
  type RunStore,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel, virtualClock, type ScriptedStep } from 'troupe/testing'
import { summarise } from 'troupe/view'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { only, worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const down = { error: new TerminalError('no such model', { code: 'MODEL_NOT_FOUND' }) }
const refusal = { text: 'I will not.', finishReason: 'refusal' } as const
const looks = { toolCalls: [{ name: 'look' }] }

const model = (modelId: string, ...steps: readonly ScriptedStep[]) => scriptedModel(steps, { modelId })

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'A long page. '.repeat(100),
})

const asks = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'seen',
})

type Team = (models: readonly ChatModel[]) => AnyAgent

const fallbackOn = ['error', 'deadline', 'refusal'] as const

const plain: Team = (row) =>
  createAgent({ id: 'agent', instructions: '', model: row, tools: { look }, fallbackOn, retries: 0 })

const names = ['x', 'y', 'z'].map((modelId) => model(modelId))

interface Told {
  readonly falls: readonly (readonly [from: string, to: string])[]
  readonly steps: readonly (string | undefined)[]
}

function told(events: readonly RunEvent[]): Told {
  return {
    falls: only(events, 'model-fallback').map(({ payload: { from, to } }) => [from, to]),
    steps: only(events, 'step-finish').map(({ payload }) => payload.model),
  }
}

/** A run with one row, and its replay in a troupe whose agent has another row. */
async function replayed(team: Team, row: readonly ChatModel[], store: RunStore = memoryStore()) {
  const before = team(row)
  const first = createTroupe({ agents: [before], store })
  const run = await first.start(before, 'Go')
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  const result = await run.result
  const entries = (await store.read(run.id)) ?? []
  await first.close()
  const replay = await createTroupe({ agents: [team(names)], store }).replay(run.id)
  expect(replay.result).toMatchObject({ outcome: result.outcome, text: result.text })
  expect(replay.result?.steps.map((step) => step.model)).toEqual(result.steps.map((step) => step.model))
  expect(told(replay.events)).toEqual(told(events))
  return { result, entries, ...told(events) }
}

function onDisk(): RunStore {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return sqliteStore(folder.file('runs.db'))
}

const stores: readonly (readonly [string, () => RunStore])[] = [
  ['in memory', memoryStore],
  ['on SQLite', onDisk],
]

describe.each(stores)(
  '%s, after an edit of the row, a replay names the models that were called',
  (_, store) => {
    test('of steps and of falls by an error', async () => {
      const row = [model('a', down, 'Done.'), model('b', looks)]
      expect(await replayed(plain, row, store())).toMatchObject({
        falls: [['scripted/a', 'scripted/b']],
        steps: ['scripted/b', 'scripted/a'],
      })
    })

    test('of falls by a refusal', async () => {
      expect(await replayed(plain, [model('a', refusal), model('b', 'Done.')], store())).toMatchObject({
        falls: [['scripted/a', 'scripted/b']],
        steps: ['scripted/b'],
      })
    })
  },
)

test('of a call that took too long', async () => {
  const late: Team = (row) =>
    createAgent({ id: 'agent', instructions: '', model: row, fallbackOn, retries: 0, modelTimeout: 20 })
  const { falls } = await replayed(late, [model('a', { hang: true }), model('b', 'Done.')])
  expect(falls).toEqual([['scripted/a', 'scripted/b']])
})

test('of decisions', async () => {
  const agents = { one: worker('one', []).agent }
  const decision = JSON.stringify({
    primitiveId: 'none',
    primitiveType: 'none',
    prompt: 'Done.',
    selectionReason: 'It is.',
  })
  const router: Team = (row) =>
    createRouter({ id: 'agent', instructions: '', model: row, agents, memory: true, fallbackOn, retries: 0 })
  const store = memoryStore()
  const row = [model('a', down), model('b', refusal), model('c', decision)]
  const before = router(row)
  const run = await createTroupe({ agents: [before], store }).start(before, 'Go', {
    threadId: 't',
    resourceId: 'r',
  })
  await run.result
  const replay = await createTroupe({ agents: [router(names)], store }).replay(run.id)
  expect(told(replay.events).falls).toEqual([
    ['scripted/a', 'scripted/b'],
    ['scripted/b', 'scripted/c'],
  ])
})

test('of summaries', async () => {
  const reader: Team = (row) =>
    createAgent({
      id: 'agent',
      instructions: '',
      model: row,
      tools: { look },
      compaction: { window: 20, at: 0.5 },
    })
  const { falls } = await replayed(reader, [model('a', looks, looks, down, 'Read.'), model('b', 'Pages.')])
  expect(falls).toEqual([['scripted/a', 'scripted/b']])
})

test('a run that goes on after the edit names each model that was really called', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const asking: Team = (row) =>
    createAgent({ id: 'agent', instructions: '', model: row, tools: { look: asks }, retries: 0 })
  const before = asking([model('a', down), model('b', looks)])
  const first = createTroupe({ agents: [before], store, clock })
  const run = await first.start(before, 'Go')
  await run.whenIdle
  await first.close()
  const after = createTroupe({ agents: [asking([model('x', down), model('y', 'Done.')])], store, clock })
  const resumed = await after.resume(run.id)
  await resumed.approve(await questionOf(resumed))
  const { steps } = await resumed.result
  expect(steps.map((step) => step.model)).toEqual(['scripted/b', 'scripted/y'])
  const entries = (await store.read(run.id)) ?? []
  const { events } = await createTroupe({ agents: [asking(names)], store }).replay(run.id)
  expect(told(events)).toEqual({
    falls: [
      ['scripted/a', 'scripted/b'],
      ['scripted/x', 'scripted/y'],
    ],
    steps: ['scripted/b', 'scripted/y'],
  })
  const { agents } = summarise(entries.map((recorded) => ({ journal: run.id, recorded, events: [] })))
  expect(agents.map((agent) => agent.model)).toEqual(['scripted/a, scripted/b, scripted/x, scripted/y'])
})

test('the reply of a model that a function of the run makes by now is priced as that model', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const made = (today: ChatModel) =>
    createAgent({ id: 'agent', instructions: '', model: () => today, tools: { look: asks } })
  const prices = { 'scripted/a': { input: 100, output: 100 }, 'scripted/b': { input: 1, output: 1 } }
  const before = made(model('a', looks))
  const first = createTroupe({ agents: [before], store, clock })
  const run = await first.start(before, 'Go', { budget: { prices } })
  await run.whenIdle
  await first.close()
  const after = createTroupe({ agents: [made(model('b', 'Done.'))], store, clock })
  const resumed = await after.resume(run.id)
  await resumed.approve(await questionOf(resumed))
  expect((await resumed.result).usage.cost).toBeCloseTo((15 * 101) / 1_000_000, 12)
})

test('an agent with one model has nothing more on record', async () => {
  const { entries } = await replayed(
    () => createAgent({ id: 'agent', instructions: '', model: model('a', 'Done.') }),
    [],
  )
  expect(calledIn(entries)).toEqual([undefined])
})

test('a journal of before, without the models, replays with those of the row', async () => {
  const store = memoryStore()
  const before = plain([model('a', down), model('b', 'Done.')])
  const troupe = createTroupe({ agents: [before], store })
  const run = await troupe.start(before, 'Go')
  const result = await run.result
  const entries = (await store.read(run.id)) ?? []
  expect(calledIn(entries)).toEqual([{ model: 'scripted/a', next: 'scripted/b' }, { model: 'scripted/b' }])
  const old = entries.map(withoutCalled)
  expect(calledIn(old)).toEqual([undefined, undefined])
  const stored = memoryStore()
  const lease = { runId: run.id, owner: 'old', token: 1, expiresAt: 1 }
  await stored.append(old.map((entry) => ({ runId: run.id, entry, lease })))
  const replay = await createTroupe({ agents: [before], store: stored }).replay(run.id)
  expect(replay.result).toMatchObject({ text: result.text, steps: [{ model: 'scripted/b' }] })
  expect(told(replay.events).falls).toEqual([['scripted/a', 'scripted/b']])
})

async function questionOf(run: { readonly whenIdle: Promise<unknown> }): Promise<string> {
  const idle = (await run.whenIdle) as { readonly awaiting: readonly { readonly toolCallId: string }[] }
  return idle.awaiting[0]?.toolCallId ?? ''
}

function calledIn(entries: readonly JournalEntry[]) {
  return entries.flatMap((entry) =>
    entry.type === 'effect.settled' && entry.kind === 'model'
      ? [(entry.settlement.error ?? (entry.settlement.value as { called?: object })).called]
      : [],
  )
}

function withoutCalled(entry: JournalEntry): JournalEntry {
  return JSON.parse(JSON.stringify(entry, (key, value: unknown) => (key === 'called' ? undefined : value)))
}
