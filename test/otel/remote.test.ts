/** Spans of agents that other systems serve, and what spans hold of words and failures. */
import { context, SpanKind, trace } from '@opentelemetry/api'
import { createTool, createTroupe, memoryStore } from 'troupe'
import { otel, traceparent } from 'troupe/otel'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { guardedCashier } from '../a2a/remote/paying.ts'
import { partnerWith, standingFor } from '../a2a/remote/partner.ts'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
beforeEach(() => telemetry.forget())
afterAll(() => telemetry.close())

test('an agent of another system is a client span, active in its requests, and written once', async () => {
  const active: (string | undefined)[] = []
  const partner = partnerWith(guardedCashier().agent, {
    around: (_, answer) => {
      active.push(traceparent())
      return context.with(trace.deleteSpan(context.active()), answer)
    },
  })
  const { agent } = lead('boss', [calls(to('partner', 'Pay back.')), 'Done.'], {
    agents: { partner: standingFor(partner) },
  })
  const store = memoryStore()
  const before = createTroupe({ agents: [agent], store, around: otel() })
  const run = await before.start(agent, 'Go')
  await run.whenIdle
  await before.close()
  const after = createTroupe({ agents: [agent], store, around: otel() })
  const resumed = await after.resume(run.id)
  await resumed.approve('boss/delegation:1.1/partner/question:1')
  expect(await resumed.result).toMatchObject({ outcome: 'completed' })
  expect(telemetry.tree()).toEqual([
    'start_run boss',
    '  invoke_agent boss',
    '    chat boss',
    '    invoke_agent partner',
    '  invoke_agent boss',
    '    invoke_agent partner',
    '    chat boss',
  ])
  const spans = telemetry.spans.filter(({ name }) => name === 'invoke_agent partner')
  expect(spans.map(({ kind, attributes }) => [kind, attributes['troupe.outcome']])).toEqual([
    [SpanKind.CLIENT, 'suspended'],
    [SpanKind.CLIENT, 'succeeded'],
  ])
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  expect(new Set(active.map((given) => given?.split('-')[2]))).toEqual(ids)
  const written = telemetry.spans.length
  await after.replay(run.id)
  expect(telemetry.spans).toHaveLength(written)
  await after.close()
})

test('no words are written unless they are asked for: not of tasks, calls, results or answers', async () => {
  const secret = 'the moon is blue'
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({ about: z.string() }),
    execute: ({ about }, { suspend, resumeData }) => (resumeData === undefined ? suspend(about) : about),
  })
  const partner = partnerWith(worker('poet', [secret]).agent)
  const { agent: clerk } = worker('clerk', [calls({ name: 'act', args: { about: secret } }), secret], {
    tools: { act },
  })
  const { agent } = lead('boss', [calls(to('clerk', secret), to('partner', secret)), secret], {
    agents: { clerk, partner: standingFor(partner) },
  })
  const troupe = createTroupe({ agents: [agent], around: otel() })
  const run = await troupe.start(agent, secret)
  await run.whenIdle
  await run.resume('boss/delegation:1.1/clerk/call:1.1', secret, { note: secret })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: secret })
  const written = telemetry.spans.map(({ name, attributes, status, events, links }) =>
    JSON.stringify([name, attributes, status, events, links.map((link) => link.attributes)]),
  )
  expect(written.length).toBeGreaterThan(8)
  expect(written.filter((text) => text.includes(secret))).toEqual([])
  expect(JSON.stringify(await telemetry.measured())).not.toContain(secret)
  await troupe.close()
})

test('an agent whose system fails has the error of its span, and of its metrics', async () => {
  const partner = partnerWith(worker('poet', []).agent)
  const { agent } = lead('boss', [calls(to('partner', 'Go.')), 'They failed.'], {
    agents: { partner: standingFor(partner) },
  })
  const troupe = createTroupe({ agents: [agent], around: otel(), onError: () => undefined })
  expect(await (await troupe.start(agent, 'Go')).result).toMatchObject({ outcome: 'completed' })
  const span = telemetry.spans.find(({ name }) => name === 'invoke_agent partner')
  expect(span?.attributes).toMatchObject({ 'error.type': 'REMOTE_FAILED', 'troupe.outcome': 'failed' })
  expect(span?.events).toEqual([])
  const durations = (await telemetry.measured()).find(({ name }) => name === 'gen_ai.invoke_agent.duration')
  expect(durations?.points.map(({ attributes }) => attributes['error.type'])).toContain('REMOTE_FAILED')
  await troupe.close()
})
