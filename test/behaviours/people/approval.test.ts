/** Behaviours 27 to 29, in one process: calls that wait for a person, and answers that come when they should not. */
import {
  createTool,
  createTroupe,
  memoryStore,
  SignalError,
  type Run,
  type RunResult,
  type Tool,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

/** A tool that needs approval and counts how often it ran. */
function guarded(
  requireApproval: boolean | ((input: { path: string }) => boolean | Promise<boolean>) = true,
): {
  readonly tool: Tool
  readonly ran: string[]
} {
  const ran: string[] = []
  const tool = createTool({
    id: 'remove',
    description: 'Removes a file.',
    inputSchema: z.object({ path: z.string().default('notes/x') }),
    requireApproval,
    execute: ({ path }) => {
      ran.push(path)
      return `removed ${path}`
    },
  })
  return { tool, ran }
}

const callsRemove = calls({ name: 'remove', args: { path: 'secrets' } })

async function codeOf(answer: () => Promise<void>): Promise<string> {
  try {
    await answer()
  } catch (error) {
    if (error instanceof SignalError) return error.code
    throw error
  }
  return 'accepted'
}

function suspended(result: RunResult) {
  if (result.outcome !== 'suspended') throw new Error(`The run is not suspended but ${result.outcome}.`)
  return result
}

describe('27: approval', () => {
  const path = 'lead/delegation:1.1/janitor/call:1.1'

  test("a child's call is announced at the root with path and call id; approved, it runs once", async () => {
    const { tool, ran } = guarded()
    const janitor = worker('janitor', [callsRemove, 'Cleaned.'], { tools: { remove: tool } })
    const { agent, model } = lead('lead', [calls(to('janitor', 'Clean')), 'All clean.'], {
      agents: { janitor: janitor.agent },
    })
    const run = agent.stream('Go')
    const asked = await until(run, 'tool-call-approval')
    expect(asked).toMatchObject({
      agent: 'janitor',
      path,
      delegationId: 'lead/delegation:1.1',
      payload: { toolCallId: path, toolName: 'remove', args: { path: 'secrets' } },
    })
    const idle = suspended(await run.whenIdle)
    expect(idle.awaiting).toEqual([
      { toolCallId: path, type: 'approval', agent: 'janitor', toolName: 'remove', args: { path: 'secrets' } },
    ])
    expect(ran).toEqual([])
    expect(model.calls).toHaveLength(1)

    await run.approve(path)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect(ran).toEqual(['secrets'])
    expect(toldOfCalls(janitor.model, 2)).toEqual(['removed secrets'])
    const events = await allEvents(run)
    expect(only(events, 'suspended', 'resumed').map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'suspended', payload: { awaiting: idle.awaiting } },
      { type: 'resumed', payload: { toolCallId: path } },
    ])
  })

  test('denied, it never runs, and the agent goes on with the denial', async () => {
    const { tool, ran } = guarded()
    const janitor = worker('janitor', [callsRemove, 'I was not allowed to.'], { tools: { remove: tool } })
    const { agent, model } = lead('lead', [calls(to('janitor', 'Clean')), 'Left as it was.'], {
      agents: { janitor: janitor.agent },
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.deny(path, 'Not on a Friday.')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Left as it was.',
      delegations: [{ outcome: 'succeeded', text: 'I was not allowed to.' }],
    })
    expect(ran).toEqual([])
    expect(toldOfCalls(janitor.model, 2).map((content) => JSON.parse(content) as unknown)).toEqual([
      { error: 'Tool call denied: Not on a Friday.', denied: true },
    ])
    expect(toldOfCalls(model, 2)).toEqual(['I was not allowed to.'])
    expect(only(await allEvents(run), 'tool-error').map((event) => event.payload)).toEqual([
      {
        toolCallId: path,
        toolName: 'remove',
        outcome: 'denied',
        error: { name: 'DeniedError', code: 'DENIED', message: 'Tool call denied: Not on a Friday.' },
      },
    ])
  })

  test('without a reason the model is told that there was none', async () => {
    const { tool } = guarded()
    const { agent, model } = worker('solo', [callsRemove, 'Fine.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    const { payload } = await until(run, 'tool-call-approval')
    await run.deny(payload.toolCallId)
    await run.result
    expect(toldOfCalls(model, 2).map((content) => JSON.parse(content) as unknown)).toEqual([
      { error: 'Tool call denied: no reason was given', denied: true },
    ])
  })

  test('an answer given from inside an event listener counts', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [callsRemove, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    for await (const event of run.events) {
      if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId)
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(ran).toEqual(['secrets'])
  })

  test('arguments are checked before anybody is asked', async () => {
    const { tool } = guarded()
    const { agent } = worker('solo', [calls({ name: 'remove', args: { path: 7 } }), 'Never mind.'], {
      tools: { remove: tool },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Never mind.' })
    expect(only(await allEvents(run), 'tool-call-approval')).toEqual([])
  })

  test('a call that waits gives up its place and holds only itself', async () => {
    const { tool, ran } = guarded()
    const note = createTool({
      id: 'note',
      description: 'Takes a note.',
      inputSchema: z.object({}),
      execute: () => 'noted',
    })
    const { agent, model } = worker(
      'solo',
      [calls({ name: 'remove', args: { path: '/a' } }, { name: 'note' }), 'Done.'],
      { tools: { remove: tool, note }, toolCallConcurrency: 1 },
    )
    const run = agent.stream('Go')
    expect((await until(run, 'tool-result')).payload).toMatchObject({ toolName: 'note', result: 'noted' })
    await run.approve('solo/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['/a'])
    // In the order of the calls, not of the answers.
    expect(toldOfCalls(model, 2)).toEqual(['removed /a', 'noted'])
  })

  test('two calls wait: each is answered by its own id', async () => {
    const { tool, ran } = guarded()
    const both = calls({ name: 'remove', args: { path: '/a' } }, { name: 'remove', args: { path: '/b' } })
    const { agent } = worker('solo', [both, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    const first = suspended(await run.whenIdle)
    expect(first.awaiting.map(({ toolCallId }) => toolCallId)).toEqual(['solo/call:1.1', 'solo/call:1.2'])
    await run.deny('solo/call:1.1')
    const second = suspended(await run.whenIdle)
    expect(second.awaiting.map(({ toolCallId }) => toolCallId)).toEqual(['solo/call:1.2'])
    await run.approve('solo/call:1.2')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['/b'])
  })
})

describe('the approval predicate', () => {
  test('is asked with the checked arguments; only what it says yes to waits', async () => {
    const asked: string[] = []
    const { tool, ran } = guarded(async ({ path }) => {
      asked.push(path)
      return path !== 'notes/x'
    })
    const { agent } = worker(
      'solo',
      [calls({ name: 'remove', args: {} }, { name: 'remove', args: { path: 'secrets' } }), 'Done.'],
      { tools: { remove: tool } },
    )
    const run = agent.stream('Go')
    const idle = suspended(await run.whenIdle)
    expect(idle.awaiting.map(({ toolCallId }) => toolCallId)).toEqual(['solo/call:1.2'])
    expect(ran).toEqual(['notes/x'])
    await run.approve('solo/call:1.2')
    await run.result
    expect(asked).toEqual(['notes/x', 'secrets'])
    expect(ran).toEqual(['notes/x', 'secrets'])
  })

  test('that throws fails the call closed', async () => {
    const { tool, ran } = guarded(() => {
      throw new Error('policy server down')
    })
    const { agent, model } = worker('solo', [callsRemove, 'Could not.'], { tools: { remove: tool } })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Could not.' })
    expect(result.steps[0]?.toolResults).toMatchObject([
      { outcome: 'failed', error: { code: 'HOOK_FAILED', message: 'policy server down' } },
    ])
    expect(ran).toEqual([])
    expect(toldOfCalls(model, 2).join()).not.toContain('policy')
  })

  test("that throws under hookErrors 'ignore' is announced, and a person is asked", async () => {
    const { tool, ran } = guarded(() => {
      throw new Error('policy server down')
    })
    const { agent } = worker('solo', [callsRemove, 'Done.'], {
      tools: { remove: tool },
      hookErrors: 'ignore',
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    expect(ran).toEqual([])
    await run.approve('solo/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['secrets'])
    expect(only(await allEvents(run), 'error').map((event) => event.payload.error.message)).toEqual([
      'policy server down',
    ])
  })
})

describe('28: suspension', () => {
  const attempts: unknown[] = []
  const ask = createTool({
    id: 'ask',
    description: 'Asks a person.',
    inputSchema: z.object({ question: z.string() }),
    execute: ({ question }, { suspend, resumeData, idempotencyKey }) => {
      attempts.push({ resumeData, idempotencyKey })
      if (resumeData === undefined) suspend({ question })
      return { answer: resumeData }
    },
  })
  const callsAsk = calls({ name: 'ask', args: { question: 'Which colour?' } })

  test('the run is suspended with the payload; resumed with data it completes', async () => {
    attempts.length = 0
    const { agent, model } = worker('solo', [callsAsk, 'Blue it is.'], { tools: { ask } })
    const run = agent.stream('Go')
    const idle = suspended(await run.whenIdle)
    expect(idle).toEqual({
      runId: run.id,
      outcome: 'suspended',
      text: '',
      awaiting: [
        {
          toolCallId: 'solo/call:1.1',
          type: 'suspension',
          agent: 'solo',
          toolName: 'ask',
          args: { question: 'Which colour?' },
          payload: { question: 'Which colour?' },
        },
      ],
      delegations: [],
      scores: [],
      steps: [],
      errors: [],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        byAgent: { solo: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
      },
    })
    await run.resume('solo/call:1.1', { colour: 'blue' })
    expect(await run.whenIdle).toMatchObject({ outcome: 'completed', text: 'Blue it is.' })
    expect(toldOfCalls(model, 2)).toEqual(['{"answer":{"colour":"blue"}}'])
    const idempotencyKey = `${run.id}/solo/call:1.1`
    expect(attempts).toEqual([
      { resumeData: undefined, idempotencyKey },
      { resumeData: { colour: 'blue' }, idempotencyKey },
    ])
    expect(only(await allEvents(run), 'tool-call-suspended').map((event) => event.payload)).toEqual([
      {
        toolCallId: 'solo/call:1.1',
        toolName: 'ask',
        suspendPayload: { question: 'Which colour?' },
      },
    ])
  })

  test('`generate` resolves at the suspension', async () => {
    const { agent } = worker('solo', [callsAsk], { tools: { ask } })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ type: 'suspension', toolName: 'ask', payload: { question: 'Which colour?' } }],
    })
  })

  test('in a child: the delegation waits, its timeout stands still, and what is done so far is told', async () => {
    attempts.length = 0
    const clock = virtualClock()
    const asker = worker('asker', [callsAsk, 'Blue.'], { tools: { ask } })
    const { agent } = lead('lead', [calls(to('asker', 'Find out')), 'Blue it is.'], {
      agents: { asker: asker.agent },
      delegation: { timeout: 1_000 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    expect(suspended(await run.whenIdle).awaiting.map((signal) => signal.agent)).toEqual(['asker'])
    clock.advance(3_600_000)
    await run.resume('lead/delegation:1.1/asker/call:1.1', 'blue')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Blue it is.',
      delegations: [{ outcome: 'succeeded', text: 'Blue.' }],
    })
    expect(clock.pending).toBe(0)
  })

  test('denied instead of resumed, the tool does not run again', async () => {
    attempts.length = 0
    const { agent, model } = worker('solo', [callsAsk, 'Grey, then.'], { tools: { ask } })
    const run = agent.stream('Go')
    await run.whenIdle
    await run.deny('solo/call:1.1', 'No idea.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Grey, then.' })
    expect(attempts).toHaveLength(1)
    expect(toldOfCalls(model, 2).join()).toContain('Tool call denied: No idea.')
  })

  test('a tool may suspend more than once, and resume without data is null', async () => {
    const answers: unknown[] = []
    const twice = createTool({
      id: 'twice',
      description: 'Asks two times.',
      inputSchema: z.object({}),
      execute: (_, { suspend, resumeData }) => {
        answers.push(resumeData)
        if (answers.length < 3) suspend(`question ${answers.length}`)
        return 'enough'
      },
    })
    const { agent, model } = worker('solo', [calls({ name: 'twice' }), 'Done.'], { tools: { twice } })
    const run = agent.stream('Go')
    expect(suspended(await run.whenIdle).awaiting[0]?.payload).toBe('question 1')
    await run.resume('solo/call:1.1')
    expect(suspended(await run.whenIdle).awaiting[0]?.payload).toBe('question 2')
    await run.resume('solo/call:1.1', 2)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(answers).toEqual([undefined, null, 2])
    expect(toldOfCalls(model, 2)).toEqual(['enough'])
  })

  test('a tool that catches what `suspend` throws has suspended all the same', async () => {
    const sly = createTool({
      id: 'sly',
      description: 'Catches.',
      inputSchema: z.object({}),
      execute: (_, { suspend, resumeData }) => {
        if (resumeData !== undefined) return 'resumed'
        try {
          return suspend('held')
        } catch {
          return 'went on'
        }
      },
    })
    const { agent, model } = worker('solo', [calls({ name: 'sly' }), 'Done.'], { tools: { sly } })
    const run = agent.stream('Go')
    expect(suspended(await run.whenIdle).awaiting[0]?.payload).toBe('held')
    await run.resume('solo/call:1.1', true)
    await run.result
    expect(toldOfCalls(model, 2)).toEqual(['resumed'])
  })
})

describe('29: answers that are refused, and change nothing', () => {
  async function waitingRun(): Promise<{ run: Run; ran: readonly string[]; id: string }> {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [callsRemove, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    const { payload } = await until(run, 'tool-call-approval')
    return { run, ran, id: payload.toolCallId }
  }

  test('twice: the first one counts', async () => {
    const { run, ran, id } = await waitingRun()
    await run.approve(id)
    expect(await codeOf(() => run.approve(id))).toBe('SIGNAL_ALREADY_ANSWERED')
    expect(await codeOf(() => run.deny(id))).toBe('SIGNAL_ALREADY_ANSWERED')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['secrets'])
    expect(await codeOf(() => run.approve(id))).toBe('SIGNAL_ALREADY_ANSWERED')
  })

  test('an unknown id: the error says what the run waits for', async () => {
    const { run, ran, id } = await waitingRun()
    await expect(run.approve('solo/call:9.9')).rejects.toThrow(
      expect.objectContaining({
        name: 'SignalError',
        code: 'UNKNOWN_SIGNAL',
        id: 'solo/call:9.9',
        message: 'Cannot approve "solo/call:9.9": the run waits for solo/call:1.1.',
      }),
    )
    expect(suspended(await run.whenIdle).awaiting.map((signal) => signal.toolCallId)).toEqual([id])
    expect(ran).toEqual([])
    await run.approve(id)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('the wrong verb: an approval is not resumed, a suspension not approved', async () => {
    const { run, ran, id } = await waitingRun()
    expect(await codeOf(() => run.resume(id, 1))).toBe('SIGNAL_TYPE_MISMATCH')
    expect(ran).toEqual([])
    await run.approve(id)
    await run.result

    const pause = createTool({
      id: 'pause',
      description: 'Waits.',
      inputSchema: z.object({}),
      execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
    })
    const { agent } = worker('solo', [calls({ name: 'pause' }), 'Done.'], { tools: { pause } })
    const second = agent.stream('Go')
    await second.whenIdle
    expect(await codeOf(() => second.approve('solo/call:1.1'))).toBe('SIGNAL_TYPE_MISMATCH')
    await second.resume('solo/call:1.1', 'go')
    expect(await second.result).toMatchObject({ outcome: 'completed' })
  })

  test('data that JSON cannot hold is refused before anything is answered', async () => {
    const pause = createTool({
      id: 'pause',
      description: 'Waits.',
      inputSchema: z.object({}),
      execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
    })
    const { agent } = worker('solo', [calls({ name: 'pause' }), 'Done.'], { tools: { pause } })
    const run = agent.stream('Go')
    await run.whenIdle
    const circular: Record<string, never> = {}
    Object.assign(circular, { self: circular })
    await expect(run.resume('solo/call:1.1', circular)).rejects.toThrow(
      expect.objectContaining({ code: 'NOT_SERIALISABLE' }),
    )
    await run.resume('solo/call:1.1', 'go')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('after a cancel', async () => {
    const { run, ran, id } = await waitingRun()
    await run.cancel()
    expect(await codeOf(() => run.approve(id))).toBe('SIGNAL_TOO_LATE')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(await codeOf(() => run.approve(id))).toBe('SIGNAL_TOO_LATE')
    expect(await codeOf(() => run.approve('solo/call:9.9'))).toBe('UNKNOWN_SIGNAL')
    expect(ran).toEqual([])
  })

  test('after a timeout of the delegation', async () => {
    const clock = virtualClock()
    const { tool, ran } = guarded()
    const busy = Promise.withResolvers<AbortSignal>()
    const hang = createTool({
      id: 'hang',
      description: 'Never ends.',
      inputSchema: z.object({}),
      execute: (_, { signal }) => {
        busy.resolve(signal)
        return new Promise<never>(() => undefined)
      },
    })
    // While a sibling call is at work the child is not held as a whole, so its time runs.
    const janitor = worker(
      'janitor',
      [calls({ name: 'remove', args: { path: 'secrets' } }, { name: 'hang' })],
      {
        tools: { remove: tool, hang },
      },
    )
    const { agent, model } = lead('lead', [calls(to('janitor', 'Clean')), 'Too slow.'], {
      agents: { janitor: janitor.agent },
      delegation: { timeout: 500 },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const { payload } = await until(run, 'tool-call-approval')
    const signal = await busy.promise
    clock.advance(500)
    await until(run, 'delegation-end')
    expect(await codeOf(() => run.approve(payload.toolCallId))).toBe('SIGNAL_TOO_LATE')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Too slow.',
      delegations: [{ outcome: 'timedOut', error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(ran).toEqual([])
    expect(signal.aborted).toBe(true)
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"janitor\\" timed out."}'])
  })
})

describe('a decision that holds for the rest of the run', () => {
  function team(steps: number) {
    const { tool, ran } = guarded()
    const janitor = worker('janitor', [], {
      otherwise: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : callsRemove),
      tools: { remove: tool },
    })
    const { agent, model } = lead(
      'lead',
      [...Array.from({ length: steps }, () => calls(to('janitor', 'Clean'))), 'All clean.'],
      { agents: { janitor: janitor.agent } },
    )
    return { agent, janitor, model, ran }
  }

  const callOf = (step: number) => `lead/delegation:${step}.1/janitor/call:1.1`

  test('approved always, the tool of that agent is not held again, in any delegation', async () => {
    const { agent, ran } = team(3)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'tool-call-approval')
    await run.approve(callOf(1), { always: true, by: 'ada' })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect(ran).toHaveLength(3)
    expect(only(await allEvents(run), 'tool-call-approval')).toHaveLength(1)
    expect((await troupe.history(run.id)).find(({ type }) => type === 'signal.received')).toMatchObject({
      by: 'ada',
      always: true,
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('denied always, it is denied again with the same reason, and no person is asked', async () => {
    const { agent, janitor, ran } = team(2)
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.deny(callOf(1), 'Never.', { always: true })
    expect((await run.result).outcome).toBe('completed')
    expect(ran).toEqual([])
    expect(only(await allEvents(run), 'tool-call-approval')).toHaveLength(1)
    expect(toldOfCalls(janitor.model, 4)).toEqual([
      JSON.stringify({ error: 'Tool call denied: Never.', denied: true }),
    ])
  })

  test('it holds for one tool of one agent, and for this run alone', async () => {
    const remove = guarded()
    const burn = guarded()
    const tools = { remove: remove.tool, burn: burn.tool }
    const janitor = worker('janitor', [callsRemove, 'Cleaned.'], { tools })
    const { agent } = lead('lead', [calls({ name: 'remove' }, to('janitor', 'Clean')), 'Clean.'], {
      agents: { janitor: janitor.agent },
      tools,
      toolCallConcurrency: 1,
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve('lead/call:1.1', { always: true })
    await until(run, 'tool-call-approval', ({ agent: asked }) => asked === 'janitor')
    await run.deny('lead/delegation:1.2/janitor/call:1.1')
    expect((await run.result).outcome).toBe('completed')
    expect(remove.ran).toEqual(['notes/x'])
    expect(await worker('lead', [callsRemove], { tools }).agent.generate('Go')).toMatchObject({
      outcome: 'suspended',
    })
  })

  test('calls that wait already are answered one by one', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [calls({ name: 'remove' }, { name: 'remove' }), callsRemove, 'Done.'], {
      tools: { remove: tool },
    })
    const run = agent.stream('Go')
    await run.whenIdle
    await run.approve('solo/call:1.1', { always: true })
    expect(suspended(await run.whenIdle).awaiting.map(({ toolCallId }) => toolCallId)).toEqual([
      'solo/call:1.2',
    ])
    await run.approve('solo/call:1.2')
    expect((await run.result).outcome).toBe('completed')
    expect(ran).toHaveLength(3)
  })

  test('a predicate is still asked, and only the calls that it holds are decided', async () => {
    const seen: string[] = []
    const { tool, ran } = guarded(({ path: asked }) => {
      seen.push(asked)
      return asked === 'secrets'
    })
    const { agent } = worker(
      'solo',
      [
        callsRemove,
        calls({ name: 'remove', args: { path: 'notes' } }, callsRemove.toolCalls?.[0] ?? { name: '' }),
        'Done.',
      ],
      { tools: { remove: tool } },
    )
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve('solo/call:1.1', { always: true })
    expect((await run.result).outcome).toBe('completed')
    expect(seen).toEqual(['secrets', 'notes', 'secrets'])
    expect(ran).toHaveLength(3)
  })

  test('it survives a passivation and another process', async () => {
    const store = memoryStore()
    const first = team(2)
    const troupe = createTroupe({ agents: [first.agent], store })
    const run = await troupe.start(first.agent, 'Go')
    await run.whenIdle
    await troupe.close()
    const second = team(1) // the first reply of the supervisor is on record
    const other = createTroupe({ agents: [second.agent], store })
    const resumed = await other.resume(run.id)
    await resumed.approve(callOf(1), { always: true })
    expect((await resumed.result).outcome).toBe('completed')
    expect(second.ran).toHaveLength(2)
    const result = await resumed.result
    const third = await createTroupe({ agents: [team(0).agent], store }).replay(run.id)
    expect(third.result).toEqual(result)
  })

  test('only a decision about an approval can hold for later calls', async () => {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
    })
    const { agent } = worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } })
    const run = agent.stream('Go')
    await run.whenIdle
    expect(await codeOf(() => run.deny('solo/call:1.1', 'No.', { always: true }))).toBe(
      'SIGNAL_TYPE_MISMATCH',
    )
    await expect(run.resume('solo/call:1.1', 1, { always: true } as object)).rejects.toThrow(
      /there is no option "always"/,
    )
    await run.resume('solo/call:1.1', 'blue')
    expect((await run.result).outcome).toBe('completed')
  })
})
