/** Spans of runs on Restate: of one trace over its workflows, and each once, however often a workflow is executed again. */
import { trace } from '@opentelemetry/api'
import { createTool, type Around, type ObservedEffect } from 'troupe'
import { otel, traceContext } from 'troupe/otel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Telemetry } from '../../otel/telemetry.ts'
import { Desk } from './desk.ts'

let desk: Desk
const telemetry = new Telemetry()

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  await telemetry.close()
})

test('one trace over workflows that leave memory and are executed again', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => {
      trace.getTracer('app').startSpan('query').end()
      return 'allowed'
    },
  })
  const { agent: helper } = worker('helper', [calls({ name: 'ask', args: {} }), 'Helped.'], {
    tools: { ask },
  })
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const troupe = await desk.troupe(agent, { inactivityTimeout: 0, around: otel() })
  const run = await trace.getTracer('app').startActiveSpan('request', (span) => {
    return troupe.start(agent, 'Go', { ...traceContext() }).finally(() => span.end())
  })
  await run.whenIdle
  await run.approve('boss/delegation:1.1/helper/call:1.1')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await expect
    .poll(() => telemetry.spans.filter(({ name }) => name.startsWith('invoke_agent boss')).length)
    .toBeGreaterThan(0)
  const { spans } = telemetry
  const [request] = spans
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(
    new Set([request?.spanContext().traceId]),
  )
  const effects = spans.filter(({ name }) => !name.startsWith('invoke_agent'))
  expect(effects.map(({ name }) => name).toSorted()).toEqual([
    'chat boss',
    'chat boss',
    'chat helper',
    'chat helper',
    'execute_tool ask',
    'query',
    'request',
  ])
  const nameOf = (id: string | undefined): string | undefined =>
    spans.find((span) => span.spanContext().spanId === id)?.name
  const parents = new Set(
    spans.map(({ name, parentSpanContext }) => `${name} in ${nameOf(parentSpanContext?.spanId)}`),
  )
  expect([...parents].toSorted()).toEqual([
    'chat boss in invoke_agent boss',
    'chat helper in invoke_agent helper',
    'execute_tool ask in invoke_agent helper',
    'invoke_agent boss in request',
    'invoke_agent helper in invoke_agent boss',
    'query in execute_tool ask',
    'request in undefined',
  ])
})

test('subagents of subagents are below the agents that asked them, and stay there in later executions', async () => {
  telemetry.forget()
  const { agent: clerk } = worker('clerk', ['Filed.'])
  const { agent: officer } = lead('officer', [calls(to('clerk', 'File'), to('clerk', 'File')), 'Signed.'], {
    agents: { clerk },
  })
  const { agent } = lead('mayor', [calls(to('officer', 'Sign')), 'Opened.'], { agents: { officer } })
  const troupe = await desk.troupe(agent, { inactivityTimeout: 0, around: otel() })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const run = await troupe.start(agent, 'Open', { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Opened.' })
  await expect.poll(() => telemetry.spans.filter(({ name }) => name === 'invoke_agent clerk').length).toBe(2)
  const { spans } = telemetry
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]))
  const parentOf = ({ parentSpanContext }: (typeof spans)[number]): unknown =>
    spans.find((span) => span.spanContext().spanId === parentSpanContext?.spanId)?.attributes[
      'troupe.path'
    ] ?? parentSpanContext?.spanId
  const agents = spans.filter(({ name }) => name.startsWith('invoke_agent'))
  expect(
    new Set(agents.map((span) => JSON.stringify([span.attributes['troupe.path'], parentOf(span)]))),
  ).toEqual(
    new Set(
      [
        ['mayor', 'b7ad6b7169203331'],
        ['mayor/delegation:1.1/officer', 'mayor'],
        ['mayor/delegation:1.1/officer/delegation:1.1/clerk', 'mayor/delegation:1.1/officer'],
        ['mayor/delegation:1.1/officer/delegation:1.2/clerk', 'mayor/delegation:1.1/officer'],
      ].map((pair) => JSON.stringify(pair)),
    ),
  )
})

test('the tracestate reaches all workflows of a run', async () => {
  telemetry.forget()
  const sent: unknown[] = []
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => void sent.push(traceContext()?.tracestate),
  })
  const turn = calls({ name: 'ask', args: {} })
  const { agent: helper } = worker('aide', [turn, 'Helped.'], { tools: { ask } })
  const { agent } = lead('dean', [calls(to('aide', 'Help')), turn, 'Done.'], {
    agents: { aide: helper },
    tools: { ask },
  })
  const seen: ObservedEffect[] = []
  const observer: Around = (effect, perform) => {
    seen.push(effect)
    return perform()
  }
  const troupe = await desk.troupe(agent, { inactivityTimeout: 0, around: [observer, otel()] })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const state = 'vendor=1,other@2@3=x'
  const later = 'vendor=2'
  const run = await troupe.start(agent, 'Go', { traceparent, tracestate: state })
  await run.whenIdle
  await run.approve('dean/delegation:1.1/aide/call:1.1')
  for await (const event of run.events)
    if (event.type === 'tool-call-approval' && event.payload.toolCallId === 'dean/call:2.1') break
  await expect(troupe.resume(run.id, { tracestate: later })).rejects.toThrow(/tracestate belongs/)
  await troupe.resume(run.id, { traceparent, tracestate: later })
  await run.approve('dean/call:2.1')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(sent).toEqual([state, later])
  const { parts } = await troupe.journal(run.id)
  const [dean, aide] = parts.map(({ turns }) => turns.flat())
  for (const part of [dean, aide])
    expect(part?.[0]).toMatchObject({ type: 'run.started', traceparent, tracestate: state })
  expect(dean).toContainEqual(
    expect.objectContaining({ signal: { type: 'trace', traceparent, tracestate: later } }),
  )
  const statesAt = (path: string) => [
    ...new Set(seen.filter((effect) => effect.path.startsWith(path)).map(({ tracestate }) => tracestate)),
  ]
  expect(statesAt('dean/delegation')).toEqual([state])
  expect(statesAt('dean')).toEqual([state, later])
  await expect
    .poll(() => telemetry.spans.filter(({ name }) => name.startsWith('invoke_agent aide')).length)
    .toBeGreaterThan(0)
  const states = telemetry.spans.map((span) => span.spanContext().traceState?.serialize())
  expect(new Set(states)).toEqual(new Set([state, later]))
})
