/** Behaviour 71: on Restate the inspector shows a run with a row for each entry of each journal, live, and answers it. */
import { isDeepStrictEqual } from 'node:util'
import { inspector } from 'troupe/inspector'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  RunPage,
  RunRow,
  ServiceInfo,
  StreamMessage,
  ViewDetail,
} from '../../../src/inspector/wire/routes.ts'
import type { Row } from '../../../src/inspector/wire/rows.ts'
import { Client } from '../../inspector/support/client.ts'
import { office } from '../../inspector/support/office.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

function told(messages: readonly StreamMessage[]): readonly Row[] {
  return messages.flatMap((message) => (message.type === 'rows' ? message.rows : []))
}

test('a live run is told, answered, and followed to its end; each row keeps its place', async () => {
  const agent = office()
  const troupe = await desk.troupe(agent)
  await using view = inspector(troupe)
  const client = await Client.of(view)
  const run = await troupe.start(agent, 'Pay the bill')
  const messages: StreamMessage[] = []
  const followed = (async () => {
    for await (const message of client.stream(run.id)) messages.push(message)
  })()
  const shown = () =>
    messages.findLast((message) => message.type === 'run' || message.type === 'summary')?.run
  await expect.poll(() => shown()?.awaiting).toMatchObject([{ toolName: 'pay' }])
  // The list and the page come to the same, each when it has read the journal of the subagent.
  await expect
    .poll(async () => {
      const { usage } = await client.get<RunRow>(`/runs/${run.id}`)
      return usage !== undefined && isDeepStrictEqual(usage, shown()?.usage)
    })
    .toBe(true)
  expect(await client.get<RunRow>(`/runs/${run.id}`)).toMatchObject({ awaiting: [{ toolName: 'pay' }] })
  const toolCallId = shown()?.awaiting[0]?.toolCallId
  expect((await client.post(`/runs/${run.id}/signal`, { type: 'approve', toolCallId })).status).toBe(204)
  await followed
  expect(messages.at(-1)).toEqual({ type: 'end' })
  const rows = told(messages)
  const { parts } = await troupe.journal(run.id)
  for (const { path, turns } of parts)
    expect(rows.filter(({ journal }) => journal === path).map(({ entry }) => entry)).toEqual(
      turns.flat().map((_, position) => position),
    )
  expect(rows.map(({ row }) => row)).toEqual(rows.map((_, position) => position))
  expect(rows).toHaveLength(parts.flatMap(({ turns }) => turns.flat()).length)
  const last = messages.findLast((message) => message.type === 'summary')?.run
  expect(last).toMatchObject({ status: 'settled', outcome: 'completed' })
  expect(await client.get<RunRow>(`/runs/${run.id}`)).toMatchObject({
    status: 'completed',
    outcome: 'completed',
    usage: last?.usage,
    entries: rows.length,
    updatedAt: last?.updatedAt,
  })
  expect(last?.usage?.totalTokens).toBeGreaterThan(0)
  const { items: completed } = await client.get<RunPage>('/runs?status=completed')
  expect(completed.map(({ runId }) => runId)).toEqual([run.id])

  const clerk = parts[1]?.path ?? ''
  const end = rows.findLast(({ journal }) => journal === clerk)?.row ?? -1
  const actor = await client.get<ViewDetail>(`/runs/${run.id}/view/${end}?path=${encodeURIComponent(clerk)}`)
  expect(actor).toMatchObject({ path: clerk, state: 'completed' })
  const root = await client.get<ViewDetail>(`/runs/${run.id}/view/${end}`)
  expect(root).toMatchObject({ path: 'boss', status: 'active' })

  const { items } = await client.get<RunPage>('/runs')
  expect(items).toMatchObject([{ runId: run.id, agent: 'boss' }])
  const { engine, unavailable } = await client.get<ServiceInfo>('/service')
  expect(engine).toBe('restate')
  expect(unavailable.fork).toContain('Restate')
  expect((await client.post(`/runs/${run.id}/fork`, { at: 1 })).status).toBe(409)
  expect((await client.ask(`/runs/${run.id}/recording`)).text).toContain('"parts"')
})
