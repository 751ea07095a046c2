/** Spans and metrics of runs in this process. */
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { createTool, createTroupe, memoryStore, RetryableError, TerminalError } from 'troupe'
import { otel, traceparent } from 'troupe/otel'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { planner } from '../support/agents/planner.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
beforeEach(() => telemetry.forget())
afterAll(() => telemetry.close())

const inputSchema = z.object({ city: z.string() })

/** Looks into its own span. */
const weather = createTool({
  id: 'weather',
  description: 'The weather of a city',
  inputSchema,
  execute: async ({ city }) => {
    await Promise.resolve()
    trace.getTracer('app').startSpan('query').end()
    return `Rain in ${city}.`
  },
})

const paint = createTool({
  id: 'paint',
  description: 'Paints a city',
  inputSchema,
  requireApproval: true,
  execute: () => 'Painted.',
})

const oslo = (name: string) => calls({ name, args: { city: 'Oslo' } })

function company() {
  const { agent: painter } = worker('painter', [oslo('weather'), oslo('paint'), 'Painted.'], {
    tools: { weather, paint },
  })
  return lead('boss', [calls(to('painter', 'Paint Oslo')), 'Done.'], { agents: { painter } }).agent
}

const question = 'boss/delegation:1.1/painter/call:2.1'

describe('a run', () => {
  test('has a span for each agent, model call and tool, which is active in the tool; a replay has none', async () => {
    const agent = company()
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store, around: otel(), passivateAfter: 0 })
    const run = await trace
      .getTracer('app')
      .startActiveSpan('request', (span) =>
        troupe.start(agent, 'Go', { conversationId: 'c' }).finally(() => span.end()),
      )
    await run.whenIdle
    await run.approve(question)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(telemetry.tree()).toEqual([
      'request',
      '  invoke_agent boss',
      '    chat boss',
      '    invoke_agent painter',
      '      chat painter',
      '      execute_tool weather',
      '        query',
      '      chat painter',
      '  invoke_agent boss',
      '    invoke_agent painter',
      '      execute_tool paint',
      '      chat painter',
      '    chat boss',
    ])
    const agents = telemetry.spans.filter(({ name }) => name.startsWith('invoke_agent'))
    expect(agents.map(({ attributes }) => attributes['troupe.outcome'])).toEqual([
      'suspended',
      'suspended',
      'completed',
      'succeeded',
    ])
    const [boss, painter, bossAgain, painterAgain] = agents
    expect(bossAgain?.links.map((link) => link.context)).toEqual([boss?.spanContext()])
    expect(painterAgain?.links.map((link) => link.context)).toEqual([painter?.spanContext()])
    expect(boss).toMatchObject({
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'boss',
        'gen_ai.agent.description': 'Leads boss.',
        'gen_ai.conversation.id': 'c',
        'troupe.run.id': run.id,
      },
    })
    expect(telemetry.spans.find(({ name }) => name === 'chat painter')).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.request.model': 'painter',
        'gen_ai.agent.name': 'painter',
        'gen_ai.response.finish_reasons': ['tool_call'],
        'gen_ai.usage.input_tokens': expect.any(Number) as number,
      },
    })
    expect(telemetry.spans.find(({ name }) => name === 'execute_tool weather')?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': 'painter',
      'gen_ai.conversation.id': 'c',
      'gen_ai.tool.name': 'weather',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'boss/delegation:1.1/painter/call:1.1',
      'troupe.run.id': run.id,
      'troupe.path': 'boss/delegation:1.1/painter/call:1.1',
    })
    expect(JSON.stringify(telemetry.spans.map(({ attributes }) => attributes))).not.toContain('Oslo')
    const before = telemetry.spans.length
    await troupe.replay(run.id)
    expect(telemetry.spans).toHaveLength(before)
    await troupe.close()
  })

  test('is of one trace over a restart, and no span is written twice', async () => {
    using folder = temporaryFolder()
    const file = folder.file('runs.db')
    const agent = company()
    const first = sqliteStore(file)
    const before = createTroupe({ agents: [agent], store: first, around: otel() })
    const run = await before.start(agent, 'Go')
    await run.whenIdle
    await before.close()
    await first.close()
    const again = company()
    const second = sqliteStore(file)
    const after = createTroupe({ agents: [again], store: second, around: otel() })
    const resumed = await after.resume(run.id)
    await resumed.cancel('enough')
    expect(await resumed.result).toMatchObject({ outcome: 'cancelled' })
    expect(telemetry.tree()).toEqual([
      'start_run boss',
      '  invoke_agent boss',
      '    chat boss',
      '    invoke_agent painter',
      '      chat painter',
      '      execute_tool weather',
      '        query',
      '      chat painter',
    ])
    expect(new Set(telemetry.spans.map((span) => span.spanContext().traceId)).size).toBe(1)
    await after.close()
    await second.close()
  })
})

