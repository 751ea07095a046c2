/** What a tool reports while it is at work: live, and not in the journal. */
import {
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  TerminalError,
  type ToolExecution,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, only, until, worker } from '../../support/agents/agents.ts'

function working(execute: (execution: ToolExecution) => unknown) {
  const tool = createTool({
    id: 'work',
    description: 'Works.',
    inputSchema: z.object({}),
    execute: (_input, execution) => execute(execution),
  })
  const { agent, model } = worker('solo', [calls({ name: 'work' }), 'Done.'], { tools: { work: tool } })
  return { agent, model }
}

test('one who reads along gets each report, and the journal has none', async () => {
  const { agent } = working(({ emit }) => {
    emit({ percent: 10, at: new Date(0) })
    emit('half')
    return 'worked'
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  const events = await allEvents(run)
  const reports = only(events, 'tool-progress')
  expect(reports.map(({ payload, path, agent: by, seq }) => [payload, path, by, seq])).toEqual([
    [
      {
        toolCallId: 'solo/call:1.1',
        toolName: 'work',
        value: { percent: 10, at: '1970-01-01T00:00:00.000Z' },
      },
      'solo/call:1.1',
      'solo',
      undefined,
    ],
    [{ toolCallId: 'solo/call:1.1', toolName: 'work', value: 'half' }, 'solo/call:1.1', 'solo', undefined],
  ])
  const types = events.map(({ type }) => type)
  expect(types.indexOf('tool-progress')).toBeGreaterThan(types.indexOf('tool-call'))
  expect(types.lastIndexOf('tool-progress')).toBeLessThan(types.indexOf('tool-result'))
  expect(only(await allEvents(run), 'tool-progress')).toEqual([])
  expect(only((await troupe.replay(run.id)).events, 'tool-progress')).toEqual([])
  expect(JSON.stringify(await store.read(run.id))).not.toContain('half')
})

test('what comes after the end of the call is dropped', async () => {
  let late: ((value: unknown) => void) | undefined
  const { agent } = working(({ emit }) => {
    late = emit
    return 'worked'
  })
  const run = agent.stream('Go')
  const reading = allEvents(run)
  await until(run, 'tool-result')
  late?.('too late')
  expect(only(await reading, 'tool-progress')).toEqual([])
})

test('each attempt of a call reports on the same call', async () => {
  let attempt = 0
  const { agent } = working(({ emit }) => {
    attempt++
    emit(attempt)
    if (attempt === 1) throw new RetryableError('not now', { retryAfterMs: 1 })
    return 'worked'
  })
  const reports = only(await allEvents(agent.stream('Go')), 'tool-progress')
  expect(reports.map(({ payload }) => [payload.toolCallId, payload.value])).toEqual([
    ['solo/call:1.1', 1],
    ['solo/call:1.1', 2],
  ])
})

test.each([
  ['no JSON', 1n, 'The value of emit() cannot be written as JSON'],
  ['too long', 'x'.repeat(70_000), 'has 70002 characters of JSON text, at most 65536 are allowed'],
])('a value that is %s fails the call, unless the tool goes on', async (_what, value, message) => {
  const failing = working(({ emit }) => {
    emit(value)
    return 'worked'
  })
  const result = await failing.agent.generate('Go')
  expect(result.steps[0]?.toolResults[0]).toMatchObject({
    outcome: 'failed',
    error: { code: 'TOOL_PROGRESS_INVALID', message: expect.stringContaining(message) },
  })
  const careful = working(({ emit }) => {
    try {
      emit(value)
    } catch (error) {
      return error instanceof TerminalError ? error.code : 'another'
    }
    return 'told'
  })
  const { steps } = await careful.agent.generate('Go')
  expect(steps[0]?.toolResults[0]?.value).toBe('TOOL_PROGRESS_INVALID')
})

test('a reader who is slow is given the newest reports of each call', async () => {
  const { agent } = working(({ emit }) => {
    for (let done = 0; done < 5_000; done++) emit(done)
    return 'worked'
  })
  const run = agent.stream('Go')
  const reader = run.events[Symbol.asyncIterator]()
  await reader.next()
  await run.result
  const values: unknown[] = []
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
    if (next.value.type === 'tool-progress') values.push(next.value.payload.value)
  }
  expect(values.length).toBeLessThan(1_100)
  expect(values.at(-1)).toBe(4_999)
})
