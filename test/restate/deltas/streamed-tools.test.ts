/** The arguments of calls, and the progress of tools, reach readers from the worker that streams them. */
import { createTool, type RunEvent } from 'troupe'
import {
  memoryDeltas,
  readDeltas,
  restateTroupe,
  serveDeltas,
  type DeltaSink,
  type DeltaSource,
} from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, only, to, worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** A boss asks a helper, whose tool reports twice. Neither goes on before a reader has seen what came before. */
async function readAlong(namespace: string, sink: DeltaSink, source: DeltaSource) {
  const reading = Promise.withResolvers<void>()
  const reported = Promise.withResolvers<void>()
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({ place: z.string() }),
    execute: async (_, { emit }) => {
      emit({ metres: 1 })
      emit('There is something.')
      await reported.promise
      emit({ metres: 2 })
      return 'a coin'
    },
  })
  const asks = calls({ name: 'dig', args: { place: 'under the old tree' } })
  const { agent: helper } = worker('helper', [asks, 'Found.'], { tools: { dig } })
  const delegates = { ...calls(to('helper', 'Dig for me')), until: reading.promise }
  const { agent } = lead('boss', [delegates, 'Done.'], { agents: { helper } })
  await desk.serve({ agents: [agent], namespace, deltas: sink })
  const config = { ingress: desk.server.ingress, namespace, agents: [agent], pollInterval: 10 }
  const run = await restateTroupe({ ...config, deltas: source }).start(agent, 'Go')
  const events: RunEvent[] = []
  for await (const event of run.events) {
    events.push(event)
    if (event.type === 'step-start') reading.resolve()
    if (event.type === 'tool-progress' && event.payload.value === 'There is something.') reported.resolve()
  }
  const later = await allOf((await restateTroupe(config).resume(run.id)).events)
  return { run, events, later }
}

function expectStreamed({ run, events, later }: Awaited<ReturnType<typeof readAlong>>): void {
  const texts = new Map<string, string>()
  for (const { payload, seq, runId } of only(events, 'tool-call-delta')) {
    expect([seq, runId]).toEqual([undefined, run.id])
    texts.set(payload.toolCallId, (texts.get(payload.toolCallId) ?? '') + payload.text)
  }
  const [call] = only(events, 'tool-call')
  const [delegation] = only(events, 'delegation-start')
  expect(Object.fromEntries([...texts].map(([id, text]) => [id, JSON.parse(text) as unknown]))).toEqual({
    [String(delegation?.delegationId)]: { prompt: 'Dig for me' },
    [String(call?.payload.toolCallId)]: { place: 'under the old tree' },
  })

  const progress = only(events, 'tool-progress')
  for (const { payload, agent } of progress) {
    expect([agent, payload.toolName, payload.toolCallId]).toEqual(['helper', 'dig', call?.payload.toolCallId])
  }
  const values = progress.map(({ payload }) => payload.value)
  expect(values.slice(0, 2)).toEqual([{ metres: 1 }, 'There is something.'])

  const types = events.map(({ type }) => type)
  expect(types.indexOf('tool-call-delta')).toBeLessThan(types.indexOf('delegation-start'))
  expect(types.lastIndexOf('tool-progress')).toBeLessThan(types.indexOf('tool-result'))
  const isLive = ({ type }: RunEvent): boolean => type === 'tool-call-delta' || type === 'tool-progress'
  expect(later.filter(isLive)).toEqual([])
  expect(lastingOf(events)).toEqual(lastingOf(later))
}

/** The types of the events that are in the journal, except those of messages, which a reader along had streamed. */
function lastingOf(events: readonly RunEvent[]): readonly string[] {
  const lasting = events.filter(({ type, seq }) => seq !== undefined && !type.startsWith('text-'))
  return lasting.map(({ path, type }) => `${path} ${type}`).toSorted()
}

test('within a process', async () => {
  const deltas = memoryDeltas()
  expectStreamed(await readAlong('tools-inside', deltas, deltas))
})

test('from a worker that serves them', async () => {
  const served = await serveDeltas()
  try {
    const source = readDeltas({ workers: [`http://127.0.0.1:${served.port}`] })
    expectStreamed(await readAlong('tools-served', served, source))
  } finally {
    await served.close()
  }
})

test('without a source a run has its calls and results alone', async () => {
  const { agent } = worker('solo', [calls({ name: 'dig', args: {} }), 'Done.'], {
    tools: {
      dig: createTool({
        id: 'dig',
        description: 'Digs.',
        inputSchema: z.object({}),
        execute: (_, { emit }) => {
          emit('half')
          return 'a coin'
        },
      }),
    },
  })
  const troupe = await desk.troupe(agent)
  const events = await allOf((await troupe.start(agent, 'Go')).events)
  expect(only(events, 'tool-result')).toMatchObject([{ payload: { result: 'a coin' } }])
  expect([...only(events, 'tool-call-delta'), ...only(events, 'tool-progress')]).toEqual([])
})
