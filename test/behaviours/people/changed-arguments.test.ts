/** People approve calls and delegations with other arguments; every answer says its author and its note. */
import { createTool, createTroupe, memoryStore, SignalError, type Run, type Tool } from 'troupe'
import { toProvenance } from 'troupe/provenance'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { allEvents, calls, lead, only, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'

const callId = 'solo/call:1.1'

function guarded(inputSchema: z.ZodType<{ path: string }> = z.object({ path: z.string() })) {
  const ran: string[] = []
  const tool: Tool = createTool({
    id: 'remove',
    description: 'Removes a file.',
    inputSchema,
    requireApproval: true,
    execute: ({ path }) => {
      ran.push(path)
      return `removed ${path}`
    },
  })
  return { tool, ran }
}

const asks = calls({ name: 'remove', args: { path: 'secrets' } })

async function codeOf(answer: Promise<void>): Promise<string> {
  try {
    await answer
  } catch (error) {
    if (error instanceof SignalError) return error.code
    throw error
  }
  return 'accepted'
}

describe('a call is approved with other arguments', () => {
  test('it runs with them, and the model, the events, the steps and the journal say so', async () => {
    const { tool, ran } = guarded()
    const { agent, model } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'tool-call-approval')
    await run.approve(callId, { args: { path: 'notes' }, by: 'ann', note: 'Not the secrets.' })
    const result = await run.result
    expect(ran).toEqual(['notes'])
    expect(toldOfCalls(model, 2)).toEqual([
      'A person changed the arguments of this call before it ran. It ran with {"path":"notes"}.\n\nremoved notes',
    ])
    // The call itself stays as the model has made it.
    expect(model.calls[1]?.request.messages).toContainEqual(
      expect.objectContaining({
        role: 'assistant',
        toolCalls: [expect.objectContaining({ args: { path: 'secrets' } })],
      }),
    )
    expect(result.steps[0]?.toolCalls).toEqual([
      { id: callId, name: 'remove', args: { path: 'notes' }, changed: true },
    ])
    const [answered] = only(await allEvents(run), 'tool-call-answered')
    expect(answered).toMatchObject({
      path: callId,
      payload: {
        toolCallId: callId,
        toolName: 'remove',
        type: 'approval',
        approved: true,
        by: 'ann',
        note: 'Not the secrets.',
        args: { path: 'notes' },
      },
    })
    expect((await troupe.history(run.id)).find(({ by }) => by === 'ann')).toMatchObject({
      note: 'Not the secrets.',
      args: { path: 'notes' },
    })
    const replay = await troupe.replay(run.id)
    expect(replay.result).toMatchObject({ outcome: 'completed', steps: result.steps })
    const graph = JSON.stringify(toProvenance(await allEvents(run)).toJsonLd())
    expect(graph).toContain('Not the secrets.')
    expect(graph).toContain('changedArguments')
  })

  test('arguments that do not fit are refused with the problem, and the question stays open', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    const wrong = { path: 7 }
    await expect(run.approve(callId, { args: wrong })).rejects.toThrow(
      /Cannot approve "solo\/call:1.1".*path/,
    )
    expect(await codeOf(run.approve(callId, { args: wrong }))).toBe('SIGNAL_ARGS_INVALID')
    expect(ran).toEqual([])
    await run.approve(callId)
    expect((await run.result).outcome).toBe('completed')
    expect(ran).toEqual(['secrets'])
  })

  test('a schema that answers asynchronously is asked too', async () => {
    const { tool, ran } = guarded(
      z.object({ path: z.string() }).refine(async ({ path }) => path !== 'root', 'not the root'),
    )
    const { agent } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    expect(await codeOf(run.approve(callId, { args: { path: 'root' } }))).toBe('SIGNAL_ARGS_INVALID')
    await run.approve(callId, { args: { path: 'notes' } })
    await run.result
    expect(ran).toEqual(['notes'])
  })

  /** The first check of other arguments is that of the sender. The chart begins one at once, and makes another later. */
  function failingAt(chartCheck: () => Promise<boolean>) {
    let checks = 0
    return guarded(
      z
        .object({ path: z.string() })
        .refine(async ({ path }) => (path === 'notes' && ++checks === 3 ? chartCheck() : true)),
    )
  }

  /** Resolves when the run asks for the second time. */
  async function askedAgain(run: Run): Promise<void> {
    let asked = 0
    for await (const { type } of run.events) if (type === 'tool-call-approval' && ++asked === 2) return
  }

  const throwing = () => Promise.reject(new Error('The schema is down.'))
  const silent = () => new Promise<boolean>(() => undefined)

  test.each([
    ['throws', throwing, 0, /asked again: .*The schema is down/],
    ['does not answer', silent, 60_000, /asked again: .*60000 ms/],
  ])(
    'a schema that %s when it is asked again: the question is asked again',
    async (_, check, late, problem) => {
      const reached = Promise.withResolvers<void>()
      const { tool, ran } = failingAt(() => {
        reached.resolve()
        return check()
      })
      const { agent, model } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
      const clock = virtualClock()
      const troupe = createTroupe({ agents: [agent], clock })
      const run = await troupe.start(agent, 'Go')
      await until(run, 'tool-call-approval')
      await run.approve(callId, { args: { path: 'notes' }, by: 'ann' })
      await reached.promise
      clock.advance(late)
      await askedAgain(run)
      expect(ran).toEqual([])
      await run.approve(callId, { args: { path: 'notes' }, by: 'bob' })
      const result = await run.result
      expect(ran).toEqual(['notes'])
      expect(toldOfCalls(model, 2)[0]).toContain('removed notes')
      const told = only(await allEvents(run), 'tool-call-answered', 'error')
      expect(
        told.map(({ path, payload }) => [path, 'error' in payload ? payload.error.code : payload.by]),
      ).toEqual([
        [callId, 'SIGNAL_ARGS_INVALID'],
        [callId, 'bob'],
      ])
      expect(JSON.stringify(told[0]?.payload)).toMatch(problem)
      expect((await troupe.replay(run.id)).result).toEqual(result)
      await troupe.close()
    },
  )

  test('a decision for the rest of the run does not stand when its answer was refused', async () => {
    const { tool, ran } = failingAt(throwing)
    const { agent } = worker('solo', [asks, asks, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve(callId, { args: { path: 'notes' }, always: true })
    await askedAgain(run)
    await run.approve(callId)
    await until(run, 'tool-call-approval', ({ payload }) => payload.toolCallId === 'solo/call:2.1')
    await run.deny('solo/call:2.1')
    await run.result
    expect(ran).toEqual(['secrets'])
  })

  test('a run that is cancelled while they are checked says that the call has not run', async () => {
    const reached = Promise.withResolvers<void>()
    const { tool, ran } = failingAt(() => {
      reached.resolve()
      return silent()
    })
    const { agent } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve(callId, { args: { path: 'notes' } })
    await reached.promise
    await run.cancel()
    expect((await run.result).outcome).toBe('cancelled')
    expect(ran).toEqual([])
    const told = only(await allEvents(run), 'tool-call-answered', 'error', 'tool-error')
    expect(told.map(({ type }) => type)).toEqual(['error', 'tool-error'])
    expect(told[0]?.payload).toMatchObject({ error: { code: 'SIGNAL_ARGS_INVALID' } })
  })

  test('tools that are made for the run check them too', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [asks, 'Done.'], { tools: () => ({ remove: tool }) })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    expect(await codeOf(run.approve(callId, { args: {} }))).toBe('SIGNAL_ARGS_INVALID')
    await run.approve(callId, { args: { path: 'notes' } })
    await run.result
    expect(ran).toEqual(['notes'])
  })

  test('under `always` the next call runs with its own arguments', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [asks, asks, 'Done.'], { tools: { remove: tool } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve(callId, { args: { path: 'notes' }, always: true })
    await run.result
    expect(ran).toEqual(['notes', 'secrets'])
  })

  test('from another troupe on the same store', async () => {
    const { tool, ran } = guarded()
    const { agent } = worker('solo', [asks, 'Done.'], { tools: { remove: tool } })
    const store = memoryStore()
    const owner = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const other = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const run = await owner.start(agent, 'Go')
    await until(run, 'tool-call-approval')
    const answer = (args: { path: string | number }) =>
      other.signal(run.id, { type: 'approve', toolCallId: callId, args })
    expect(await codeOf(answer({ path: 7 }))).toBe('SIGNAL_ARGS_INVALID')
    await answer({ path: 'notes' })
    await run.result
    expect(ran).toEqual(['notes'])
    await Promise.all([owner.close(), other.close()])
  })

  test('a call that has failed says with which arguments it ran', async () => {
    const tool = createTool({
      id: 'remove',
      description: 'Removes a file.',
      inputSchema: z.object({ path: z.string() }),
      requireApproval: true,
      execute: () => {
        throw new Error('The disk is full.')
      },
    })
    const { agent, model } = worker('solo', [asks, 'Done.'], { tools: { remove: tool }, retries: 0 })
    const run = agent.stream('Go', { hookErrors: 'fail' })
    await until(run, 'tool-call-approval')
    await run.approve(callId, { args: { path: 'notes' } })
    await run.result
    expect(toldOfCalls(model, 2)[0]).toContain('It ran with {"path":"notes"}.')
    expect(toldOfCalls(model, 2)[0]).toContain('The tool \\"remove\\" failed.')
  })
})

