/** The arguments of calls, while the model streams them. */
import { createAgent, createSupervisor, createTool, type OutputProcessor, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, only, to, worker } from '../../support/agents/agents.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => `saw ${at}`,
})
const asks = calls({ name: 'look', args: { at: 'the wide sea' } }, { name: 'look', args: { at: 'land' } })

function argumentsOf(events: readonly RunEvent[]): Record<string, unknown> {
  const texts = new Map<string, string>()
  for (const { payload } of only(events, 'tool-call-delta')) {
    texts.set(payload.toolCallId, (texts.get(payload.toolCallId) ?? '') + payload.text)
  }
  return Object.fromEntries([...texts].map(([id, text]) => [id, JSON.parse(text) as unknown]))
}

test('they come before the call, under its id, and in no replay', async () => {
  const { agent } = worker('solo', [asks, 'Seen.'], { tools: { look } })
  const run = agent.stream('Go')
  const events = await allEvents(run)
  const made = only(events, 'tool-call').map(({ payload }) => [payload.toolCallId, payload.args])
  expect(argumentsOf(events)).toEqual(Object.fromEntries(made))
  expect(Object.keys(argumentsOf(events))).toEqual(['solo/call:1.1', 'solo/call:1.2'])
  const deltas = only(events, 'tool-call-delta')
  expect(deltas.length).toBeGreaterThan(1)
  for (const delta of deltas) {
    expect(delta).toMatchObject({ path: 'solo', messageId: 'solo:m1', payload: { toolName: 'look' } })
    expect(delta).not.toHaveProperty('seq')
  }
  const types = events.map(({ type }) => type)
  expect(types.lastIndexOf('tool-call-delta')).toBeLessThan(types.indexOf('tool-call'))
  expect(only(await allEvents(run), 'tool-call-delta')).toEqual([])
})

test('the arguments of a delegation come under its id', async () => {
  const helper = worker('helper', ['Help.'])
  const lead = createSupervisor({
    id: 'lead',
    model: scriptedModel([calls(to('helper', 'Help me out')), 'Done.']),
    agents: { helper: helper.agent },
  })
  const events = await allEvents(lead.stream('Go'))
  const [delegation] = only(events, 'delegation-start')
  expect(argumentsOf(events)).toEqual({ [String(delegation?.delegationId)]: { prompt: 'Help me out' } })
})

test('they are not told where a processor must see the reply first, nor without streaming', async () => {
  const looksOn: OutputProcessor = { id: 'looks-on', processOutputStream: () => undefined }
  const screened = createAgent({
    id: 'solo',
    model: scriptedModel([asks, 'Seen.']),
    tools: { look },
    outputProcessors: [looksOn],
  })
  expect(only(await allEvents(screened.stream('Go')), 'tool-call-delta')).toEqual([])
  const { agent } = worker('solo', [asks, 'Seen.'], { tools: { look } })
  expect(only(await allEvents(agent.stream('Go', { stream: false })), 'tool-call-delta')).toEqual([])
})

test('pieces that wait for a slow reader are put together, call by call', async () => {
  const { agent } = worker('solo', [asks, 'Seen.'], { tools: { look } })
  const run = agent.stream('Go')
  const reader = run.events[Symbol.asyncIterator]()
  await reader.next()
  await run.result
  const events: RunEvent[] = []
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) events.push(next.value)
  expect(only(events, 'tool-call-delta').map(({ payload }) => payload.text)).toEqual([
    '{"at":"the wide sea"}',
    '{"at":"land"}',
  ])
})
