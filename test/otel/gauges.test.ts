/** A troupe in numbers, as gauges of OpenTelemetry. */
import { createTool, createTroupe, memoryStore, StoreError } from 'troupe'
import { otelGauges } from 'troupe/otel'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { gauge } from '../../src/otel/names.ts'
import { calls, worker } from '../support/agents/agents.ts'
import { Telemetry } from './telemetry.ts'

const marker = 'Ludmilla'

const guarded = createTool({
  id: 'guarded',
  description: 'Needs approval.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'done',
})

test('each gauge has the numbers of stats, and no name of a run, an agent or a resource', async () => {
  const telemetry = new Telemetry()
  const { agent } = worker('asker', [calls({ name: 'guarded' })], { otherwise: 'Done.', tools: { guarded } })
  const { agent: poet } = worker('poet', [], { otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent, poet] })
  const end = otelGauges(troupe, { settled: true })
  await (
    await troupe.start(poet, 'Go', { resourceId: marker })
  ).result
  await (
    await troupe.start(agent, marker, { resourceId: marker, runId: marker })
  ).whenIdle
  const measured = await telemetry.measured()
  const pointsOf = (name: string) =>
    measured
      .find((one) => one.name === name)
      ?.points.map(({ attributes, value }) => [Object.values(attributes).join(' '), value])
  expect(pointsOf('troupe.runs')).toEqual([
    ['running', 0],
    ['suspended', 1],
    ['settled', 1],
  ])
  expect(pointsOf('troupe.questions')).toEqual([
    ['minute', 1],
    ['hour', 0],
    ['day', 0],
    ['older', 0],
  ])
  expect(pointsOf('troupe.process.leases')).toEqual([['', 1]])
  expect(pointsOf('troupe.recovery.lag')).toEqual([['', 0]])
  expect(pointsOf('troupe.store.append.duration')?.map(([statistic]) => statistic)).toEqual([
    'mean',
    'p50',
    'p95',
    'p99',
  ])
  expect(pointsOf('troupe.stats.failed')).toEqual([['', 0]])
  expect(measured.map(({ name }) => name).toSorted()).toEqual(Object.values(gauge).toSorted())
  expect(measured.find(({ name }) => name === 'troupe.recovery.lag')?.unit).toBe('s')
  expect(JSON.stringify(measured)).not.toContain(marker)
  end()
  await troupe.close()
  await telemetry.close()
})

test('a store that fails, or is silent, is counted and holds no collection; the end of the gauges ends it', async () => {
  const telemetry = new Telemetry()
  let census: () => Promise<never> = () => Promise.reject(new StoreError(marker))
  const troupe = createTroupe({
    agents: [worker('poet', []).agent],
    store: { ...memoryStore(), census: () => census() },
  })
  const end = otelGauges(troupe, { deadline: 20 })
  const collected = async () =>
    (await telemetry.measured()).map(({ name, points }) => [name, points[0]?.value])
  expect(await collected()).toEqual([['troupe.stats.failed', 1]])
  census = () => new Promise(() => undefined)
  expect(await collected()).toEqual([['troupe.stats.failed', 2]])
  end()
  expect(() => otelGauges(troupe, { meter: {} as never })).toThrow(
    'otelGauges: meter must be a meter of @opentelemetry/api',
  )
  await troupe.close()
  await telemetry.close()
})
