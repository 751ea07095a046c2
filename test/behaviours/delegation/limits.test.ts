/** Independence, caps, untrusted calls and time: what bounds the calls of one step. */
import {
  createTool,
  createTroupe,
  memoryStore,
  type DelegationOptions,
  type DelegationStartResult,
  type Store,
} from 'troupe'
import type { ScriptedToolCall } from 'troupe/testing'
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
import { ManualClock } from '../../support/clocks/manual-clock.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `found ${q}`,
})

/** A tool whose calls end only when they are told to, and that knows how many were at work at once. */
function heldTool() {
  const gates = new Map<number, PromiseWithResolvers<void>>()
  const gate = (n: number): PromiseWithResolvers<void> => {
    const known = gates.get(n) ?? Promise.withResolvers<void>()
    gates.set(n, known)
    return known
  }
  const state = { live: 0, most: 0, started: [] as number[] }
  const tool = createTool({
    id: 'work',
    description: 'Works until it is told to stop.',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => {
      state.live++
      state.most = Math.max(state.most, state.live)
      state.started.push(n)
      await gate(n).promise
      state.live--
      return `worked ${n}`
    },
  })
  const work = (n: number): ScriptedToolCall => ({ name: 'work', args: { n } })
  return { tool, work, state, release: (n: number) => gate(n).resolve() }
}

/** A tool that a person must approve. */
function approvedTool() {
  const ran: number[] = []
  const tool = createTool({
    id: 'publish',
    description: 'Publishes.',
    inputSchema: z.object({ n: z.number() }),
    requireApproval: true,
    execute: ({ n }) => {
      ran.push(n)
      return `published ${n}`
    },
  })
  return { tool, ran, publish: (n: number): ScriptedToolCall => ({ name: 'publish', args: { n } }) }
}

