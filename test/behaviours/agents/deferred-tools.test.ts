/** Deferred tools: a model sees a search for them, and what it has found. Behaviours 94 and 95. */
import {
  createAgent,
  createRouter,
  createTool,
  createTroupe,
  deferTools,
  memoryStore,
  RetryableError,
  type AgentOptions,
  type DeferOptions,
  type Run,
  type RunEvent,
  type Tool,
} from 'troupe'
import {
  answers,
  calls as says,
  explore,
  scriptedModel,
  type ScriptedModel,
  type ScriptedStep,
} from 'troupe/testing'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, only } from '../../support/agents/agents.ts'

function tool(id: string, description: string, more: Partial<Parameters<typeof createTool>[0]> = {}): Tool {
  return createTool({
    id,
    description,
    inputSchema: z.object({ owner: z.string().optional() }),
    execute: () => `${id} done`,
    ...more,
  } as never)
}

const issues = tool('list_issues', 'Lists the tickets of a repository.')
const merge = tool('merge_pull_request', 'Merges a proposed change.')
const fork = tool('fork_repository', 'Copies a repository to an account.')

const searching = (query: string) => calls({ name: 'find-tools', args: { query } })

async function ran(
  steps: readonly ScriptedStep[],
  tools: Readonly<Record<string, Tool>>,
  options: AgentOptions = {},
) {
  const model = scriptedModel(steps)
  const agent = createAgent({ id: 'agent', instructions: '', model, tools, ...options })
  const troupe = createTroupe({ agents: [agent] })
  return { ...(await told(await troupe.start(agent, 'Go'))), model, troupe }
}

async function told(run: Run) {
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  return { run, events, result: await run.result }
}

const offered = ({ calls }: ScriptedModel) =>
  calls.map(({ request }) => request.tools.map(({ name }) => name))

describe('a model', () => {
  const tools = deferTools({ list_issues: issues, merge_pull_request: merge, fork_repository: fork })

  test('sees the search, then what it has found, and calls it', async () => {
    const { model, events, result } = await ran(
      [searching('show the open tickets'), calls({ name: 'list_issues' }), 'Done.'],
      tools,
      { maxSteps: 3 },
    )
    expect(offered(model)).toEqual([
      ['find-tools'],
      ['find-tools', 'list_issues'],
      ['find-tools', 'list_issues'],
    ])
    expect(only(events, 'tools-found').map(({ payload }) => payload)).toEqual([
      { toolCallId: 'agent/call:1.1', toolName: 'find-tools', found: ['list_issues'] },
    ])
    expect(result.steps[1]?.toolResults).toMatchObject([{ outcome: 'succeeded', value: 'list_issues done' }])
  })

  test('keeps what earlier searches have found', async () => {
    const steps = [searching('tickets'), searching('copy the repository'), 'Done.']
    const { model } = await ran(steps, tools, { maxSteps: 3 })
    expect(offered(model)[2]).toEqual(['find-tools', 'list_issues', 'fork_repository'])
  })

  test('that calls a tool before it is found is told what there is', async () => {
    const { result, model } = await ran([calls({ name: 'list_issues' }), 'Done.'], tools)
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'failed' }])
    expect(JSON.stringify(model.calls[1]?.request.messages)).toContain('Available: find-tools.')
  })

  test('is told where nothing fits', async () => {
    const { result, events } = await ran([searching('zebra'), 'Done.'], tools)
    expect(result.steps[0]?.toolResults[0]?.value).toEqual({
      found: [],
      note: 'No tool fits. Say it in other words, or go on without.',
    })
    expect(only(events, 'tools-found')).toEqual([])
  })

  test('may search twice in one reply', async () => {
    const twice = calls(
      { name: 'find-tools', args: { query: 'tickets' } },
      { name: 'find-tools', args: { query: 'merge' } },
    )
    const { model } = await ran([twice, 'Done.'], tools)
    expect(offered(model)[1]).toEqual(['find-tools', 'list_issues', 'merge_pull_request'])
  })

  test('is offered the tools that always are', async () => {
    const { model } = await ran(['Done.'], deferTools({ list_issues: issues, merge }, { always: ['merge'] }))
    expect(offered(model)).toEqual([['merge', 'find-tools']])
  })

  test('is offered at most the tools that were found last', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `tool_${index}`,
        tool(`tool_${index}`, `Works on part${index}.`),
      ]),
    )
    const search: DeferOptions['search'] = ({ query }) => query.split(' ')
    const batches = Array.from({ length: 5 }, (_, batch) =>
      searching(Array.from({ length: 18 }, (__, index) => `tool_${batch * 18 + index}`).join(' ')),
    )
    const { model } = await ran([...batches, 'Done.'], deferTools(many, { search, limit: 20 }), {
      maxSteps: 6,
    })
    const last = offered(model)[5] ?? []
    expect(last).toHaveLength(65)
    expect(last).toContain('tool_89')
    expect(last).not.toContain('tool_25')
  })
})

