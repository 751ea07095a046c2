/** Wrappers around effects, trace contexts, and the ids by which traces and pages connect delegations to calls. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  type Around,
  type ObservedEffect,
  type Problem,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const other = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

function recorder() {
  const seen: ObservedEffect[] = []
  const around: Around = (effect, perform) => {
    seen.push(effect)
    return perform()
  }
  return { seen, around }
}

const named = ({ kind, name, path, attempt }: ObservedEffect) => `${kind} ${name ?? ''} ${path} ${attempt}`

describe('around', () => {
  test('wraps what is performed, with its place; and nothing that is replayed', async () => {
    const remove = createTool({
      id: 'remove',
      description: 'Removes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'removed',
    })
    const janitor = worker('janitor', [calls({ name: 'remove', args: {} }), 'Cleaned.'], {
      tools: { remove },
    })
    const good = createScorer({ id: 'good', score: () => 1 })
    const { agent } = lead('lead', [calls(to('janitor', 'Clean')), 'All clean.'], {
      agents: { janitor: janitor.agent },
      completion: { scorers: [good] },
      delegation: { onDelegationStart: () => undefined },
      memory: true,
    })
    const store = memoryStore()
    const first = recorder()
    const before = createTroupe({ agents: [agent], store, around: first.around })
    const run = await before.start(agent, 'Go', { threadId: 't', conversationId: 'c', traceparent: trace })
    await run.whenIdle
    await before.close()
    const second = recorder()
    const after = createTroupe({ agents: [agent], store, around: [second.around] })
    const resumed = await after.resume(run.id, { traceparent: other })
    await resumed.approve('lead/delegation:1.1/janitor/call:1.1')
    expect((await resumed.result).outcome).toBe('completed')
    expect(first.seen.map(named)).toEqual([
      'memory  lead 1',
      'model scripted/lead lead 1',
      'hook onDelegationStart lead/delegation:1.1 1',
      'model scripted/janitor lead/delegation:1.1/janitor 1',
    ])
    expect(second.seen.map(named)).toEqual([
      'tool remove lead/delegation:1.1/janitor/call:1.1 1',
      'model scripted/janitor lead/delegation:1.1/janitor 1',
      'model scripted/lead lead 1',
      'scorer good lead/completion:2 1',
      'memory  lead 1',
    ])
    const [tool] = second.seen
    expect(tool).toMatchObject({
      runId: run.id,
      agent: 'janitor',
      delegationId: 'lead/delegation:1.1',
      conversationId: 'c',
      traceparent: other,
      input: { tool: 'remove', args: {} },
    })
    expect(first.seen[1]).toMatchObject({
      traceparent: trace,
      input: { messages: expect.any(Array) as unknown },
    })
    const keys = [...first.seen, ...second.seen].map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
    await after.replay(run.id)
    expect(first.seen.length + second.seen.length).toBe(keys.length)
    expect((await after.journal(run.id))[0]).toMatchObject({ type: 'run.started', traceparent: trace })
    await after.close()
  })

  test('the trace context of a resume is on record: later processes have it, until they are given another', async () => {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'allowed',
    })
    const ask2 = calls({ name: 'ask', args: {} })
    const { agent } = worker('solo', [ask2, ask2, 'Done.'], { tools: { ask } })
    const store = memoryStore()
    const open = (passivateAfter = Infinity) => {
      const { seen, around } = recorder()
      const troupe = createTroupe({ agents: [agent], store, around, passivateAfter })
      return { seen, troupe }
    }
    const first = open()
    const run = await first.troupe.start(agent, 'Go', { traceparent: trace })
    await run.whenIdle
    await first.troupe.close()
    const second = open()
    const resumed = await second.troupe.resume(run.id, { traceparent: other })
    await second.troupe.resume(run.id, { traceparent: other })
    await resumed.approve('solo/call:1.1')
    await until(resumed, 'tool-call-approval', ({ payload }) => payload.toolCallId === 'solo/call:2.1')
    await resumed.whenIdle
    await second.troupe.close()
    const third = open(0)
    const last = await third.troupe.resume(run.id)
    await last.approve('solo/call:2.1')
    const result = await last.result
    const traces = [first, second, third].map(({ seen }) => [
      ...new Set(seen.map((effect) => effect.traceparent)),
    ])
    expect(traces).toEqual([[trace], [other], [other]])
    const journal = await third.troupe.journal(run.id)
    expect(journal.filter((entry) => JSON.stringify(entry).includes('"type":"trace"'))).toHaveLength(1)
    expect((await third.troupe.replay(run.id)).result).toEqual(result)
    await third.troupe.close()
  })

  test('sees no data that providers want back, and keeps it from no model', async () => {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({ providerData: z.string() }),
      execute: () => 'seen',
    })
    const step = {
      text: 'First.',
      providerData: { seal: 'reply' },
      toolCalls: [{ name: 'look', args: { providerData: 'mine' }, providerData: { seal: 'call' } }],
    }
    const { agent, model } = worker('solo', [step, 'Done.'], { tools: { look } })
    const seen: ObservedEffect[] = []
    const outcomes: unknown[] = []
    const troupe = createTroupe({
      agents: [agent],
      around: async (effect, perform) => {
        seen.push(effect)
        outcomes.push(await perform())
      },
    })
    const run = await troupe.start(agent, 'Go')
    await run.result
    expect(seen.map(({ input }) => JSON.stringify(input)).join()).not.toContain('seal')
    expect(JSON.stringify(outcomes)).not.toContain('seal')
    expect(seen.find(({ kind }) => kind === 'tool')?.input).toMatchObject({ args: { providerData: 'mine' } })
    expect(outcomes[0]).toMatchObject({ text: 'First.', toolCalls: [{ name: 'look' }] })
    expect(model.calls[1]?.request.messages).toContainEqual(
      expect.objectContaining({ role: 'assistant', providerData: { seal: 'reply' } }),
    )
    await troupe.close()
  })

  test('a context that a wrapper opens is that of the code which the effect calls', async () => {
    const span = new AsyncLocalStorage<string>()
    const parents: (string | undefined)[] = []
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: async () => {
        await Promise.resolve()
        parents.push(span.getStore())
        return 'seen'
      },
    })
    const { agent } = worker('solo', [calls({ name: 'look', args: {} }), 'Done.'], { tools: { look } })
    const outer: Around = (effect, perform) => span.run(`outer ${effect.kind}`, perform)
    const inner: Around = async (effect, perform) => {
      await Promise.resolve()
      return span.run(`${span.getStore()} > inner ${effect.kind}`, perform)
    }
    const troupe = createTroupe({ agents: [agent], around: [outer, inner] })
    await (
      await troupe.start(agent, 'Go')
    ).result
    expect(parents).toEqual(['outer tool > inner tool'])
  })

  test('a repeated attempt has its number', async () => {
    let times = 0
    const flaky = createTool({
      id: 'flaky',
      description: 'Fails at first.',
      inputSchema: z.object({}),
      execute: () => {
        times++
        if (times < 3) throw new RetryableError('later')
        return 'at last'
      },
    })
    const { seen, around } = recorder()
    const { agent } = worker('solo', [calls({ name: 'flaky', args: {} }), 'Done.'], { tools: { flaky } })
    await (
      await createTroupe({ agents: [agent], around }).start(agent, 'Go')
    ).result
    expect(seen.filter(({ kind }) => kind === 'tool').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  test('a wrapper that throws changes nothing, and is reported with its effect', async () => {
    const problems: Problem[] = []
    const { agent } = worker('solo', ['Done.'])
    const troupe = createTroupe({
      agents: [agent],
      onError: (problem) => problems.push(problem),
      around: () => {
        throw new Error('no exporter')
      },
    })
    const result = await (await troupe.start(agent, 'Go')).result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(problems).toMatchObject([
      {
        where: 'observer',
        error: { message: 'no exporter' },
        agent: 'solo',
        effect: { kind: 'model', name: 'scripted/solo', key: 'solo/model#1' },
      },
    ])
  })

  test('a value whose `then` cannot be read is reported, and the run goes on', async () => {
    const problems: Problem[] = []
    const unreadable: Around = () =>
      new Proxy(
        {},
        {
          get() {
            throw new Error('No promise.')
          },
        },
      )
    const { agent } = worker('solo', ['Done.'])
    const troupe = createTroupe({
      agents: [agent],
      around: unreadable,
      onError: (problem) => problems.push(problem),
    })
    const run = await troupe.start(agent, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(problems.map(({ error }) => error)).toMatchObject([{ message: 'No promise.' }])
    await troupe.close()
  })

  test('the error of a failed effect is no error of its wrapper', async () => {
    const problems: Problem[] = []
    const bad = createTool({
      id: 'bad',
      description: 'Fails.',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('broken')
      },
    })
    const { agent } = worker('solo', [calls({ name: 'bad', args: {} }), 'Done.'], { tools: { bad } })
    const troupe = createTroupe({
      agents: [agent],
      onError: (problem) => problems.push(problem),
      around: async (_effect, perform) => {
        await perform()
      },
    })
    await (
      await troupe.start(agent, 'Go')
    ).result
    expect(problems.map(({ where }) => where)).toEqual(['effect'])
  })

  test.each([
    ['a text', 'otel'],
    ['a list with something else', [() => undefined, 7]],
  ])('%s is refused', (_, around) => {
    const { agent } = worker('solo', ['Done.'])
    expect(() => createTroupe({ agents: [agent], around: around as Around[] })).toThrow(/around/)
  })
})

test.each([
  '',
  'x',
  trace.slice(1),
  trace.replace(/-0a.*-b7/, `-${'0'.repeat(32)}-b7`),
  `ff${trace.slice(2)}`,
])('the trace context %j is refused', async (traceparent) => {
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent] })
  await expect(troupe.start(agent, 'Go', { traceparent })).rejects.toThrow(/traceparent must be a W3C/)
})

test('a delegation says its thread, the delegation above it, and the call of the model', async () => {
  const finder = worker('finder', ['Found.'])
  const middle = lead('middle', [{ toolCalls: [{ id: 'inner', ...to('finder', 'Find.') }] }, 'Passed on.'], {
    agents: { finder: finder.agent },
  })
  const { agent } = lead('lead', [{ toolCalls: [{ id: 'outer', ...to('middle', 'Pass on.') }] }, 'Done.'], {
    agents: { middle: middle.agent },
  })
  const run = agent.stream('Go')
  await until(run, 'run-finish')
  const starts = only(await allEvents(run), 'delegation-start')
  const { delegations } = await run.result
  expect(starts.map(({ payload }) => payload)).toMatchObject([
    { agentName: 'middle', modelCallId: 'outer', threadId: delegations[0]?.threadId },
    { agentName: 'finder', modelCallId: 'inner', parentDelegationId: 'lead/delegation:1.1' },
  ])
  expect(starts[0]?.payload).not.toHaveProperty('parentDelegationId')
})
