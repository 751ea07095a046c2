/** Tools in the background: the model goes on, and reads the result in a later prompt. */
import { fromPromise } from 'xstate'
import {
  createAgent,
  createReflexion,
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedReply, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  allEvents,
  calls,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { asks, background, begunTask, research } from '../../support/agents/background-tools.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const task = 'solo/call:1.1'
const satisfied = JSON.stringify({ satisfied: true, critique: '' })

describe('a tool in the background', () => {
  test('is acknowledged at once; an answer waits for it, and its result is in the next prompt', async () => {
    const { tool, end } = research()
    const { agent, model } = worker('solo', [asks('tides'), 'A draft.', 'The moon does it.'], {
      tools: { research: tool },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Why tides?')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    expect(toldOfCalls(model, 2)).toEqual([begunTask(task)])
    end('tides').resolve('The moon.')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'The moon does it.' })
    expect(shown(model, 3).at(-1)).toEqual({
      role: 'user',
      internal: 'notice',
      content: `The background task "${task}" of the tool "research" has ended (succeeded): The moon.`,
    })
    const events = await allEvents(run)
    expect(background(events)).toEqual([
      ['background-start', { taskId: task, toolName: 'research' }],
      ['background-end', { taskId: task, toolName: 'research', outcome: 'succeeded' }],
    ])
    expect(only(events, 'tool-result').map(({ payload }) => payload)).toEqual([
      { toolCallId: task, toolName: 'research', result: 'The moon.' },
    ])
    expect(result.steps[0]?.toolResults).toEqual([{ id: task, name: 'research', outcome: 'background' }])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('that ends before its step is read in the very next prompt', async () => {
    const { tool, end } = research()
    end('tides').resolve('The moon.')
    const slow = createTool({
      id: 'slow',
      description: 'Takes a moment.',
      inputSchema: z.object({}),
      execute: () => new Promise((resolve) => setImmediate(() => resolve('done'))),
    })
    const { agent, model } = worker(
      'solo',
      [calls({ name: 'research', args: { topic: 'tides' } }, { name: 'slow' }), 'The moon does it.'],
      { tools: { research: tool, slow } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'The moon does it.' })
    expect(shown(model, 2).at(-1)?.content).toContain('(succeeded): The moon.')
  })

  test('that fails is a notice without the error', async () => {
    const { tool, end } = research()
    const { agent, model } = worker('solo', [asks('tides'), 'A draft.', 'Unknown.'], {
      tools: { research: tool },
    })
    const run = agent.stream('Go')
    await until(run, 'background-start')
    end('tides').reject(new Error('secret'))
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Unknown.' })
    expect(background(await allEvents(run)).at(-1)).toEqual([
      'background-end',
      { taskId: task, toolName: 'research', outcome: 'failed' },
    ])
    expect(JSON.stringify(model.calls.map(({ request }) => request))).not.toContain('secret')
  })

  test('runs at most `concurrency` times side by side; the others wait in their order', async () => {
    const { tool, started, end } = research({ concurrency: 1 })
    const { agent } = worker('solo', [asks('a', 'b'), 'A draft.', 'Half.', 'Done.'], {
      tools: { research: tool },
      maxSteps: 8,
    })
    const run = agent.stream('Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    expect(started).toEqual(['a'])
    end('a').resolve('A.')
    await until(run, 'background-start', ({ payload }) => payload.taskId === 'solo/call:1.2')
    await until(run, 'text-end', ({ payload }) => payload.text === 'Half.')
    expect(started).toEqual(['a', 'b'])
    end('b').resolve('B.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('with wrong arguments fails at once, like any other', async () => {
    const { tool, started } = research()
    const { agent, model } = worker('solo', [calls({ name: 'research', args: { topic: 7 } }), 'Done.'], {
      tools: { research: tool },
    })
    const run = agent.stream('Go')
    expect((await run.result).outcome).toBe('completed')
    expect(started).toEqual([])
    expect(toldOfCalls(model, 2).join()).toContain('Invalid arguments')
    expect(background(await allEvents(run))).toEqual([])
  })

  test('that needs approval holds the end of the run, and not the model', async () => {
    const { tool, end } = research(true, { requireApproval: true })
    end('tides').resolve('The moon.')
    const { agent } = worker('solo', [asks('tides'), 'A draft.', 'Done.'], { tools: { research: tool } })
    const run = agent.stream('Go')
    const idle = await run.whenIdle
    expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId: task, type: 'approval' }] })
    await run.approve(task)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('is aborted by a cancel', async () => {
    const { tool, aborted } = research()
    const { agent } = worker('solo', [asks('tides'), 'A draft.'], { tools: { research: tool } })
    const run = agent.stream('Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    await run.cancel('Enough.')
    expect((await run.result).outcome).toBe('cancelled')
    expect(aborted).toEqual(['tides'])
    expect(background(await allEvents(run)).at(-1)).toEqual([
      'background-end',
      { taskId: task, toolName: 'research', outcome: 'cancelled' },
    ])
  })

  test('is cancelled where the agent ends otherwise', async () => {
    const { tool, aborted } = research()
    const { agent } = worker('solo', [asks('tides'), asks('waves')], {
      tools: { research: tool },
      stopWhen: ({ stepCount }) => stepCount === 2,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'stopped', reason: 'stopWhen' })
    expect(aborted.toSorted()).toEqual(['tides', 'waves'])
  })

  test('is waited for by the last turn, which reads its result', async () => {
    const { tool, end } = research()
    const { agent, model } = worker('solo', [asks('tides'), 'The last word.'], {
      tools: { research: tool },
      maxSteps: 1,
    })
    const run = agent.stream('Go')
    await until(run, 'background-start')
    expect(model.calls).toHaveLength(1)
    end('tides').resolve('The moon.')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', text: 'The last word.' })
    expect(
      shown(model, 2)
        .map(({ content }) => textOf(content))
        .join(),
    ).toContain('(succeeded): The moon.')
  })

  test('stands beside calls that the step waits for', async () => {
    const { tool, end } = research()
    const note = createTool({
      id: 'note',
      description: 'Notes.',
      inputSchema: z.object({}),
      execute: () => 'noted',
    })
    const { agent, model } = worker(
      'solo',
      [calls({ name: 'research', args: { topic: 'tides' } }, { name: 'note' }), 'A draft.', 'Done.'],
      { tools: { research: tool, note } },
    )
    const run = agent.stream('Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    expect(toldOfCalls(model, 2)[1]).toBe('noted')
    end('tides').resolve('The moon.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('may be a workflow, and may be made for the run', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const bake = createWorkflow({
      id: 'bake',
      description: 'Bakes.',
      inputSchema: z.object({}),
      logic: fromPromise(() => promise),
      background: { concurrency: 2 },
    })
    const model = scriptedModel([calls({ name: 'bake' }), 'A draft.', 'Bread.'])
    const agent = createAgent({ id: 'solo', instructions: '', model, workflows: () => ({ bake }) })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    resolve('done')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Bread.' })
    expect((await troupe.journal(run.id))[1]).toMatchObject({
      settlement: { value: { tools: [{ name: 'bake', background: { concurrency: 2 } }] } },
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('is waited for by an agent of another pattern', async () => {
    const { tool, end } = research()
    end('tides').resolve('The moon.')
    const agent = createReflexion({
      id: 'thinker',
      instructions: '',
      model: scriptedModel([asks('tides'), satisfied, 'Done.', satisfied]),
      tools: { research: tool },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'succeeded', value: 'The moon.' }])
    expect(background(await allEvents(run))).toEqual([])
  })

  test('cannot move the agent to another state', () => {
    expect(() =>
      createTool({
        id: 'research',
        description: 'Researches.',
        inputSchema: z.object({}),
        background: true,
        nextState: 'known',
        execute: () => 1,
      }),
    ).toThrow(/a tool that runs in the background has no nextState/)
  })

  test.for<[unknown, RegExp]>([
    ['yes', /background must be/],
    [{ concurrency: 0 }, /concurrency must be/],
    [{ timeoutMs: 5 }, /there is no option "timeoutMs"/],
  ])('%j is refused', ([given, message]) => {
    expect(() => research(given as boolean)).toThrow(message)
  })
})

/** Says `first` after its calls, and `last` when it has read of the end of a task. */
const talks =
  (first: ScriptedReply, draft: string, last: string): ScriptedStep =>
  ({ messages }) => {
    if (messages.some((message) => message.role === 'user' && message.internal === 'notice')) return last
    return messages.some(({ role }) => role === 'tool') ? draft : first
  }

describe('one call in the background', () => {
  test('may be cancelled by its task id; the model reads so, and the run goes on', async () => {
    const { tool, aborted } = research()
    const { agent, model } = worker('solo', [asks('tides', 'waves'), 'A draft.', 'Without tides.', 'Done.'], {
      tools: { research: tool },
      maxSteps: 8,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    await run.cancel('Not needed.', { delegationId: task })
    await until(run, 'text-end', ({ payload }) => payload.text === 'Without tides.')
    expect(aborted).toEqual(['tides'])
    expect(shown(model, 3).at(-1)?.content).toBe(
      `The background task "${task}" of the tool "research" has ended (cancelled): {"error":"The tool call was cancelled."}`,
    )
    await expect(run.cancel('Again.', { delegationId: task })).rejects.toMatchObject({
      code: 'UNKNOWN_SIGNAL',
      message: `Cannot cancel "${task}": no such delegation or background task is under way. There are: solo/call:1.2.`,
    })
    await run.cancel('Nor this.', { delegationId: 'solo/call:1.2' })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('fails at its timeout, as any other', async () => {
    const clock = virtualClock()
    const { tool, aborted } = research(true, { timeout: 1_000 })
    const { agent, model } = worker('solo', [asks('tides'), 'A draft.', 'Done.'], {
      tools: { research: tool },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    clock.advance(1_000)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(aborted).toEqual(['tides'])
    expect(shown(model, 3).at(-1)?.content).toContain('has ended (failed)')
  })

  test('that a person denies is told of', async () => {
    const { tool, started } = research(true, { requireApproval: true })
    const { agent, model } = worker('solo', [asks('tides'), 'A draft.', 'So be it.'], {
      tools: { research: tool },
    })
    const run = agent.stream('Go')
    await run.whenIdle
    await run.deny(task, 'Too dear.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'So be it.' })
    expect(started).toEqual([])
    expect(shown(model, 3).at(-1)?.content).toContain('(denied): {"error":"Tool call denied: Too dear."')
    expect(background(await allEvents(run)).at(-1)).toEqual([
      'background-end',
      { taskId: task, toolName: 'research', outcome: 'denied' },
    ])
  })

  test('that waited for a place runs, even if its tool is no longer on offer', async () => {
    const { tool, started, end } = research({ concurrency: 1 }, { applicableStates: ['closed'] })
    const open = createTool({
      id: 'open',
      description: 'Opens.',
      inputSchema: z.object({}),
      nextState: 'opened',
      execute: () => 'open',
    })
    const both = calls(
      { name: 'research', args: { topic: 'a' } },
      { name: 'research', args: { topic: 'b' } },
      { name: 'open' },
    )
    const { agent, model } = worker('solo', [both, 'A draft.', 'Half.', 'Done.'], {
      tools: { research: tool, open },
      toolState: 'closed',
      maxSteps: 8,
    })
    const run = agent.stream('Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    expect(model.calls[1]?.request.tools.map(({ name }) => name)).toEqual(['open'])
    end('a').resolve('A.')
    await until(run, 'text-end', ({ payload }) => payload.text === 'Half.')
    expect(started).toEqual(['a', 'b'])
    end('b').resolve('B.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(shown(model, 4).at(-1)?.content).toContain('(succeeded): B.')
  })

  test('ends with the time of the run', async () => {
    const clock = virtualClock()
    const { tool, aborted } = research()
    const { agent } = worker('solo', [asks('tides'), 'A draft.', 'The last word.'], {
      tools: { research: tool },
      budget: { wallClock: 5_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    clock.advance(5_000)
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    expect(aborted).toEqual(['tides'])
  })

  test('is cancelled where the conversation is handed on', async () => {
    const { tool, aborted } = research()
    const expert = worker('expert', ['Said the expert.'])
    const first = createTool({
      id: 'first',
      description: 'Comes first.',
      inputSchema: z.object({}),
      execute: () => new Promise((resolve) => setImmediate(() => resolve('done'))),
    })
    const handsOn = calls(
      { name: 'research', args: { topic: 'tides' } },
      { name: 'first' },
      { name: 'transfer-to-expert' },
    )
    const { agent } = worker('solo', [handsOn], {
      tools: { research: tool, first },
      handoffs: [expert.agent],
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Said the expert.' })
    expect(aborted).toEqual(['tides'])
  })
})

test('after a crash a call that was at work runs again, and one that had ended does not', async () => {
  const ran: string[] = []
  const cast = (hangs: boolean) => {
    const tool = createTool({
      id: 'research',
      description: 'Researches.',
      inputSchema: z.object({ topic: z.string() }),
      background: true,
      execute: ({ topic }, { idempotencyKey }) => {
        ran.push(`${topic} ${idempotencyKey}`)
        return hangs && topic === 'waves' ? new Promise<string>(() => undefined) : `${topic} known`
      },
    })
    const heard: ScriptedStep = ({ messages }) => {
      const notices = messages.filter((message) => message.role === 'user' && message.internal === 'notice')
      if (messages.every(({ role }) => role !== 'tool')) return asks('tides', 'waves')
      return `${notices.length} heard`
    }
    return worker('solo', [], { otherwise: heard, tools: { research: tool } }).agent
  }
  const store = memoryStore()
  const agent = cast(true)
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'text-end', ({ payload }) => payload.text === '1 heard')
  await troupe.close()
  expect(ran.map((text) => text.split(' ')[0])).toEqual(['tides', 'waves'])

  const again = createTroupe({ agents: [cast(false)], store })
  const resumed = await again.resume(run.id)
  const result = await resumed.result
  expect(result).toMatchObject({ outcome: 'completed', text: '2 heard' })
  expect(ran).toHaveLength(3)
  expect(ran[2]).toBe(ran[1])
  expect((await again.replay(run.id)).result).toEqual(result)
})

test('a tool that functions of the run make is in the background too, also below a supervisor that waits', async () => {
  const { tool, end } = research()
  end('tides').resolve('The moon.')
  const model = scriptedModel([], { otherwise: talks(asks('tides'), 'A draft.', 'The moon does it.') })
  const finder = createAgent({
    id: 'finder',
    description: 'Finds.',
    instructions: '',
    model,
    tools: () => ({ research: tool }),
  })
  const { agent } = lead('lead', [calls(to('finder', 'Find')), 'Done.'], { agents: { finder } })
  const run = agent.stream('Go')
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    delegations: [{ outcome: 'succeeded', text: 'The moon does it.' }],
  })
  expect(background(await allEvents(run)).map(([, payload]) => payload)).toMatchObject([
    { toolName: 'research' },
    { toolName: 'research', outcome: 'succeeded' },
  ])
})