describe('the window', () => {
  test('at most toolCallConcurrency calls are live, and a place that becomes free goes to the next in line', async () => {
    const { tool, work, state, release } = heldTool()
    const { agent, model } = worker('agent', [calls(work(1), work(2), work(3), work(4), work(5)), 'Done.'], {
      tools: { work: tool },
      toolCallConcurrency: 2,
    })
    const run = agent.stream('Go')
    for (const n of [2, 1, 3, 5, 4]) {
      await until(run, 'tool-call', (event) => event.payload.toolCallId === `agent/call:1.${n}`)
      release(n)
      await until(run, 'tool-result', (event) => event.payload.toolCallId === `agent/call:1.${n}`)
    }
    await run.result
    expect(state).toEqual({ live: 0, most: 2, started: [1, 2, 3, 4, 5] })
    const order = only(await allEvents(run), 'tool-call', 'tool-result').map(
      ({ type, payload }) => `${type} ${payload.toolCallId.slice(-1)}`,
    )
    expect(order).toEqual([
      'tool-call 1',
      'tool-call 2',
      'tool-result 2',
      'tool-call 3',
      'tool-result 1',
      'tool-call 4',
      'tool-result 3',
      'tool-call 5',
      'tool-result 5',
      'tool-result 4',
    ])
    expect(toldOfCalls(model, 2)).toEqual(['worked 1', 'worked 2', 'worked 3', 'worked 4', 'worked 5'])
  })

  test('the default is ten', async () => {
    const { tool, work, state, release } = heldTool()
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1)
    const { agent } = worker('agent', [calls(...numbers.map(work)), 'Done.'], { tools: { work: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call', (event) => event.payload.toolCallId === 'agent/call:1.10')
    for (const n of numbers) release(n)
    await run.result
    expect(state).toMatchObject({ live: 0, started: numbers })
    const order = only(await allEvents(run), 'tool-call', 'tool-result').map((event) => event.type)
    expect(order.slice(0, 11)).toEqual([...Array.from({ length: 10 }, () => 'tool-call'), 'tool-result'])
  })

  test('a hundred calls at once: each result is at its place, and a replay tells the same', async () => {
    const { tool, work, state, release } = heldTool()
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
    const { agent, model } = worker('agent', [calls(...numbers.map(work)), 'Done.'], {
      tools: { work: tool },
      maxToolCallsPerStep: 100,
      toolCallConcurrency: 100,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'tool-call', (event) => event.payload.toolCallId === 'agent/call:1.100')
    for (const n of numbers) release((n * 37) % 101) // in another order: 101 is a prime
    const result = await run.result
    expect(state).toEqual({ live: 0, most: 100, started: numbers })
    expect(toldOfCalls(model, 2)).toEqual(numbers.map((n) => `worked ${n}`))
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('a hundred agents at once are all told of a cancel, and report first', async () => {
    const scout = worker('scout', [], { otherwise: { hang: true } })
    const { agent } = lead('lead', [calls(...Array.from({ length: 100 }, (_, n) => to('scout', `${n}`)))], {
      agents: { scout: scout.agent },
      maxToolCallsPerStep: 100,
      toolCallConcurrency: 100,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start', ({ path }) => path === 'lead/delegation:1.100/scout')
    await run.cancel('Enough.')
    const result = await run.result
    expect(result.outcome).toBe('cancelled')
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(Array(100).fill('cancelled'))
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('delegations and tool calls share it', async () => {
    const { tool, work, release } = heldTool()
    const scout = worker('scout', ['Scouted.'])
    const { agent, model } = lead('lead', [calls(work(1), to('scout', 'A'), work(2)), 'Done.'], {
      tools: { work: tool },
      agents: { scout: scout.agent },
      toolCallConcurrency: 1,
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call')
    expect(scout.model.calls).toEqual([])
    release(1)
    release(2)
    await run.result
    const order = only(
      await allEvents(run),
      'tool-call',
      'tool-result',
      'delegation-start',
      'delegation-end',
    ).map((event) => event.type)
    expect(order).toEqual([
      'tool-call',
      'tool-result',
      'delegation-start',
      'delegation-end',
      'tool-call',
      'tool-result',
    ])
    expect(toldOfCalls(model, 2)).toEqual(['worked 1', 'Scouted.', 'worked 2'])
  })

  test('a call that awaits approval gives up its place', async () => {
    const { tool: publishTool, ran, publish } = approvedTool()
    const { agent, model } = worker(
      'agent',
      [
        calls(publish(1), { name: 'lookup', args: { q: 'a' } }, publish(2), {
          name: 'lookup',
          args: { q: 'b' },
        }),
        'Done.',
      ],
      { tools: { publish: publishTool, lookup }, toolCallConcurrency: 1 },
    )
    const run = agent.stream('Go')
    const idle = await run.whenIdle
    expect(idle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolCallId: 'agent/call:1.1' }, { toolCallId: 'agent/call:1.3' }],
    })
    expect(ran).toEqual([])
    await run.approve('agent/call:1.3')
    await until(run, 'tool-result', (event) => event.payload.toolCallId === 'agent/call:1.3')
    await run.approve('agent/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(ran).toEqual([2, 1])
    expect(only(await allEvents(run), 'tool-result').map((event) => event.payload.result)).toEqual([
      'found a',
      'found b',
      'published 2',
      'published 1',
    ])
    expect(toldOfCalls(model, 2)).toEqual(['published 1', 'found a', 'published 2', 'found b'])
  })

  test('a subagent that waits for a person gives up its place too', async () => {
    const { tool: publishTool, publish } = approvedTool()
    const careful = worker('careful', [calls(publish(1)), 'Out.'], { tools: { publish: publishTool } })
    const scout = worker('scout', ['Scouted.'])
    const { agent, model } = lead('lead', [calls(to('careful', 'A'), to('scout', 'B')), 'Done.'], {
      agents: { careful: careful.agent, scout: scout.agent },
      toolCallConcurrency: 1,
    })
    const run = agent.stream('Go')
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      delegations: [{ agent: 'scout', outcome: 'succeeded' }],
    })
    await run.deny('lead/delegation:1.1/careful/call:1.1', 'not today')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(toldOfCalls(model, 2)).toEqual(['Out.', 'Scouted.'])
    expect(toldOfCalls(careful.model, 2)).toEqual(['{"error":"Tool call denied: not today","denied":true}'])
  })

  test('results are announced as they land, and given to the model in the order of its calls', async () => {
    const { tool, work, release } = heldTool()
    const { agent, model } = worker('agent', [calls(work(1), work(2), work(3)), 'Done.'], {
      tools: { work: tool },
    })
    const run = agent.stream('Go')
    for (const n of [3, 2, 1]) {
      release(n)
      await until(run, 'tool-result', (event) => event.payload.toolCallId === `agent/call:1.${n}`)
    }
    const result = await run.result
    expect(only(await allEvents(run), 'tool-result').map((event) => event.payload.result)).toEqual([
      'worked 3',
      'worked 2',
      'worked 1',
    ])
    expect(toldOfCalls(model, 2)).toEqual(['worked 1', 'worked 2', 'worked 3'])
    expect(result.steps[0]?.toolResults.map((toolResult) => toolResult.value)).toEqual([
      'worked 1',
      'worked 2',
      'worked 3',
    ])
  })
})

describe("a subagent's cap", () => {
  /** How many steps a subagent that never answers takes, and how its delegation ends. */
  async function stepsOf(options: {
    own?: number
    asked?: number
    hook?: DelegationStartResult
  }): Promise<{ steps: number; outcome: string | undefined; text: string | undefined }> {
    const busy = worker('busy', [], {
      tools: { lookup },
      otherwise: ({ toolChoice }) =>
        toolChoice === 'none' ? 'What I have.' : calls({ name: 'lookup', args: { q: 'x' } }),
      ...(options.own === undefined ? {} : { maxSteps: options.own }),
    })
    const more: Record<string, number> = options.asked === undefined ? {} : { maxSteps: options.asked }
    const { agent } = lead('lead', [calls(to('busy', 'A', more)), 'Done.'], {
      agents: { busy: busy.agent },
      ...(options.hook === undefined ? {} : { delegation: { onDelegationStart: () => options.hook } }),
    })
    const run = agent.stream('Go')
    const { delegations } = await run.result
    const steps = only(await allEvents(run), 'step-start').filter((event) => event.agent === 'busy')
    expect(busy.model.calls).toHaveLength(steps.length === 0 ? 0 : steps.length + 1)
    return { steps: steps.length, outcome: delegations[0]?.outcome, text: delegations[0]?.text }
  }

  test('is five unless it says otherwise; at the cap its delegation is exhausted, with the text of the final turn', async () => {
    expect(await stepsOf({})).toEqual({ steps: 5, outcome: 'exhausted', text: 'What I have.' })
    expect(await stepsOf({ own: 2 })).toEqual({ steps: 2, outcome: 'exhausted', text: 'What I have.' })
  })

  test("the model's maxSteps can only lower it", async () => {
    expect(await stepsOf({ asked: 3 })).toMatchObject({ steps: 3, outcome: 'exhausted' })
    expect(await stepsOf({ asked: 50 })).toMatchObject({ steps: 5, outcome: 'exhausted' })
    expect(await stepsOf({ own: 4, asked: 4 })).toMatchObject({ steps: 4, outcome: 'exhausted' })
  })

  test("a hook's modifiedMaxSteps sets another, up or down, whatever the model asked for", async () => {
    expect(await stepsOf({ hook: { modifiedMaxSteps: 7 } })).toMatchObject({ steps: 7, outcome: 'exhausted' })
    expect(await stepsOf({ hook: { modifiedMaxSteps: 1 } })).toMatchObject({ steps: 1, outcome: 'exhausted' })
    expect(await stepsOf({ hook: { modifiedMaxSteps: 7 }, asked: 6 })).toMatchObject({ steps: 7 })
    expect(await stepsOf({ hook: { modifiedMaxSteps: 4 }, asked: 6 })).toMatchObject({ steps: 4 })
  })

  test('the parent model is told that the answer is incomplete, and why', async () => {
    const busy = worker('busy', [calls({ name: 'lookup', args: { q: 'x' } }), 'What I have.'], {
      tools: { lookup },
      maxSteps: 1,
    })
    const { agent, model } = lead('lead', [calls(to('busy', 'A')), 'Done.'], { agents: { busy: busy.agent } })
    await agent.generate('Go')
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { text: 'What I have.', incomplete: 'The agent "busy" reached a limit (maxSteps) before it was done.' },
    ])
  })

  test('a maxSteps below three comes back to the model, and nothing runs', async () => {
    const scout = worker('scout', [])
    const { agent, model } = lead('lead', [calls(to('scout', 'A', { maxSteps: 2 })), 'Done.'], {
      agents: { scout: scout.agent },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', delegations: [] })
    expect(toldOfCalls(model, 2)[0]).toContain('Invalid arguments for \\"agent-scout\\": maxSteps')
    expect(scout.model.calls).toEqual([])
  })
})

describe('calls that cannot run come back to the model', () => {
  test('an unknown tool, with those that exist', async () => {
    const { agent, model } = lead('lead', [calls({ name: 'nothing' }), 'Done.'], {
      tools: { lookup },
      agents: { scout: worker('scout', []).agent },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { error: 'There is no tool "nothing". Available: lookup, agent-scout.' },
    ])
    expect(shown(model, 2).at(-1)).toMatchObject({ role: 'tool', toolName: 'nothing', isError: true })
    expect(only(await allEvents(run), 'tool-error')).toMatchObject([
      { payload: { toolName: 'nothing', outcome: 'failed', error: { code: 'INVALID_TOOL_CALL' } } },
    ])
  })

  test('a delegation by an agent that has no subagents', async () => {
    const { agent, model } = worker('agent', [calls(to('scout', 'A')), 'Done.'], { tools: { lookup } })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', delegations: [] })
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { error: 'There is no agent "agent-scout". Available: lookup.' },
    ])
  })

  test('arguments that are not JSON, of a tool and of an agent; the rest of the step runs', async () => {
    const scout = worker('scout', [])
    const { agent, model } = lead(
      'lead',
      [
        calls(
          { name: 'lookup', malformed: '{"q": ' },
          { name: 'agent-scout', malformed: 'prompt' },
          { name: 'lookup', args: { q: 'x' } },
        ),
        'Done.',
      ],
      { tools: { lookup }, agents: { scout: scout.agent } },
    )
    const result = await agent.stream('Go').result
    expect(result).toMatchObject({ outcome: 'completed', delegations: [] })
    expect(toldOfCalls(model, 2)).toEqual([
      expect.stringMatching(/The arguments of .+lookup.+ were not a JSON object. Expected .+required.+q/),
      expect.stringMatching(
        /The arguments of .+agent-scout.+ were not a JSON object. Expected .+required.+prompt/,
      ),
      'found x',
    ])
    expect(result.steps[0]?.toolResults.map((toolResult) => toolResult.outcome)).toEqual([
      'failed',
      'failed',
      'succeeded',
    ])
    expect(scout.model.calls).toEqual([])
  })

  test('arguments that do not fit, with what is wrong, of a tool and of an agent', async () => {
    const scout = worker('scout', [])
    let ran = 0
    const strict = createTool({
      id: 'strict',
      description: 'Wants a number.',
      inputSchema: z.object({ count: z.number() }),
      execute: () => ++ran,
    })
    const { agent, model } = lead(
      'lead',
      [
        calls(
          { name: 'strict', args: { count: 'three' } },
          { name: 'strict', args: 'three' },
          { name: 'agent-scout', args: { task: 'A' } },
          to('scout', ''),
        ),
        'Done.',
      ],
      { tools: { strict }, agents: { scout: scout.agent } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', delegations: [] })
    const told = toldOfCalls(model, 2)
    expect(told).toHaveLength(4)
    expect(told[0]).toMatch(/Invalid arguments for \\"strict\\": count.*number/)
    expect(told[1]).toMatch(/Invalid arguments for \\"strict\\".*object/)
    expect(told[2]).toMatch(/Invalid arguments for \\"agent-scout\\": prompt.*string/)
    expect(told[3]).toMatch(/Invalid arguments for \\"agent-scout\\": prompt/)
    expect(ran).toBe(0)
    expect(scout.model.calls).toEqual([])
  })

  test('the model may try again with what it was told', async () => {
    const { agent, model } = worker(
      'agent',
      [calls({ name: 'lookup', malformed: 'q=x' }), calls({ name: 'lookup', args: { q: 'x' } }), 'Done.'],
      { tools: { lookup } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 3)[1]).toBe('found x')
  })

  test('what the model fills in as null counts as not given', async () => {
    const scout = worker('scout', ['Scouted.'])
    const everything = { prompt: 'A', threadId: null, resourceId: null, instructions: null, maxSteps: null }
    const { agent } = lead('lead', [calls({ name: 'agent-scout', args: everything }), 'Done.'], {
      agents: { scout: scout.agent },
    })
    expect(await agent.generate('Go')).toMatchObject({
      delegations: [{ outcome: 'succeeded', text: 'Scouted.' }],
    })
    expect(shown(scout.model, 1)[0]).toEqual({ role: 'system', content: 'I am scout.' })
  })
})

describe("the model's own call ids", () => {
  test('that repeat in one reply are told apart, each with its own result', async () => {
    const scout = worker('scout', ['For A.', 'For B.'])
    const { agent, model } = lead(
      'lead',
      [
        calls(
          { name: 'lookup', args: { q: 'x' }, id: 'same' },
          { name: 'lookup', args: { q: 'y' }, id: 'same' },
          { ...to('scout', 'A'), id: 'same' },
          { ...to('scout', 'B'), id: '' },
        ),
        'Done.',
      ],
      { tools: { lookup }, agents: { scout: scout.agent } },
    )
    const run = agent.stream('Go')
    const result = await run.result
    const [assistant, ...results] = shown(model, 2).slice(2)
    const ids = assistant?.role === 'assistant' ? (assistant.toolCalls ?? []).map((call) => call.id) : []
    expect(ids[0]).toBe('same')
    expect(ids).not.toContain('')
    expect(new Set(ids).size).toBe(4)
    expect(results.map((message) => (message.role === 'tool' ? message.toolCallId : message.role))).toEqual(
      ids,
    )
    expect(results.map((message) => message.content)).toEqual(['found x', 'found y', 'For A.', 'For B.'])
    expect(only(await allEvents(run), 'tool-call').map((event) => event.payload.toolCallId)).toEqual([
      'lead/call:1.1',
      'lead/call:1.2',
    ])
    expect(result.delegations.map((delegation) => delegation.id)).toEqual([
      'lead/delegation:1.3',
      'lead/delegation:1.4',
    ])
  })

  test('that look like ours are told apart too', async () => {
    const { agent, model } = worker(
      'agent',
      [
        calls(
          { name: 'lookup', args: { q: 'x' }, id: 'call-1-2' },
          { name: 'lookup', args: { q: 'y' }, id: '' },
          { name: 'lookup', args: { q: 'z' }, id: 'call-1-2' },
        ),
        'Done.',
      ],
      { tools: { lookup } },
    )
    await agent.generate('Go')
    const ids = shown(model, 2).flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
    expect(toldOfCalls(model, 2)).toEqual(['found x', 'found y', 'found z'])
  })

  test('that repeat over the steps of a run name different calls of ours', async () => {
    const { agent } = worker(
      'agent',
      [
        calls({ name: 'lookup', args: { q: 'x' }, id: 'call_0' }),
        calls({ name: 'lookup', args: { q: 'y' }, id: 'call_0' }),
        'Done.',
      ],
      { tools: { lookup } },
    )
    const run = agent.stream('Go')
    await run.result
    expect(
      only(await allEvents(run), 'tool-result').map(({ payload }) => [payload.toolCallId, payload.result]),
    ).toEqual([
      ['agent/call:1.1', 'found x'],
      ['agent/call:2.1', 'found y'],
    ])
  })
})

describe('the timeout of a delegation', () => {
  async function started(delegation: DelegationOptions, publishing = false) {
    const clock = new ManualClock()
    const { tool: publishTool, publish, ran } = approvedTool()
    const slow = worker('slow', [...(publishing ? [calls(publish(1))] : []), { hang: true }], {
      tools: { publish: publishTool },
    })
    const { agent, model } = lead('lead', [calls(to('slow', 'A')), 'Done.'], {
      agents: { slow: slow.agent },
      delegation,
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'delegation-start')
    return { clock, slow, model, run, troupe, ran }
  }

  test('ends it as timedOut: its model call is aborted, the hook is told, the run goes on', async () => {
    const completed: unknown[] = []
    const { clock, slow, model, run } = await started({
      timeout: 1_000,
      onDelegationComplete: ({ outcome, duration, error }) =>
        void completed.push({ outcome, duration, code: error?.code }),
    })
    expect(clock.due).toEqual([1_000])
    clock.advance(999)
    expect(slow.model.calls[0]?.signal.aborted).toBe(false)
    clock.advance(1)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.delegations).toMatchObject([
      {
        agent: 'slow',
        outcome: 'timedOut',
        duration: 1_000,
        error: {
          name: 'TimeoutError',
          code: 'DELEGATION_TIMEOUT',
          message: 'The agent "slow" did not finish within 1000 ms.',
        },
      },
    ])
    expect(slow.model.calls[0]?.signal.aborted).toBe(true)
    expect(completed).toEqual([{ outcome: 'timedOut', duration: 1_000, code: 'DELEGATION_TIMEOUT' }])
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"slow\\" timed out."}'])
    expect(clock.due).toEqual([])
  })

  test('is its own: a sibling in time succeeds, and a tool of the late one is told to stop', async () => {
    const clock = new ManualClock()
    const toldToStop: string[] = []
    const endless = createTool({
      id: 'endless',
      description: 'Never ends by itself.',
      inputSchema: z.object({}),
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            toldToStop.push('endless')
            resolve('late')
          })
        }),
    })
    const slow = worker('slow', [calls({ name: 'endless' })], { tools: { endless } })
    const scout = worker('scout', ['Scouted.'])
    const { agent, model } = lead('lead', [calls(to('slow', 'A'), to('scout', 'B')), 'Done.'], {
      agents: { slow: slow.agent, scout: scout.agent },
      delegation: { timeout: 1_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'delegation-end', (event) => event.payload.agentId === 'scout')
    await until(run, 'tool-call')
    expect(clock.due).toEqual([1_000])
    clock.advance(1_000)
    const result = await run.result
    expect(result.delegations.map(({ agent: id, outcome, text }) => [id, outcome, text])).toEqual([
      ['slow', 'timedOut', ''],
      ['scout', 'succeeded', 'Scouted.'],
    ])
    expect(toldToStop).toEqual(['endless'])
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"slow\\" timed out."}', 'Scouted.'])
  })

  test('leaves no timer behind when the subagent is in time', async () => {
    const clock = new ManualClock()
    const { agent } = lead('lead', [calls(to('scout', 'A')), 'Done.'], {
      agents: { scout: worker('scout', ['Scouted.']).agent },
      delegation: { timeout: 1_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    expect(await run.result).toMatchObject({ delegations: [{ outcome: 'succeeded', duration: 0 }] })
    expect(clock.due).toEqual([])
  })

  test('stands still while the subagent waits for a person, and goes on with what was left', async () => {
    const { clock, run, ran, troupe } = await started({ timeout: 1_000 }, true)
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolName: 'publish' }] })
    expect(clock.due).toEqual([])
    clock.advance(5_000)
    await run.approve('lead/delegation:1.1/slow/call:1.1')
    await until(run, 'step-start', ({ agent, payload }) => agent === 'slow' && payload.step === 2)
    expect(ran).toEqual([1])
    expect(clock.due).toEqual([6_000])
    clock.advance(1_000)
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'timedOut', duration: 6_000 }],
    })
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
  })

  test('takes only what the subagent used before it had to wait', async () => {
    const clock = new ManualClock()
    const first = Promise.withResolvers<void>()
    const { tool: publishTool, publish } = approvedTool()
    const slow = worker('slow', [{ ...calls(publish(1)), until: first.promise }, { hang: true }], {
      tools: { publish: publishTool },
    })
    const { agent } = lead('lead', [calls(to('slow', 'A')), 'Done.'], {
      agents: { slow: slow.agent },
      delegation: { timeout: 1_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'delegation-start')
    clock.advance(400)
    first.resolve()
    await run.whenIdle
    clock.advance(10_000)
    await run.approve('lead/delegation:1.1/slow/call:1.1')
    await until(run, 'step-start', ({ agent: id, payload }) => id === 'slow' && payload.step === 2)
    expect(clock.due).toEqual([11_000])
    clock.advance(600)
    expect(await run.result).toMatchObject({ delegations: [{ outcome: 'timedOut', duration: 11_000 }] })
  })

  test('runs on in a subagent of which only a part waits for a person', async () => {
    const clock = new ManualClock()
    const { tool, work } = heldTool()
    const { tool: publishTool, publish, ran } = approvedTool()
    const slow = worker('slow', [calls(publish(1), work(1))], { tools: { publish: publishTool, work: tool } })
    const { agent } = lead('lead', [calls(to('slow', 'A')), 'Done.'], {
      agents: { slow: slow.agent },
      delegation: { timeout: 1_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'tool-call-approval')
    expect(clock.due).toEqual([1_000])
    clock.advance(1_000)
    expect(await run.result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'timedOut' }] })
    await expect(run.approve('lead/delegation:1.1/slow/call:1.1')).rejects.toThrow(
      expect.objectContaining({ name: 'SignalError', code: 'SIGNAL_TOO_LATE' }),
    )
    expect(ran).toEqual([])
  })

  test('that ran out just before the subagent began to wait still ends it', async () => {
    const clock = new ManualClock()
    const journals = memoryStore()
    const ask = createTool({
      id: 'ask',
      description: 'Asks a person.',
      inputSchema: z.object({}),
      execute: (_, { suspend }): string => suspend('?'),
    })
    const slow = worker('slow', [calls({ name: 'ask' })], { tools: { ask } })
    const { agent, model } = lead('lead', [calls(to('slow', 'A')), 'Done.'], {
      agents: { slow: slow.agent },
      delegation: { timeout: 1_000 },
    })
    const store: Store = {
      ...journals,
      // The deadline fires after the suspension was written down, and before it is delivered.
      append: (appends) => {
        const isSuspension = appends.some(
          ({ entry }) => entry?.type === 'effect.settled' && entry.kind === 'tool',
        )
        if (isSuspension) clock.advance(1_000)
        return journals.append(appends)
      },
    }
    const troupe = createTroupe({ agents: [agent], clock, store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ outcome: 'timedOut', error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"slow\\" timed out."}'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})
