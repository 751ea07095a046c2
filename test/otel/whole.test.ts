/** Spans of all kinds of work: each that has begun ends, in one trace, whatever happens to the run. */
import { createTool, createTroupe, type AnyAgent, type Run } from 'troupe'
import { otel } from 'troupe/otel'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { transfer } from '../support/agents/handoffs.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
beforeEach(() => telemetry.forget())
afterAll(() => telemetry.close())

const inputSchema = z.object({})

const dig = createTool({
  id: 'dig',
  description: 'Digs.',
  inputSchema,
  background: true,
  execute: async () => {
    await Promise.resolve()
    return 'Dug.'
  },
})

const wait = createTool({
  id: 'wait',
  description: 'Waits.',
  inputSchema,
  execute: (_, { signal }) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    }),
})

async function spansOf(agent: AnyAgent, act?: (run: Run) => Promise<unknown>) {
  const troupe = createTroupe({ agents: [agent], around: otel(), onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  await act?.(run)
  const result = await run.result
  await troupe.close()
  expect(telemetry.open).toEqual([])
  expect(new Set(telemetry.spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  return { result, tree: telemetry.tree() }
}

test('a handoff: the agent that goes on is below the span that started the run', async () => {
  const { agent: billing } = worker('billing', ['Paid.'])
  const { agent } = worker('desk', [calls(transfer('billing'))], {
    memory: true,
    handoffs: { billing },
  })
  const { result, tree } = await spansOf(agent)
  expect(result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  expect(tree).toEqual([
    'start_run desk',
    '  invoke_agent desk',
    '    chat desk',
    '  invoke_agent billing',
    '    chat billing',
  ])
})

test('a tool in the background is below its agent, also where it ends after the next call of the model', async () => {
  const { agent } = worker('digger', [calls({ name: 'dig', args: {} }), 'I dig.', 'It is dug.'], {
    tools: { dig },
  })
  const { tree } = await spansOf(agent)
  expect(tree[1]).toBe('  invoke_agent digger')
  expect(tree.filter((line) => line === '    execute_tool dig')).toHaveLength(1)
  expect(tree.filter((line) => line === '    chat digger').length).toBeGreaterThan(1)
})

test('a fan-out: spans of subagents at the same time are below their own', async () => {
  const { agent } = fanOut(
    'fan',
    [divides({ goal: 'Snow', agent: 'one' }, { goal: 'Rain', agent: 'two' }), enough, 'Both.'],
    { agents: { one: worker('one', ['Snow.']).agent, two: worker('two', ['Rain.']).agent } },
  )
  const { tree } = await spansOf(agent)
  for (const name of ['one', 'two'])
    expect(tree.slice(tree.indexOf(`    invoke_agent ${name}`))).toEqual(
      expect.arrayContaining([`      chat ${name}`]),
    )
})

test.each(['a tool at work', 'a model at work', 'a subagent at work'])(
  'a cancel during %s ends all spans',
  async (where) => {
    const begun = Promise.withResolvers<void>()
    const hanging = worker('slow', [], {
      tools: { wait },
      otherwise: () => {
        begun.resolve()
        return where === 'a tool at work' ? calls({ name: 'wait', args: {} }) : { hang: true }
      },
    }).agent
    const agent =
      where === 'a subagent at work'
        ? lead('boss', [calls(to('slow', 'Go'))], { agents: { slow: hanging } }).agent
        : hanging
    const { result, tree } = await spansOf(agent, async (run) => {
      await begun.promise
      if (where === 'a tool at work') for await (const { type } of run.events) if (type === 'tool-call') break
      await run.cancel('enough')
    })
    expect(result.outcome).toBe('cancelled')
    const [first] = telemetry.spans.filter(({ name }) => name.startsWith('invoke_agent'))
    expect(first?.attributes['troupe.outcome']).toBe('cancelled')
    expect(tree.length).toBeGreaterThan(2)
  },
)

test.each(['timeout', 'cancel', 'close'])(
  'a tool that does not listen to its signal: its span ends with the call, by a %s',
  async (end) => {
    const begun = Promise.withResolvers<void>()
    const stuck = createTool({
      id: 'stuck',
      description: 'Does not end.',
      inputSchema,
      ...(end === 'timeout' ? { timeout: 20 } : {}),
      execute: () => {
        begun.resolve()
        return new Promise<string>(() => undefined)
      },
    })
    const { agent } = worker('slow', [calls({ name: 'stuck', args: {} }), 'Gave up.'], { tools: { stuck } })
    const errors: unknown[] = []
    const troupe = createTroupe({
      agents: [agent],
      around: otel(),
      onError: ({ where, error }) => where === 'observer' && errors.push(error),
    })
    const run = await troupe.start(agent, 'Go')
    await begun.promise
    if (end === 'cancel') await run.cancel('enough')
    if (end !== 'close') await run.result
    await troupe.close()
    await expect.poll(() => telemetry.open).toEqual([])
    const span = telemetry.spans.find(({ name }) => name === 'execute_tool stuck')
    const types = { timeout: 'TOOL_TIMEOUT', cancel: 'CANCELLED', close: 'TROUPE_CLOSED' }
    expect(span?.attributes['error.type']).toBe(types[end as keyof typeof types])
    expect(errors).toEqual([])
  },
)

test('an answer that is read as it streams is one span', async () => {
  const { agent } = worker('poet', ['Snow falls.'])
  const { tree } = await spansOf(agent, async (run) => {
    let told = ''
    for await (const piece of run.textStream) told += piece
    expect(told).toBe('Snow falls.')
  })
  expect(tree).toEqual(['start_run poet', '  invoke_agent poet', '    chat poet'])
})