describe('what was found is on record', () => {
  const tools = deferTools({ list_issues: { ...issues, requireApproval: true } })

  test('a replay offers the same and searches nothing', async () => {
    const search = vi.fn<NonNullable<DeferOptions['search']>>(() => ['list_issues'])
    const { run, result, troupe, model } = await ran(
      [searching('x'), calls({ name: 'list_issues' }), 'Done.'],
      deferTools({ list_issues: issues }, { search }),
      { maxSteps: 3 },
    )
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(search).toHaveBeenCalledTimes(1)
    expect(model.calls).toHaveLength(3)
  })

  test('a run that waits goes on elsewhere with what it has found', async () => {
    const store = memoryStore()
    const agentOf = (...steps: readonly ScriptedStep[]) => {
      const model = scriptedModel(steps)
      return { model, agent: createAgent({ id: 'agent', instructions: '', model, tools, maxSteps: 4 }) }
    }
    const before = agentOf(searching('tickets'), calls({ name: 'list_issues' }))
    const first = createTroupe({ agents: [before.agent], store })
    const run = await first.start(before.agent, 'Go')
    await run.whenIdle
    await first.close()
    const after = agentOf(calls({ name: 'list_issues' }), 'Done.')
    const second = createTroupe({ agents: [after.agent], store })
    const resumed = await second.resume(run.id)
    for (let call = 0; call < 2; call++) {
      const idle = await resumed.whenIdle
      if (idle.outcome === 'suspended') await resumed.approve(idle.awaiting[0]?.toolCallId ?? '')
    }
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(offered(after.model)[0]).toEqual(['find-tools', 'list_issues'])
  })
})

describe('groups and states', () => {
  const secret = tool('delete_repository', 'Deletes a repository.', { groups: ['admin'] })
  const close = tool('close_issue', 'Closes a ticket.', { applicableStates: ['open'] })
  const open = tool('open_issue', 'Opens a ticket for a repository.', { nextState: 'open' })
  const tools = deferTools({ delete_repository: secret, close_issue: close, open_issue: open })

  test('narrow what can be found, and an agent of the group finds it', async () => {
    const { result } = await ran([searching('delete the repository'), 'Done.'], tools)
    expect(result.steps[0]?.toolResults[0]?.value).toEqual({ found: ['open_issue'] })
    const admin = await ran([searching('delete the repository'), 'Done.'], tools, { toolGroups: ['admin'] })
    expect(admin.result.steps[0]?.toolResults[0]?.value).toEqual({ found: ['delete_repository'] })
  })

  test('a tool is found in its states alone', async () => {
    const steps = [searching('ticket'), calls({ name: 'open_issue' }), searching('close the ticket'), 'Done.']
    const { model, events } = await ran(steps, tools, { maxSteps: 5 })
    expect(offered(model)).toEqual([
      ['find-tools'],
      ['find-tools', 'open_issue'],
      ['find-tools', 'open_issue'],
      ['find-tools', 'open_issue', 'close_issue'],
    ])
    expect(only(events, 'tool-state')).toHaveLength(1)
  })
})

describe('a search of the user', () => {
  const found = (search: DeferOptions['search'], more: object = {}) =>
    ran(
      [searching('x'), 'Done.'],
      deferTools({ list_issues: issues, merge }, { ...(search && { search }), ...more }),
    )

  test('gets the words and the tools, and may answer later', async () => {
    const search = vi.fn<NonNullable<DeferOptions['search']>>(() => Promise.resolve(['merge', 'merge']))
    const { result } = await found(search)
    expect(result.steps[0]?.toolResults[0]?.value).toEqual({ found: ['merge'] })
    expect(search.mock.calls[0]?.[0]).toMatchObject({
      query: 'x',
      limit: 5,
      tools: [
        { name: 'list_issues', description: 'Lists the tickets of a repository.' },
        { name: 'merge', description: 'Merges a proposed change.' },
      ],
    })
  })

  test('that names what may not be found has no effect', async () => {
    const { result } = await found(() => ['find-tools', 'nothing', 'constructor'])
    expect(result.steps[0]?.toolResults[0]?.value).toMatchObject({ found: [] })
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
      'TOOL_FAILED',
    ],
    ['answers with no list', () => 'merge' as never, 'INVALID_HOOK_RESULT'],
    ['answers with other things than names', () => [{ name: 'merge' }] as never, 'INVALID_HOOK_RESULT'],
  ])('that %s fails the call, and the run goes on', async (_what, search, code) => {
    const { result, model } = await found(search)
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(result.steps[0]?.toolResults[0]?.error).toMatchObject({ code })
    expect(JSON.stringify(model.calls[1]?.request.messages)).not.toContain('secret')
  })

  test('that hangs has a deadline', async () => {
    const { result } = await found(() => new Promise(() => undefined), { timeout: 20 })
    expect(result.steps[0]?.toolResults[0]?.error).toMatchObject({ code: 'TOOL_TIMEOUT' })
  })

  test('is tried again as a tool is', async () => {
    let attempts = 0
    const { result } = await found(() => {
      if (++attempts === 1) throw new RetryableError('busy')
      return ['merge']
    })
    expect(result.steps[0]?.toolResults[0]?.value).toEqual({ found: ['merge'] })
  })
})