test('a process that goes on with a run in the midst of a tool writes its own spans alone, below the right parents', async () => {
  using folder = temporaryFolder()
  const hangs = Promise.withResolvers<void>()
  let times = 0
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema,
    execute: (_input, { signal }) => {
      if (++times > 1) return 'Dug.'
      hangs.resolve()
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    },
  })
  const { agent: digger } = worker('digger', [oslo('weather'), oslo('dig'), 'Dug.'], {
    tools: { weather, dig },
  })
  const { agent } = lead('boss', [calls(to('digger', 'Dig')), 'Done.'], { agents: { digger } })
  const process = (name: string) => {
    const store = sqliteStore(folder.file('runs.db'))
    const around = otel({ tracer: trace.getTracer(name) })
    return { store, troupe: createTroupe({ agents: [agent], store, around }) }
  }
  const first = process('first')
  const run = await first.troupe.start(agent, 'Go')
  await hangs.promise
  await first.troupe.close()
  await first.store.close()
  const second = process('second')
  const resumed = await second.troupe.resume(run.id)
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const tree = [
    'start_run boss',
    '  invoke_agent boss',
    '    chat boss',
    '    invoke_agent digger',
    '      chat digger',
    '      execute_tool weather',
    '        query',
    '      chat digger',
    '      execute_tool dig',
    '  invoke_agent boss',
    '    invoke_agent digger',
    '      execute_tool dig',
    '      chat digger',
    '    chat boss',
  ]
  expect(telemetry.tree()).toEqual(tree)
  expect(
    telemetry.spans
      .filter(({ instrumentationScope }) => instrumentationScope.name === 'second')
      .map(({ name }) => name),
  ).toEqual(tree.slice(9).map((line) => line.trim()))
  const outcomes = telemetry.spans.flatMap(({ attributes }) => attributes['troupe.outcome'] ?? [])
  expect(outcomes).toEqual(['left', 'left', 'completed', 'succeeded'])
  await second.troupe.close()
  await second.store.close()
})

test('goes on in its trace where another process answers', async () => {
  const store = memoryStore()
  const agent = worker('solo', [oslo('paint'), 'Done.'], { tools: { paint } }).agent
  const before = createTroupe({ agents: [agent], store, around: otel() })
  const run = await before.start(agent, 'Go')
  await run.whenIdle
  await before.close()
  const after = createTroupe({ agents: [agent], store, around: otel() })
  const resumed = await after.resume(run.id)
  await resumed.approve('solo/call:1.1')
  await resumed.result
  expect(telemetry.tree()).toEqual([
    'start_run solo',
    '  invoke_agent solo',
    '    chat solo',
    '  invoke_agent solo',
    '    execute_tool paint',
    '    chat solo',
  ])
  await after.close()
})

test('errors have their type, repeated attempts their number', async () => {
  let times = 0
  const flaky = createTool({
    id: 'flaky',
    description: 'Fails.',
    inputSchema,
    execute: () => {
      times++
      throw times === 1 ? new RetryableError('later', { code: 'BUSY' }) : new Error('broken')
    },
  })
  const { agent } = worker(
    'solo',
    [oslo('flaky'), { error: new TerminalError('no answer', { code: 'NO_ANSWER' }) }],
    { tools: { flaky } },
  )
  const troupe = createTroupe({ agents: [agent], around: otel(), onError: () => undefined })
  const result = await (await troupe.start(agent, 'Go')).result
  expect(result.outcome).toBe('failed')
  const failures = telemetry.spans.flatMap(({ name, status, attributes }) =>
    status.code === SpanStatusCode.ERROR
      ? [[name, attributes['error.type'], attributes['troupe.attempt'], status.message]]
      : [],
  )
  expect(failures).toEqual([
    ['invoke_agent solo', 'NO_ANSWER', undefined, 'no answer'],
    ['execute_tool flaky', 'BUSY', undefined, 'later'],
    ['execute_tool flaky', 'TOOL_FAILED', 2, 'broken'],
    ['chat solo', 'NO_ANSWER', undefined, 'no answer'],
  ])
  await troupe.close()
})

test('content is written where it is asked for', async () => {
  const { agent } = worker('solo', [oslo('weather'), 'It rains.'], { tools: { weather } })
  const troupe = createTroupe({ agents: [agent], around: otel({ content: true }) })
  await (
    await troupe.start(agent, 'How is Oslo?')
  ).result
  const [, solo, first, tool, , second] = telemetry.spans.map(({ attributes }) => attributes)
  expect(solo).toMatchObject({
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"How is Oslo?"}]}]',
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"It rains."}],"finish_reason":"stop"}]',
  })
  const call = {
    type: 'tool_call',
    id: expect.any(String) as string,
    name: 'weather',
    arguments: { city: 'Oslo' },
  }
  expect(JSON.parse(String(first?.['gen_ai.system_instructions']))).toEqual([
    { type: 'text', content: 'I am solo.' },
  ])
  expect(JSON.parse(String(first?.['gen_ai.output.messages']))).toEqual([
    { role: 'assistant', parts: [call], finish_reason: expect.any(String) },
  ])
  expect(tool).toMatchObject({
    'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
    'gen_ai.tool.call.result': '"Rain in Oslo."',
  })
  expect(JSON.parse(String(second?.['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'How is Oslo?' }] },
    { role: 'assistant', parts: [call] },
    {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: call.id, response: expect.any(String) as string }],
    },
  ])
  await troupe.close()
})

