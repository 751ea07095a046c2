/** What the page does to runs, and the texts that it makes of them. */
import { createAgent, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { inspector, type InspectorOptions } from 'troupe/inspector'
import { describe, expect, test } from 'vitest'
import type { Comparison, Forked, RunRow, Why } from '../../../src/inspector/wire/routes.ts'
import { Client } from '../support/client.ts'
import { office } from '../support/office.ts'

async function paid() {
  const shown = await opened()
  for await (const event of shown.run.events)
    if (event.type === 'tool-call-approval') await shown.run.approve(event.payload.toolCallId)
  return shown
}

async function opened(options: InspectorOptions = {}) {
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const view = inspector(troupe, options)
  const run = await troupe.start(agent, 'Pay the bill')
  return {
    troupe,
    run,
    client: await Client.of(view),
    async [Symbol.asyncDispose]() {
      await view.stop()
      await troupe.close()
    },
  }
}

test('a fork is checked, begun with another outcome, and compared with its origin', async () => {
  await using shown = await paid()
  const { troupe, client, run } = shown
  const journal = await troupe.journal(run.id)
  const at = journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'tool') + 1
  const patch = { value: { type: 'returned', value: { paid: 0 } } }
  const trial = await client.post(`/runs/${run.id}/fork`, { at, patch, isTrial: true })
  expect([trial.status, trial.text]).toEqual([200, '{}'])
  expect((await troupe.runs()).items).toHaveLength(1)
  for (const wrong of [
    { at: 0 },
    { at: journal.length + 1 },
    { at: journal.length },
    { at, patch: { value: { type: 'odd' } } },
    { at: 1, patch },
    { at, pacth: patch },
    { at, patch: {} },
  ]) {
    const { status, text } = await client.post(`/runs/${run.id}/fork`, { ...wrong, isTrial: true })
    expect([status, text]).toEqual([400, expect.stringContaining('INVALID_REQUEST')])
  }
  const forked = await client.post(`/runs/${run.id}/fork`, { at, patch })
  const { runId = '' } = JSON.parse(forked.text) as Forked
  await (
    await troupe.resume(runId)
  ).result
  expect(await client.get<RunRow>(`/runs/${runId}`)).toMatchObject({ forkedFrom: run.id })
  const comparison = await client.get<Comparison>(`/runs/${run.id}/compare/${runId}`)
  expect(comparison).toMatchObject({
    runId: run.id,
    otherRunId: runId,
    firstDifference: at - 1,
    entry: { settlement: { value: { value: { paid: 7 } } } },
    otherEntry: { settlement: { value: { value: { paid: 0 } } } },
  })
  const same = await client.get<Comparison>(`/runs/${run.id}/compare/${run.id}`)
  expect(same).toEqual({ runId: run.id, otherRunId: run.id, rows: journal.length, otherRows: journal.length })
})

test('a run that cannot go on is ended by force, and deleted', async () => {
  const store = memoryStore()
  const agent = office()
  const first = createTroupe({ agents: [agent], store })
  const run = await first.start(agent, 'Pay the bill')
  await run.whenIdle
  await first.close()
  const other = createAgent({ id: 'other', model: scriptedModel([]) })
  const troupe = createTroupe({ agents: [other], store, onError: () => undefined })
  const view = inspector(troupe)
  const client = await Client.of(view)
  const cancel = await client.post(`/runs/${run.id}/signal`, { type: 'cancel' })
  expect([cancel.status, cancel.text]).toEqual([409, expect.stringContaining('force: true')])
  expect((await client.post(`/runs/${run.id}/end`, { force: true })).status).toBe(400)
  expect((await client.post(`/runs/${run.id}/end`, { reason: 'Gone.' })).status).toBe(204)
  expect((await troupe.runs()).items).toMatchObject([{ outcome: 'cancelled' }])
  expect((await client.ask(`/runs/${run.id}`, { method: 'DELETE' })).status).toBe(204)
  await view.stop()
  await troupe.close()
})

