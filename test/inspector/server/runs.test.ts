/** Behaviour 71: The answers of the inspector about runs: lists, rows, entries, moments, live and after their end. */
import { createTroupe, memoryStore, type Chart } from 'troupe'
import { inspector } from 'troupe/inspector'
import { expect, test } from 'vitest'
import type {
  QuestionPage,
  RowDetail,
  RunPage,
  RunRow,
  ServiceInfo,
  StreamMessage,
  ViewDetail,
} from '../../../src/inspector/wire/routes.ts'
import { counter } from '../browser/support/office.ts'
import { Client } from '../support/client.ts'
import { office } from '../support/office.ts'

async function opened(store = memoryStore()) {
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const view = inspector(troupe, { title: 'test' })
  const client = await Client.of(view)
  return {
    agent,
    troupe,
    client,
    store,
    async [Symbol.asyncDispose]() {
      await view.stop()
      await troupe.close()
    },
  }
}

test('a live run is told row by row, answered, and followed to its end', async () => {
  await using shown = await opened()
  const { troupe, client, agent } = shown
  const run = await troupe.start(agent, 'Pay the bill')
  const messages: StreamMessage[] = []
  const rows: number[] = []
  let isAnswered = false
  for await (const message of client.stream(run.id)) {
    messages.push(message)
    if (message.type === 'rows') rows.push(...message.rows.map(({ row }) => row))
    const { awaiting } = message.type === 'run' || message.type === 'summary' ? message.run : { awaiting: [] }
    if (awaiting[0] !== undefined && !isAnswered) {
      isAnswered = true
      const { toolCallId } = awaiting[0]
      const questions = await client.get<QuestionPage>('/awaiting')
      expect(questions.items).toMatchObject([{ runId: run.id, toolCallId, toolName: 'pay' }])
      const answer = await client.post(`/runs/${run.id}/signal`, { type: 'approve', toolCallId, by: 'Ada' })
      expect(answer.status).toBe(204)
    }
  }
  const journal = await troupe.journal(run.id)
  expect(rows).toEqual(journal.map((_, position) => position))
  expect(messages[0]).toMatchObject({ type: 'run', run: { runId: run.id, agent: 'boss' } })
  expect(messages.map(({ type }) => type)).toContain('live')
  expect(messages.at(-1)).toEqual({ type: 'end' })
  const last = messages.findLast((message) => message.type === 'summary')
  expect(last?.run).toMatchObject({ status: 'settled', outcome: 'completed', awaiting: [] })
  const end = journal.at(-1)
  expect(last?.run.usage).toEqual(end?.type === 'run.settled' ? end.usage : undefined)
})

test('the rows of a run that has ended say what each entry was and led to', async () => {
  await using shown = await opened()
  const { troupe, client, agent } = shown
  const run = await troupe.start(agent, 'Pay the bill')
  for await (const event of run.events)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId, { by: 'Ada' })
  const rows = await client.rows(run.id, 'end')
  const trail = await troupe.trail(run.id)
  expect(rows).toHaveLength(trail.length)
  expect(rows.map(({ transitions }) => transitions)).toEqual(
    trail.entries.map(({ transitions }) => transitions.map(({ description: _, ...rest }) => rest)),
  )
  expect(rows.map(({ actorsAdded, actorsEnded }) => ({ actorsAdded, actorsEnded }))).toEqual(
    trail.entries.map(({ actorsAdded, actorsEnded }) => ({ actorsAdded, actorsEnded })),
  )
  const lines = rows.map(({ type, kind, line }) => `${type} ${kind ?? ''} ${line}`)
  expect(lines[0]).toBe('run.started  Pay the bill')
  expect(lines).toContain('effect.settled model → agent-clerk {"prompt":"Pay 7"}')
  expect(lines).toContain('signal.received signal pay approved by Ada')
  expect(lines).toContain('effect.started tool pay started')
  expect(lines).toContain('effect.settled tool pay: {"paid":7}')
  expect(lines.at(-1)).toBe('run.settled  completed: Done.')
  expect(rows.flatMap(({ events }) => events).find(({ type }) => type === 'tool-call')).toMatchObject({
    agent: 'clerk',
    line: 'pay {"euros":7}',
  })
})

