/** Lists of runs and of open questions on Restate, chosen by the facts that the runs began with. */
import { createTool } from 'troupe'
import { restateTroupe, type RestateQuestionFilter, type RestateRunFilter } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const guarded = createTool({
  id: 'guarded',
  description: 'Needs approval.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'done',
})

test('they are chosen by resource, thread and conversation, and no text of another run is taken for those', async () => {
  const asker = worker('asker', [], { tools: { guarded }, otherwise: calls({ name: 'guarded' }) })
  const { agent } = lead('chosen', [], {
    agents: { asker: asker.agent },
    otherwise: calls(to('asker', 'Ask')),
  })
  const troupe = await desk.troupe(agent)
  const awkward = 'o\'hara "x" 100%_\\'
  const a = await troupe.start(agent, 'Go', { resourceId: awkward, threadId: 't', conversationId: 'talk' })
  const b = await troupe.start(agent, `"resourceId":${JSON.stringify(awkward)}`, { resourceId: 'bob' })
  const c = await troupe.start(agent, 'Go')
  const chosen: [RestateRunFilter & RestateQuestionFilter, string[]][] = [
    [{ resourceId: awkward }, [a.id]],
    [{ resourceId: 'bob' }, [b.id]],
    [{ resourceId: 'bo' }, []],
    [{ threadId: 't' }, [a.id]],
    [{ conversationId: 'talk', resourceId: awkward }, [a.id]],
    [{ conversationId: 'talk', resourceId: 'bob' }, []],
    [{}, [a.id, b.id, c.id]],
  ]
  await expect.poll(async () => (await troupe.awaiting()).items.length).toBe(3)
  for (const [filter, expected] of chosen) {
    const listed = (await troupe.runs(filter)).items.map(({ runId }) => runId).toSorted()
    const asking = (await troupe.awaiting(filter)).items.map(({ runId }) => runId).toSorted()
    const ids = expected.toSorted()
    expect({ filter, listed, asking }).toEqual({ filter, listed: ids, asking: ids })
  }
  expect((await troupe.runs({ resourceId: awkward })).items).toMatchObject([
    { resourceId: awkward, threadId: 't', conversationId: 'talk', awaiting: [{ agent: 'asker' }] },
  ])
  await a.cancel()
  await a.result
  await expect.poll(async () => (await troupe.awaiting({ resourceId: awkward })).items).toEqual([])
  expect((await troupe.runs({ resourceId: awkward })).items).toMatchObject([{ runId: a.id }])
  for (const run of [b, c]) await run.cancel()
})

test('a run is listed when its start resolves, and its questions are when it tells that it is suspended', async () => {
  const asker = worker('inner', [], { tools: { guarded }, otherwise: calls({ name: 'guarded' }) })
  const { agent } = lead('told', [], { agents: { inner: asker.agent }, otherwise: calls(to('inner', 'Ask')) })
  const troupe = await desk.troupe(agent)
  for (let nr = 0; nr < 10; nr++) {
    const run = await troupe.start(agent, 'Go', { resourceId: `ann ${nr}`, conversationId: 'c' })
    const { items } = await troupe.runs({ runId: run.id, resourceId: `ann ${nr}`, conversationId: 'c' })
    expect(items.map(({ runId }) => runId)).toEqual([run.id])
    for await (const event of nr % 2 === 0 ? troupe.watch(run.id) : run.events) {
      if (event.type !== 'suspended') continue
      const listed = (await troupe.awaiting({ runId: run.id })).items.map(({ toolCallId }) => toolCallId)
      expect(listed).toEqual(event.payload.awaiting.map(({ toolCallId }) => toolCallId))
      break
    }
    await run.cancel()
  }
})

test('without the address of lists a start waits for none, and a suspension is told as it is in the journal', async () => {
  const asker = worker('unlisted', [], { tools: { guarded }, otherwise: calls({ name: 'guarded' }) })
  const namespace = 'unlisted'
  await desk.serve({ agents: [asker.agent], namespace })
  const { ingress } = desk.server
  const client = restateTroupe({ ingress, agents: [asker.agent], namespace, pollInterval: 10 })
  const run = await client.start(asker.agent, 'Go', { resourceId: 'ann' })
  const types: string[] = []
  for await (const { type } of run.events) {
    types.push(type)
    if (type === 'suspended') break
  }
  expect(types).toContain('suspended')
  await run.cancel()
})