describe('a delegation is approved with other arguments', () => {
  const id = 'lead/delegation:1.1'

  function team() {
    const finder = worker('finder', ['Found.'])
    const top = lead('lead', [calls(to('finder', 'Find all.')), 'All found.'], {
      agents: { finder: finder.agent },
      delegation: { requireApproval: true },
    })
    return { ...top, finder }
  }

  test('the subagent gets the other prompt, and the model of its parent is told', async () => {
    const { agent, model, finder } = team()
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve(id, { args: { prompt: 'Find two.', instructions: 'Be quick.' }, by: 'ann' })
    const result = await run.result
    expect(JSON.stringify(finder.model.calls[0]?.request.messages)).toContain('Find two.')
    expect(JSON.stringify(finder.model.calls[0]?.request.messages)).toContain('Be quick.')
    expect(toldOfCalls(model, 2)[0]).toMatch(/changed the arguments.*"prompt":"Find two."[\s\S]*Found\.$/)
    expect(result.steps[0]?.toolCalls[0]).toMatchObject({ changed: true, args: { prompt: 'Find two.' } })
    const events = await allEvents(run)
    expect(only(events, 'tool-call-answered')[0]).toMatchObject({
      path: id,
      payload: { toolCallId: id, toolName: 'agent-finder', approved: true, by: 'ann' },
    })
    expect(only(events, 'delegation-start')[0]?.payload.prompt).toBe('Find two.')
  })

  test.each([
    ['no prompt', { prompt: '' }],
    ['other files', { prompt: 'Find all.', files: ['map.png'] }],
  ])('%s: refused, and the question stays open', async (_, args) => {
    const { agent } = team()
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    expect(await codeOf(run.approve(id, { args }))).toBe('SIGNAL_ARGS_INVALID')
    await run.deny(id, 'No.', { by: 'bob', note: 'Never.' })
    const events = await allEvents(run)
    expect(only(events, 'tool-call-answered').map(({ payload }) => payload)).toEqual([
      {
        toolCallId: id,
        toolName: 'agent-finder',
        type: 'approval',
        approved: false,
        by: 'bob',
        note: 'Never.',
        reason: 'No.',
      },
    ])
    const graph = JSON.stringify(toProvenance(events).toJsonLd())
    expect(graph).toContain('bob')
    expect(graph).toContain('Never.')
  })
})

test('data for a suspended call has an author and a note, in its event and in the graph', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    execute: (_input, { suspend, resumeData }) =>
      resumeData === undefined ? suspend({}) : { answer: resumeData },
  })
  const { agent } = worker('solo', [calls({ name: 'ask', args: {} }), 'Done.'], { tools: { ask } })
  const run = agent.stream('Go')
  await until(run, 'tool-call-suspended')
  await run.resume(callId, 'blue', { by: 'ann', note: 'By heart.' })
  const events = await allEvents(run)
  expect(only(events, 'tool-call-answered')[0]?.payload).toEqual({
    toolCallId: callId,
    toolName: 'ask',
    type: 'suspension',
    approved: true,
    data: 'blue',
    by: 'ann',
    note: 'By heart.',
  })
  const graph = JSON.stringify(toProvenance(events).toJsonLd())
  expect(graph).toContain('troupe:ns:Answer')
  expect(graph).toContain('By heart.')
})
