import {
  createSupervisor,
  createTool,
  createTroupe,
  type DelegationCompleteContext,
  type Run,
  type RunEvent,
} from 'troupe'
import { recordRun, replayRecording, scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks up.',
  inputSchema: z.object({ word: z.string() }),
  execute: ({ word }) => ({ word, found: true }),
})
const look = (word: string) => calls({ name: 'lookup', args: { word } })
const found = (word: string) => ({ name: 'lookup', outcome: 'succeeded', value: { word, found: true } })

async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  return events
}

function team(onDelegationComplete?: (context: DelegationCompleteContext) => { feedback: string }) {
  const finder = worker('finder', [look('tea'), look('cup'), 'Found.'], { tools: { lookup }, memory: true })
  return lead('boss', [calls(to('finder', 'Find.')), 'Done.'], {
    agents: { finder: finder.agent },
    ...(onDelegationComplete === undefined ? {} : { delegation: { onDelegationComplete } }),
  })
}

test('the work of a subagent is in the delegation, and in the result of its call', async () => {
  const { agent } = team()
  const result = await agent.generate('Go')
  const [delegation] = result.delegations
  const work = { toolResults: [found('tea'), found('cup')], threadId: expect.stringContaining('/finder/') }
  expect(delegation).toMatchObject({ outcome: 'succeeded', text: 'Found.', ...work })
  expect(delegation).not.toHaveProperty('reason')
  expect(result.steps[0]?.toolResults).toMatchObject([
    { name: 'agent-finder', outcome: 'succeeded', value: 'Found.', ...work },
  ])
  expect(result.steps[0]?.toolResults[0]?.threadId).toBe(delegation?.threadId)
})

test('the thread is the one that the store keeps', async () => {
  const { agent } = team()
  const troupe = createTroupe({ agents: [agent] })
  const { delegations } = await (await troupe.start(agent, 'Go')).result
  const messages = await troupe.memory.messages(delegations[0]?.threadId ?? '')
  expect(messages.map(({ content }) => content)).toEqual(['Find.', 'Found.'])
})

test('a delegation within a delegation has its own results, nested', async () => {
  const finder = worker('finder', [look('tea'), 'Found.'], { tools: { lookup } })
  const middle = lead('middle', [calls(to('finder', 'Find.')), 'Asked.'], {
    agents: { finder: finder.agent },
  })
  const { agent } = lead('boss', [calls(to('middle', 'Ask.')), 'Done.'], { agents: { middle: middle.agent } })
  const result = await agent.generate('Go')
  const nested = [{ name: 'agent-finder', value: 'Found.', toolResults: [found('tea')] }]
  expect(result.delegations).toMatchObject([{ agent: 'middle', toolResults: nested }])
  expect(result.steps[0]?.toolResults).toMatchObject([{ name: 'agent-middle', toolResults: nested }])
})

test('the reason is why the subagent ended, or why it was rejected', async () => {
  const finder = worker('finder', [look('tea'), 'Last words.'], { tools: { lookup }, maxSteps: 1 })
  const { agent } = lead('boss', [calls(to('finder', 'Find.'), to('finder', 'No.')), 'Done.'], {
    agents: { finder: finder.agent },
    delegation: {
      onDelegationStart: ({ prompt }) =>
        prompt === 'No.' ? { proceed: false, rejectionReason: 'not that' } : undefined,
    },
  })
  const result = await agent.generate('Go')
  const ends = [
    { outcome: 'exhausted', reason: 'maxSteps', toolResults: [found('tea')] },
    { outcome: 'rejected', reason: 'not that' },
  ]
  expect(result.delegations.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject(ends)
  expect(result.steps[0]?.toolResults).toMatchObject(ends)
  const rejected = result.delegations.find(({ outcome }) => outcome === 'rejected')
  expect(rejected).toMatchObject({ toolResults: [] })
  expect(rejected).not.toHaveProperty('threadId')
})

test('onDelegationComplete sees the work, and its feedback is an event', async () => {
  const seen: DelegationCompleteContext[] = []
  const { agent, model } = team((context) => {
    seen.push(context)
    return { feedback: 'Shorter.' }
  })
  const run = agent.stream('Go')
  const events = await eventsOf(run)
  const result = await run.result
  expect(seen.map((context) => context.result)).toEqual([
    {
      text: 'Found.',
      toolResults: result.delegations[0]?.toolResults,
      subAgentThreadId: result.delegations[0]?.threadId,
    },
  ])
  const about = events.filter(({ type }) => type === 'delegation-feedback' || type === 'delegation-end')
  expect(about).toMatchObject([
    {
      type: 'delegation-feedback',
      path: 'boss/delegation:1.1',
      agent: 'boss',
      payload: { agentName: 'finder', agentId: 'finder', message: 'Shorter.' },
    },
    { type: 'delegation-end' },
  ])
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({ content: 'Shorter.', internal: 'feedback' })
})

test('a hook without feedback, or with an empty one, leads to no event', async () => {
  const { agent } = team(() => ({ feedback: '' }))
  const events = await eventsOf(agent.stream('Go'))
  expect(events.filter(({ type }) => type === 'delegation-feedback')).toEqual([])
})

test('a replay gives the same result', async () => {
  const { agent } = team(() => ({ feedback: 'Shorter.' }))
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  expect((await troupe.replay(run.id)).result).toEqual(result)
  const report = await replayRecording(recordRun(await troupe.journal(run.id)), { agents: [agent] })
  expect(report).toMatchObject({ ok: true })
})

test('the thread that a run begins with is in its result, its first event and in runs()', async () => {
  const model = scriptedModel([], { otherwise: 'Hello.' })
  const recalls = createSupervisor({ id: 'recalls', instructions: '', model, memory: true })
  const forgets = createSupervisor({ id: 'forgets', instructions: '', model })
  const troupe = createTroupe({ agents: [recalls, forgets] })
  const named = await troupe.start(recalls, 'Go', { threadId: 'mine', resourceId: 'ada' })
  const fresh = await troupe.start(recalls, 'Go')
  const none = await troupe.start(forgets, 'Go')
  const threads = await Promise.all([named, fresh, none].map(async (run) => (await run.result).threadId))
  expect(threads).toEqual(['mine', `${fresh.id}/recalls`, undefined])
  expect(await troupe.memory.messages(`${fresh.id}/recalls`)).toHaveLength(2)
  const firsts = await Promise.all([named, fresh, none].map(async (run) => (await eventsOf(run))[0]))
  expect(firsts.map((event) => event?.type === 'run-start' && event.payload.threadId)).toEqual(threads)
  const runs = (await troupe.runs()).items
  expect(runs.map(({ threadId }) => threadId)).toEqual(threads)
  const fork = await troupe.fork(fresh.id, { at: 1 })
  expect((await fork.result).threadId).toBe(`fork:${fork.id}/${fresh.id}/recalls`)
  expect((await troupe.runs()).items.at(-1)?.threadId).toBe(`fork:${fork.id}/${fresh.id}/recalls`)
})
