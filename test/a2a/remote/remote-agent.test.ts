/** An agent that another system serves, as an agent of ours: with our own server on the other side. */
import { createTroupe, memoryStore, type RunEvent } from 'troupe'
import { remoteAgent } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { partnerWith, standingFor } from './partner.ts'
import { guardedCashier } from './paying.ts'

test.each([true, false])(
  'a task is sent once, and its answer is that of the agent (streaming: %s)',
  async (streaming) => {
    const partner = partnerWith(worker('poet', ['Snow falls.']).agent, { streaming })
    const result = await standingFor(partner).generate('A haiku.')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Snow falls.' })
    expect(partner.count('SendMessage')).toBe(1)
    const [task] = (await partner.troupe.runs()).items
    expect(result.steps).toMatchObject([
      { text: 'Snow falls.', toolResults: [{ name: 'remote-task', value: { taskId: task?.runId } }] },
    ])
  },
)

test('half a character reaches neither the agent nor its caller', async () => {
  const bodies: string[] = []
  const partner = partnerWith(worker('poet', ['Snow \ud83d']).agent)
  const fetch: typeof partner.fetch = async (target, init) => {
    if (typeof init?.body === 'string') bodies.push(init.body)
    const response = await partner.fetch(target, init)
    bodies.push(await response.clone().text())
    return response
  }
  const { text } = await standingFor({ fetch }).generate('A haiku\ud83d')
  expect(text).toBe('Snow \ufffd')
  expect(bodies.join('')).toContain('A haiku\ufffd')
  expect(bodies.filter((body) => /\\ud83d/i.test(body))).toEqual([])
})

test('a supervisor delegates to it, and its progress is seen', async () => {
  const poet = worker('poet', ['Snow falls.']).agent
  const inner = lead('poets', [calls(to('poet', 'A haiku.')), 'Snow falls.'], { agents: { poet } })
  const partner = partnerWith(inner.agent)
  const { agent } = lead('editor', [calls(to('partner', 'A haiku.')), 'Snow falls, they say.'], {
    agents: { partner: standingFor(partner) },
  })
  const run = agent.stream('A poem.')
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  const result = await run.result
  expect(result.text).toBe('Snow falls, they say.')
  expect(result.delegations).toMatchObject([{ agent: 'partner', outcome: 'succeeded', text: 'Snow falls.' }])
  const ofTask = events.filter(
    (event) => 'toolName' in event.payload && event.payload.toolName === 'remote-task',
  )
  expect(ofTask[0]?.type).toBe('tool-call')
  expect(ofTask.at(-1)?.type).toBe('tool-result')
})

test.each([true, false])('a question of the partner is answered here: %s', async (approves) => {
  const partner = partnerWith(guardedCashier().agent)
  const agent = standingFor(partner)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay back.')
  const asked = await run.whenIdle
  if (asked.outcome !== 'suspended') throw new Error('It does not ask.')
  const [question] = asked.awaiting
  expect(question).toMatchObject({ type: 'approval', toolName: 'refund', args: { euros: 20 } })
  if (approves) await run.approve(question?.toolCallId ?? '')
  else await run.deny(question?.toolCallId ?? '', 'Too much.')
  const result = await run.whenIdle
  expect(result).toMatchObject({ outcome: 'completed' })
  expect(result.text).toContain(approves ? '20 euros are on their way' : 'Too much.')
  await troupe.close()
})

test('a question is answered in another process', async () => {
  const partner = partnerWith(guardedCashier().agent)
  const store = memoryStore()
  const agent = standingFor(partner)
  const first = createTroupe({ agents: [agent], store })
  const run = await first.start(agent, 'Pay back.')
  await run.whenIdle
  await first.close()
  const second = createTroupe({ agents: [agent], store })
  const resumed = await second.resume(run.id)
  const asked = await resumed.whenIdle
  if (asked.outcome !== 'suspended') throw new Error('It does not ask.')
  await resumed.approve(asked.awaiting[0]?.toolCallId ?? '')
  expect(await resumed.whenIdle).toMatchObject({ outcome: 'completed', text: '20 euros are on their way' })
  expect((await partner.troupe.runs()).items).toHaveLength(1)
  await second.close()
})

test('wrong options are refused', () => {
  const { fetch } = partnerWith(worker('poet', []).agent)
  expect(() => remoteAgent({ id: 'a', url: 'https://a.test', fetch })).toThrow('description is required')
  expect(() => remoteAgent({ id: 'a', description: 'A.' })).toThrow('expected either url or card')
  expect(() => remoteAgent({ id: 'a', description: 'A.', url: 'file:///a' })).toThrow('an address of the web')
  const partner = standingFor({ fetch })
  expect(() => lead('editor', [], { handoffs: [partner] })).toThrow(
    'a conversation cannot be handed to "partner", which another system serves',
  )
})
