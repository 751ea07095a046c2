/** A `tracestate` travels with its `traceparent`: on record, over resumes, restarts and nested runs, and never with another. */
import {
  ConfigurationError,
  createTool,
  createTroupe,
  memoryStore,
  type ObservedAgent,
  type ObservedEffect,
  type Observer,
  type Problem,
  type TraceContext,
  type Troupe,
} from 'troupe'
import { otel, traceContext } from 'troupe/otel'
import { sqliteStore } from 'troupe/sqlite'
import { context, trace, type TraceState } from '@opentelemetry/api'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, until, worker } from '../../support/agents/agents.ts'
import { Telemetry } from '../../otel/telemetry.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const telemetry = new Telemetry()
afterEach(() => telemetry.forget())
afterAll(async () => {
  folder[Symbol.dispose]()
  await telemetry.close()
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const other = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
const given: TraceContext = { traceparent, tracestate: 'vendor=1, other@2=x' }

const traceOf = ({ traceparent, tracestate }: ObservedEffect | ObservedAgent) => ({ traceparent, tracestate })

/** Asks for an approval twice, and begins a run within its first call. */
function asking() {
  const inner = worker('inner', ['The letter.'])
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: async (_, { start }) => (await start(inner.agent, 'Write')).text,
  })
  const turn = calls({ name: 'ask', args: {} })
  const { agent } = worker('solo', [turn, turn, 'Done.'], { tools: { ask } })
  return { agent, agents: [agent, inner.agent] }
}

function watching() {
  const seen: ObservedEffect[] = []
  const agents: ObservedAgent[] = []
  const around: Observer = {
    around: (effect, perform) => {
      seen.push(effect)
      return perform()
    },
    agent: (agent) => void agents.push(agent),
  }
  const traces = () => [...new Set([...seen, ...agents].map((one) => JSON.stringify(traceOf(one))))]
  return { around, traces }
}

const stores = {
  memory: () => memoryStore(),
  sqlite: () => sqliteStore(`${folder.path}/tracestate.db`),
} as const

test.each(['memory', 'sqlite'] as const)('over a resume, a restart and a nested run, in %s', async (name) => {
  const { agent, agents } = asking()
  const kept = stores[name]()
  const open = () => {
    const { around, traces } = watching()
    const store = name === 'memory' ? kept : stores.sqlite()
    return { troupe: createTroupe({ agents, store, around, passivateAfter: 0 }), traces }
  }
  const first = open()
  const run = await first.troupe.start(agent, 'Go', { ...given })
  await run.whenIdle
  await first.troupe.close()
  const second = open()
  const again = await second.troupe.resume(run.id)
  await again.approve('solo/call:1.1')
  await until(again, 'tool-call-approval', ({ payload }) => payload.toolCallId === 'solo/call:2.1')
  await again.whenIdle
  await second.troupe.resume(run.id, { traceparent: other })
  await second.troupe.close()
  const third = open()
  const changed = { traceparent, tracestate: 'vendor=2' }
  const last = await third.troupe.resume(run.id, changed)
  await third.troupe.resume(run.id, changed)
  await last.approve('solo/call:2.1')
  const result = await last.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const [began, resumed, ended] = [first, second, third].map(({ traces }) => traces())
  expect(began).toEqual([JSON.stringify(given)])
  expect(resumed).toEqual([JSON.stringify(given)])
  expect(ended).toEqual([JSON.stringify(changed), JSON.stringify(given)]) // the run within it has that of the start
  const journal = await third.troupe.journal(run.id)
  expect(journal[0]).toMatchObject({ type: 'run.started', ...given })
  const signals = journal.flatMap((entry) => (entry.type === 'signal.received' ? [entry.signal] : []))
  expect(signals.filter(({ type }) => type === 'trace')).toEqual([
    { type: 'trace', traceparent: other },
    { type: 'trace', ...changed },
  ])
  const nested = (await third.troupe.runs()).items.filter(({ runId }) => runId.startsWith('nested-'))
  expect(nested).toHaveLength(2)
  for (const { runId } of nested)
    expect((await third.troupe.journal(runId))[0]).toMatchObject({ type: 'run.started', ...given })
  expect((await third.troupe.replay(run.id)).result).toEqual(result)
  await third.troupe.close()
})

test('a fork has that of its origin, and a nested run that is given a traceparent has no other state', async () => {
  const inner = worker('inner', ['A.', 'B.'])
  const nest = createTool({
    id: 'nest',
    description: 'Begins a run.',
    inputSchema: z.object({}),
    execute: async (_, { start }) => (await start(inner.agent, 'Write', { traceparent: other })).text,
  })
  const { agent } = worker('solo', [calls({ name: 'nest', args: {} }), 'Done.'], {
    tools: { nest },
    otherwise: 'Again.',
  })
  const troupe = createTroupe({ agents: [agent, inner.agent] })
  const run = await troupe.start(agent, 'Go', { ...given })
  await run.result
  const [nested] = (await troupe.runs()).items.filter(({ runId }) => runId.startsWith('nested-'))
  const [started] = await troupe.journal(nested?.runId ?? '')
  expect(started).toMatchObject({ traceparent: other })
  expect(started).not.toHaveProperty('tracestate')
  const fork = await troupe.fork(run.id, { at: 2 })
  await fork.result
  expect((await troupe.journal(fork.id))[0]).toMatchObject({ type: 'run.started', ...given })
  await troupe.close()
})