test('a call that makes a plan is within a span of its own', async () => {
  const { agent } = planner(
    { plans: [{ steps: [{ id: 'look', description: 'Look.', tool: 'weather', args: { city: 'Oslo' } }] }] },
    { tools: { weather } },
  )
  const troupe = createTroupe({ agents: [agent], around: otel(), onError: () => undefined })
  await (
    await troupe.start(agent, 'Go')
  ).result
  expect(telemetry.tree().slice(0, 4)).toEqual([
    'start_run planner',
    '  invoke_agent planner',
    '    plan planner',
    '      chat planner',
  ])
  await troupe.close()
})

test('metrics have the durations, calls and tokens of agents, models and tools', async () => {
  const { agent } = worker(
    'measured',
    [oslo('weather'), { error: new TerminalError('no answer', { code: 'NO_ANSWER' }) }],
    { tools: { weather } },
  )
  const troupe = createTroupe({ agents: [agent], around: otel(), onError: () => undefined })
  const { usage } = await (await troupe.start(agent, 'Go')).result
  expect(usage.inputTokens).toBeGreaterThan(0)
  const measured = await telemetry.measured()
  const kept = measured.map(({ name, unit, points }) => [
    name,
    [
      unit,
      ...points
        .filter(
          ({ attributes }) =>
            attributes['gen_ai.agent.name'] === 'measured' ||
            attributes['gen_ai.request.model'] === 'measured',
        )
        .map(({ value, attributes }) => [
          typeof value === 'number' ? value : [value.count, value.sum],
          attributes['error.type'],
        ]),
    ],
  ])
  const seconds = expect.any(Number) as number
  const { inputTokens, outputTokens } = usage
  expect(Object.fromEntries(kept)).toEqual({
    'gen_ai.client.inference.duration': ['s', [[1, seconds], undefined], [[1, seconds], 'NO_ANSWER']],
    'gen_ai.client.inference.time_to_first_chunk': ['s', [[1, seconds], undefined]],
    'gen_ai.client.inference.usage.input_tokens': ['{token}', [inputTokens, undefined]],
    'gen_ai.client.inference.usage.output_tokens': ['{token}', [outputTokens, undefined]],
    'gen_ai.client.inference.usage.cache_read.input_tokens': ['{token}', [0, undefined]],
    'gen_ai.client.inference.usage.cache_write.input_tokens': ['{token}', [0, undefined]],
    'gen_ai.client.inference.usage.reasoning.output_tokens': ['{token}', [0, undefined]],
    'gen_ai.client.inference.operation.input_tokens': [
      '{token}',
      [[1, inputTokens], undefined],
      [[1, 0], 'NO_ANSWER'],
    ],
    'gen_ai.client.inference.operation.output_tokens': [
      '{token}',
      [[1, outputTokens], undefined],
      [[1, 0], 'NO_ANSWER'],
    ],
    'gen_ai.invoke_agent.duration': ['s', [[1, seconds], 'NO_ANSWER']],
    'gen_ai.invoke_agent.inference_calls': ['{inference_call}', [[1, 2], 'NO_ANSWER']],
    'gen_ai.invoke_agent.tool_calls': ['{tool_call}', [[1, 1], 'NO_ANSWER']],
    'gen_ai.execute_tool.duration': ['s', [[1, seconds], undefined]],
  })
  const tokens = measured.find(({ name }) => name === 'gen_ai.client.inference.usage.input_tokens')
  expect(tokens?.points.find(({ value }) => value === inputTokens)?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.request.model': 'measured',
    'gen_ai.token.modality': 'unknown',
  })
  await troupe.close()
})

test('traceparent() is that of the active span, and a run that is given one keeps it', async () => {
  expect(traceparent()).toBeUndefined()
  const span = trace.getTracer('app').startSpan('request')
  const { traceId, spanId } = span.spanContext()
  const given = context.with(trace.setSpan(context.active(), span), traceparent)
  expect(given).toBe(`00-${traceId}-${spanId}-01`)
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent], around: [otel()] })
  const other = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await (
    await troupe.start(agent, 'Go', { traceparent: other })
  ).result
  expect(telemetry.spans.map((one) => one.spanContext().traceId)).toEqual([
    '0af7651916cd43dd8448eb211c80319c',
    '0af7651916cd43dd8448eb211c80319c',
  ])
  await troupe.close()
})

test.each([
  [{ tracer: {} }, /tracer must be a tracer/],
  [{ meter: 7 }, /meter must be a meter/],
  [{ content: 'yes' }, /content must be/],
  [{ contents: true }, /content/],
])('otel(%j) is refused', (options, message) => {
  expect(() => otel(options as object)).toThrow(message)
})
