/** A run that sleeps: it leaves memory, wakes at its time or sooner, and is cancelled while it sleeps. Behaviour 110. */
import { createAgent, createTool, createTroupe, memoryStore, sleepUntil } from 'troupe'
import { createTroupeOn, scriptedModel, virtualClock } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const start = Date.UTC(2026, 0, 1)
const later = new Date(start + 2 ** 32)

function world(until = later.toISOString()) {
  const clock = virtualClock({ start })
  const store = memoryStore()
  const model = scriptedModel(
    [{ toolCalls: [{ name: 'sleep-until', args: { until, reason: 'the bill' } }] }],
    { otherwise: 'Up.' },
  )
  const agent = createAgent({
    id: 'sleeper',
    instructions: '',
    model,
    tools: { 'sleep-until': sleepUntil() },
  })
  const open = () => createTroupeOn(clock, { agents: [agent], store, passivateAfter: 0 })
  const asleep = async () => {
    const troupe = open()
    const run = await troupe.start(agent, 'Wait.')
    const idle = await run.whenIdle
    const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
    if (question === undefined) throw new Error('The run does not sleep.')
    return { troupe, run, question }
  }
  const told = () => JSON.stringify(model.calls.at(-1)?.request.messages)
  return { agent, clock, model, open, asleep, told }
}

test('it wakes at its moment, further away than a timer of the platform can be', async () => {
  const { clock, asleep, told } = world()
  const { troupe, run, question } = await asleep()
  expect(question).toMatchObject({
    type: 'suspension',
    toolName: 'sleep-until',
    payload: { until: later.toISOString(), reason: 'the bill' },
  })
  await clock.advance(2 ** 32 - 1)
  expect((await troupe.runs()).items[0]).toMatchObject({ status: 'suspended' })
  await clock.advance(1)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Up.' })
  expect(told()).toContain('on time')
  const { diverged } = await troupe.replay(run.id)
  expect(diverged).toBeUndefined()
  await troupe.close()
})

test('another process wakes it, and at once where the moment has passed', async () => {
  const { clock, asleep, open, told } = world()
  const { troupe, run } = await asleep()
  await troupe.close()
  await clock.advance(2 ** 32 + 5)
  const other = open()
  const { runs } = await other.recover()
  expect(runs.map(({ id }) => id)).toEqual([run.id])
  expect(await runs[0]?.result).toMatchObject({ text: 'Up.' })
  expect(told()).toContain('on time')
  await other.close()
})

test('a fork of it wakes at the moment too, however late the fork was made', async () => {
  const { clock, asleep } = world()
  const { troupe, run } = await asleep()
  await clock.advance(2 ** 31)
  const fork = await troupe.fork(run.id, { at: (await troupe.journal(run.id)).length })
  expect(await fork.whenIdle).toMatchObject({ outcome: 'suspended' })
  await clock.advance(2 ** 31 - 1)
  expect((await troupe.runs()).items.map(({ status }) => status)).toEqual(['suspended', 'suspended'])
  await clock.advance(1)
  expect(await fork.result).toMatchObject({ text: 'Up.' })
  expect((await troupe.replay(fork.id)).diverged).toBeUndefined()
  const late = await troupe.fork(run.id, { at: 4 })
  expect(await late.result).toMatchObject({ text: 'Up.' })
  await troupe.close()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, new Date(Number.NaN), '2999-01-01'])(
  'until: %s is no moment, and the call fails',
  async (until) => {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: (_, { suspend }) => suspend({}, { until: until as number }),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, 'Done.'])
    const reports: string[] = []
    const agent = createAgent({ id: 'asker', instructions: '', model, tools: { ask } })
    const troupe = createTroupe({ agents: [agent], onError: ({ error }) => reports.push(String(error)) })
    const run = await troupe.start(agent, 'Go.')
    expect(await run.result).toMatchObject({ text: 'Done.' })
    expect(reports).toEqual([expect.stringContaining('until must be a Date, or milliseconds since 1970')])
    await troupe.close()
  },
)

test('an answer wakes it early, once, and its time then changes nothing', async () => {
  const { clock, asleep, told } = world()
  const { troupe, run, question } = await asleep()
  await clock.advance('1d')
  await troupe.signal(run.id, { type: 'resume', toolCallId: question.toolCallId, data: 'It was paid.' })
  expect(await run.result).toMatchObject({ text: 'Up.' })
  expect(told()).toContain('It was paid.')
  await clock.advance(2 ** 32)
  const { events } = await troupe.replay(run.id)
  expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(1)
  await troupe.close()
})

test('a cancel and a denial end the sleep', async () => {
  const one = world()
  const { troupe, run } = await one.asleep()
  await troupe.cancel(run.id, 'enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await one.clock.advance(2 ** 33)
  expect(one.model.calls).toHaveLength(1)
  await troupe.close()

  const other = world()
  const second = await other.asleep()
  await second.troupe.signal(second.run.id, {
    type: 'deny',
    toolCallId: second.question.toolCallId,
    reason: 'Work.',
  })
  expect(await second.run.result).toMatchObject({ text: 'Up.' })
  expect(other.told()).toContain('Work.')
  await second.troupe.close()
})

test('a moment that has passed is no sleep', async () => {
  const { clock, agent, open, told } = world('2020-01-01T00:00:00Z')
  const troupe = open()
  const run = await troupe.start(agent, 'Wait.')
  expect(await clock.runUntil(run.result)).toMatchObject({ text: 'Up.' })
  expect(told()).toContain('on time')
  await troupe.close()
})

test('a tool of one’s own asks with a deadline, and sees who answered', async () => {
  const clock = virtualClock({ start })
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    execute: (_, { answers, suspend }) =>
      answers.length < 2
        ? suspend({ n: answers.length }, { name: 'q', until: start + 1_000 * (answers.length + 1) })
        : answers,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'ask' }] }, 'Done.'])
  const agent = createAgent({ id: 'asker', instructions: '', model, tools: { ask } })
  const troupe = createTroupeOn(clock, { agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  await clock.advance(3_000)
  await run.result
  const events = (await troupe.replay(run.id)).events.filter(({ type }) => type === 'tool-call-answered')
  expect(events).toHaveLength(2)
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('woken')
  await troupe.close()
})

test('a moment is the word of the model, and is refused where the tool is made', () => {
  const make = sleepUntil as (...given: readonly unknown[]) => unknown
  expect(() => make(new Date())).toThrow('the model names the moment in its call')
})