test.each<[string, object, RegExp]>([
  ['without a traceparent', { tracestate: 'a=1' }, /tracestate belongs to a traceparent/],
  ['that is empty', { traceparent, tracestate: '' }, /tracestate must be a W3C tracestate/],
  ['with a key in upper case', { traceparent, tracestate: 'A=1' }, /tracestate must be a W3C tracestate/],
  ['that is a list', { traceparent, tracestate: ['a=1'] }, /tracestate must be a W3C tracestate/],
  ['of 513 characters', { traceparent, tracestate: `a=1,b=${'x'.repeat(250)},c=${'y'.repeat(254)}` }, /512/],
  ['beside a wrong traceparent', { traceparent: 'x', tracestate: 'a=1' }, /traceparent must be a W3C/],
])('a tracestate %s is refused, at the start and at a resume', async (_, options, message) => {
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  const refused = async (act: () => Promise<unknown>): Promise<void> => {
    const error: unknown = await act().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toMatch(message)
  }
  await refused(() => troupe.start(agent, 'Go', options))
  const run = await troupe.start(agent, 'Go')
  await run.result
  await refused(() => troupe.resume(run.id, options))
  await refused(() => agent.generate('Go', options))
  await troupe.close()
})

describe('an observer', () => {
  const startedBy = async (observed: unknown): Promise<[unknown, readonly string[]]> => {
    const { agent } = worker('solo', ['Done.'])
    const problems: Problem[] = []
    const around = { traceparent: () => observed } as Observer
    const troupe = createTroupe({ agents: [agent], around, onError: (problem) => problems.push(problem) })
    const run = await troupe.start(agent, 'Go')
    expect((await run.result).outcome).toBe('completed')
    const [started] = await troupe.journal(run.id)
    await troupe.close()
    const { traceparent, tracestate } = started as TraceContext
    return [
      { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) },
      problems.map((problem) => problem.message.split(',')[0] ?? ''),
    ]
  }

  test.each<[unknown, unknown, readonly string[]]>([
    [traceparent, { traceparent }, []],
    [given, given, []],
    [{ traceparent }, { traceparent }, []],
    [{ traceparent, tracestate: undefined }, { traceparent }, []],
    [{ traceparent, tracestate: 'A=1' }, { traceparent }, ['an observer gave no tracestate']],
    [{ traceparent, tracestate: 7 }, { traceparent }, ['an observer gave no tracestate']],
    [{ tracestate: 'a=1' }, {}, ['an observer gave no trace context']],
    [{ traceparent: 'x', tracestate: 'a=1' }, {}, ['an observer gave no trace context']],
    [{ traceparent, traceState: 'a=1' }, {}, ['an observer gave no trace context']],
    [null, {}, ['an observer gave no trace context']],
    [[traceparent], {}, ['an observer gave no trace context']],
  ])('that gives %j', async (observed, expected, problems) => {
    expect(await startedBy(observed)).toEqual([expected, problems])
  })
})

test('otel() takes that of the active span, and its spans and their requests have it', async () => {
  const sent: unknown[] = []
  const call = createTool({
    id: 'call',
    description: 'Calls.',
    inputSchema: z.object({}),
    execute: () => void sent.push(traceContext()),
  })
  const { agent } = worker('solo', [calls({ name: 'call', args: {} }), 'Done.'], { tools: { call } })
  const troupe: Troupe = createTroupe({ agents: [agent], around: otel() })
  const traceState: TraceState = {
    get: () => undefined,
    set: () => traceState,
    unset: () => traceState,
    serialize: () => 'vendor=1,other=2',
  }
  const caller = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: 1,
    traceState,
  }
  const run = await context.with(trace.setSpanContext(context.active(), caller), () => {
    expect(traceContext()).toEqual({ traceparent, tracestate: 'vendor=1,other=2' })
    return troupe.start(agent, 'Go')
  })
  await run.result
  expect((await troupe.journal(run.id))[0]).toMatchObject({ traceparent, tracestate: 'vendor=1,other=2' })
  expect(sent).toEqual([
    { traceparent: expect.stringContaining(caller.traceId) as unknown, tracestate: 'vendor=1,other=2' },
  ])
  expect(telemetry.spans.length).toBeGreaterThan(3)
  for (const span of telemetry.spans)
    expect(span.spanContext().traceState?.serialize()).toBe('vendor=1,other=2')
  await troupe.close()
})