test('the first rows of a long run come before the others are replayed', async () => {
  const agent = counter(150)
  const troupe = createTroupe({ agents: [agent] })
  await using view = inspector(troupe)
  const client = await Client.of(view)
  const run = await troupe.start(agent, 'Count.')
  await run.result
  const { length } = await troupe.journal(run.id)
  const messages: StreamMessage[] = []
  for await (const message of client.stream(run.id)) messages.push(message)
  expect(messages[0]).toMatchObject({ type: 'run', run: { entries: 200, status: 'running' } })
  const isLive = messages.findIndex(({ type }) => type === 'live')
  const told = messages.slice(0, isLive).flatMap((message) => (message.type === 'rows' ? message.rows : []))
  expect(told.map(({ row }) => row)).toEqual(Array.from({ length }, (_, row) => row))
  const last = messages.findLast((message) => message.type === 'summary')
  expect(last?.run).toMatchObject({ entries: length, status: 'settled' })
  expect(await client.get<RunRow>(`/runs/${run.id}`)).toMatchObject(last?.run ?? {})
  await troupe.close()
})

test('an entry and a moment are told whole', async () => {
  await using shown = await opened()
  const { troupe, client, agent } = shown
  const run = await troupe.start(agent, 'Pay the bill')
  for await (const event of run.events)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId)
  const [journal, trail] = [await troupe.journal(run.id), await troupe.trail(run.id)]
  for (const [row, entry] of journal.entries()) {
    const detail = await client.get<RowDetail>(`/runs/${run.id}/rows/${row}`)
    expect(detail.entry).toEqual(JSON.parse(JSON.stringify(entry)))
    expect(detail.events).toHaveLength(trail.entries[row]?.events.length ?? -1)
    for (const path of [undefined, 'boss/delegation:1.1/clerk']) {
      const [actor] = trail.view(row + 1, path === undefined ? {} : { path, ended: true })
      const query = path === undefined ? '' : `?path=${encodeURIComponent(path)}`
      const { status, text } = await client.ask(`/runs/${run.id}/view/${row}${query}`)
      expect(status).toBe(actor === undefined ? 404 : 200)
      if (actor === undefined) continue
      const shown = JSON.parse(text) as ViewDetail
      expect(shown).toMatchObject({ path: actor.path, status: actor.status, state: actor.state })
      expect(shown.messages).toEqual(JSON.parse(JSON.stringify(actor.messages)))
      if (path !== undefined && row === journal.length - 1)
        expect(shown).toMatchObject({ status: 'done', state: 'completed' })
    }
  }
  expect((await client.ask(`/runs/${run.id}/rows/${journal.length}`)).status).toBe(404)
  expect((await client.ask(`/runs/${run.id}/rows/x`)).status).toBe(400)
})

test('the list has usage, and goes on page by page', async () => {
  await using shown = await opened()
  const { troupe, client, agent } = shown
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    const run = await troupe.start(agent, `Bill ${count}`)
    ids.push(run.id)
    if (count > 0) await run.cancel('enough')
    else await run.whenIdle
  }
  await Promise.all(ids.slice(1).map(async (id) => (await troupe.resume(id)).result))
  const first = await client.get<RunPage>('/runs?limit=2')
  const second = await client.get<RunPage>(`/runs?limit=2&before=${first.next}`)
  const third = await client.get<RunPage>(`/runs?limit=2&before=${second.next}`)
  const all = [...first.items, ...second.items, ...third.items]
  expect(all.map(({ runId }) => runId)).toEqual(ids.toReversed())
  expect(third.next).toBeUndefined()
  expect(all.at(-1)).toMatchObject({ entries: 3, awaiting: [{ toolName: 'pay' }] })
  for (const run of all) {
    const { usage } = await client.get<RunRow>(`/runs/${run.runId}`)
    expect(run.usage).toEqual(usage)
  }
  const settled = await client.get<RunPage>('/runs?status=settled&order=oldest')
  expect(settled.items.map(({ runId }) => runId)).toEqual(ids.slice(1))
  expect((await client.ask('/runs?status=odd')).status).toBe(400)
  expect((await client.ask('/runs?limit=-1')).status).toBe(400)
  expect((await client.ask('/runs/none')).status).toBe(404)
})

test('the service and its charts', async () => {
  await using shown = await opened()
  const { client, troupe } = shown
  expect(await client.get<ServiceInfo>('/service')).toEqual({
    engine: 'embedded',
    title: 'test',
    unavailable: {},
  })
  const { id: runId } = await troupe.start(shown.agent, 'Pay the bill')
  const charts = await client.get<readonly Chart[]>(`/runs/${runId}/charts`)
  expect(charts).toEqual(JSON.parse(JSON.stringify(troupe.charts())))
  for (const { id } of charts) {
    const { status, text } = await client.ask(`/runs/${runId}/mermaid?machine=${id}`)
    expect(status).toBe(200)
    expect(text).toMatch(/^stateDiagram-v2/)
  }
  expect((await client.ask(`/runs/${runId}/mermaid?machine=none`)).status).toBe(404)
})