test('a run is cancelled and deleted', async () => {
  await using shown = await opened()
  const { client, run } = shown
  await run.whenIdle
  expect((await client.ask(`/runs/${run.id}`, { method: 'DELETE' })).status).toBe(409)
  expect((await client.post(`/runs/${run.id}/signal`, { type: 'cancel', reason: 'Enough.' })).status).toBe(
    204,
  )
  expect((await run.result).outcome).toBe('cancelled')
  expect((await client.ask(`/runs/${run.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await client.ask(`/runs/${run.id}`)).status).toBe(404)
})

test('an answer is explained, and the run told as Turtle and as a recording', async () => {
  await using shown = await paid()
  const { troupe, client, run } = shown
  const { lines } = await client.get<Why>(`/runs/${run.id}/why`)
  expect(lines.join('\n')).toContain('Pay the bill')
  const turtle = await client.ask(`/runs/${run.id}/turtle`)
  expect(turtle.headers['content-type']).toContain('text/turtle')
  expect(turtle.text).toContain('http://www.w3.org/ns/prov#')
  const recording = await client.ask(`/runs/${run.id}/recording`)
  expect(recording.headers['content-disposition']).toMatch(/^attachment; filename="run-[\w-]+\.jsonl"$/)
  const entries = recording.text.trim().split('\n')
  expect(entries.map((line): unknown => JSON.parse(line))).toEqual(
    JSON.parse(JSON.stringify(await troupe.journal(run.id))),
  )
})

test('an image is given by its reference, and nothing else', async () => {
  await using shown = await paid()
  const { troupe, client } = shown
  const ref = await troupe.blobs.put(new TextEncoder().encode('<svg onload="alert(1)"/>'))
  const image = await client.ask(`/blobs/${ref}?type=image/png`)
  expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png'])
  for (const type of ['image/svg+xml', 'text/html', ''])
    expect((await client.ask(`/blobs/${ref}?type=${encodeURIComponent(type)}`)).status).toBe(400)
  expect((await client.ask(`/blobs/${'0'.repeat(64)}?type=image/png`)).status).toBe(404)
  expect((await client.ask(`/blobs/..%2Fkey?type=image/png`)).status).toBe(400)
})

describe('who answers is on record', () => {
  const asked = { by: 'Eve', note: 'It is due.' }
  test.each<[string, InspectorOptions['by'], object]>([
    ['as the page says', undefined, { by: 'Eve', note: 'It is due.' }],
    ['as the server says, whatever the page does', 'ops', { by: 'ops', note: 'It is due.' }],
    [
      'as the server reads from the request',
      ({ headers }) => `proxy of ${headers.host}`,
      { by: /^proxy of / },
    ],
    ['as the page says where the server knows nobody', async () => undefined, { by: 'Eve' }],
  ])('%s', async (_name, by, expected) => {
    await using shown = await opened(by === undefined ? {} : { by })
    const { client, run, troupe } = shown
    await run.whenIdle
    const [question] = (await troupe.awaiting()).items
    const signal = { type: 'approve', toolCallId: question?.toolCallId, ...asked }
    expect((await client.post(`/runs/${run.id}/signal`, signal)).status).toBe(204)
    await run.result
    const answer = (await troupe.journal(run.id)).find((entry) => entry.type === 'signal.received')
    const { by: name, ...rest } = expected as { by: string | RegExp }
    expect(answer).toMatchObject({
      signal: { ...rest, by: name instanceof RegExp ? expect.stringMatching(name) : name },
    })
  })

  test.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('no proxy'))],
    ['answers with no name', () => ''],
    ['answers with something else', () => ({})],
  ])('a function that %s refuses the answer', async (_name, by) => {
    await using shown = await opened({ by: by as () => string })
    const { client, run, troupe } = shown
    await run.whenIdle
    const [question] = (await troupe.awaiting()).items
    const signal = { type: 'approve', toolCallId: question?.toolCallId, ...asked }
    const { status, text } = await client.post(`/runs/${run.id}/signal`, signal)
    expect([status, text]).toEqual([500, expect.stringContaining('INSPECTOR_FAILED')])
    expect((await troupe.awaiting()).items).toHaveLength(1)
  })
})
