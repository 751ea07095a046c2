/** Spans that tools make themselves, without `otel()`: each is of the trace of the request that started its run. */
import { trace, type Span } from '@opentelemetry/api'
import { createAgent, createTool, createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { modelOf } from '../behaviours/contexts/desk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
const folder = temporaryFolder()
beforeEach(() => telemetry.forget())
afterAll(async () => {
  await telemetry.close()
  folder[Symbol.dispose]()
})

test.each([false, true])('a span of a tool is of the trace of its request (worker: %s)', async (worker) => {
  const tracer = trace.getTracer('app')
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => tracer.startActiveSpan('query', async (span) => span.end()),
  })
  const model = modelOf('m', [{ id: 'c1', name: 'look', args: {} }])
  const agent = createAgent({ id: 'desk', model, tools: { look } })
  const store = sqliteStore(folder.file(`${worker}.db`), { worker, synchronous: 'normal' })
  const troupe = createTroupe({ agents: [agent], store })
  const inSpan = <Value>(name: string, act: () => Promise<Value>): Promise<Value> =>
    tracer.startActiveSpan(name, async (span: Span) => {
      try {
        return await act()
      } finally {
        span.end()
      }
    })
  const starts = Array.from({ length: 12 }, (_, index) => `request ${index}`)
  await Promise.all(
    starts.map((name) =>
      inSpan(name, async () => {
        const run = await troupe.start(agent, 'Go')
        await run.whenIdle
        await inSpan('approval', async () =>
          troupe.signal(run.id, { type: 'approve', toolCallId: 'desk/call:1.1' }),
        )
        await run.result
      }),
    ),
  )
  const { spans } = telemetry
  const nameOf = (id: string | undefined): string | undefined =>
    spans.find((span) => span.spanContext().spanId === id)?.name
  const parents = spans
    .filter(({ name }) => name === 'query')
    .map((span) => nameOf(span.parentSpanContext?.spanId))
  expect(parents).toHaveLength(starts.length)
  expect(new Set(parents)).toEqual(new Set(starts))
  await troupe.close()
  await store.close()
})