test('a hostile megabyte of words ends, and finds what fits', async () => {
  const query = `tickets ${'zzz '.repeat(250_000)}`
  const { result } = await ran([searching(query), 'Done.'], deferTools({ list_issues: issues }))
  expect(result.steps[0]?.toolResults[0]?.value).toEqual({ found: ['list_issues'] })
})

test('several records share one search', async () => {
  const tools = { ...deferTools({ list_issues: issues }), ...deferTools({ merge }) }
  const { result } = await ran([searching('tickets or merges'), 'Done.'], tools)
  const value = result.steps[0]?.toolResults[0]?.value as { found: string[] }
  expect(value.found.toSorted()).toEqual(['list_issues', 'merge'])
})

test('tools that are made for the run are found too, and replay', async () => {
  const model = scriptedModel([searching('tickets'), calls({ name: 'list_issues' }), 'Done.'])
  const made = () => deferTools({ list_issues: issues, merge })
  const agent = createAgent({ id: 'agent', instructions: '', model, tools: made, maxSteps: 3 })
  const troupe = createTroupe({ agents: [agent] })
  const { run, result } = await told(await troupe.start(agent, 'Go'))
  expect(result.steps[1]?.toolResults).toMatchObject([{ outcome: 'succeeded' }])
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('a router chooses the search, and then what it has found', async () => {
  const decide = (primitiveId: string, prompt: string) =>
    JSON.stringify({
      primitiveId,
      primitiveType: primitiveId === 'none' ? 'none' : 'tool',
      prompt,
      selectionReason: 'It fits.',
    })
  const steps = [
    decide('find-tools', '{"query":"tickets"}'),
    decide('list_issues', '{}'),
    decide('none', 'Done.'),
  ]
  const tools = deferTools({ list_issues: issues, merge })
  const agent = createRouter({
    id: 'desk',
    instructions: '',
    model: scriptedModel(steps),
    tools,
    memory: true,
  })
  const troupe = createTroupe({ agents: [agent] })
  const { result, events } = await told(await troupe.start(agent, 'Go', { threadId: 't', resourceId: 'r' }))
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(only(events, 'routing-decision').map(({ payload }) => payload.primitiveId)).toEqual([
    'find-tools',
    'list_issues',
    'none',
  ])
})

test('an exploration finds each of the first tools, and none', async () => {
  const tools = deferTools({ list_issues: issues, merge })
  const agent = createAgent({ id: 'agent', instructions: '', model: scriptedModel([]), tools })
  const report = await explore(agent, {
    say: {
      agent: ({ tools: seen }) => [
        answers('Done.'),
        ...seen.map(({ name }) => says({ [name]: { query: 'x' } })),
      ],
    },
    adversary: { cancel: false, failures: false },
    limits: { steps: 2, crashes: 0 },
  })
  report.assert()
  expect(report.isComplete).toBe(true)
  const names = report.paths().map(({ name }) => name)
  expect(names.some((name) => name.includes('agent: calls merge'))).toBe(true)
  expect(names.some((name) => name.includes('agent: calls list_issues'))).toBe(true)
})

describe('refused', () => {
  test.each([
    ['a list', () => deferTools([] as never), 'object by name'],
    ['a name that is taken', () => deferTools({ 'find-tools': issues }), 'as the search tool is'],
    ['a tool that is not there', () => deferTools({ merge }, { always: ['list'] }), 'none of the tools'],
    ['a limit of none', () => deferTools({ merge }, { limit: 0 }), 'from 1 to 20'],
    ['a limit without end', () => deferTools({ merge }, { limit: 21 }), 'from 1 to 20'],
    ['an unknown option', () => deferTools({ merge }, { serch: () => [] } as never), '"search"'],
  ])('%s', (_what, defer, message) => {
    expect(defer).toThrow(message)
  })

  test('deferred tools without their search', () => {
    const { merge: alone } = deferTools({ merge })
    expect(() =>
      createAgent({ id: 'a', instructions: '', model: scriptedModel([]), tools: { alone } }),
    ).toThrow('no search can find it')
  })
})
