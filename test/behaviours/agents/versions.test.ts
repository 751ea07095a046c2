import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type AnyAgent,
  type JournalEntry,
  type SupervisorOptions,
  type Troupe,
  type VersionOverrides,
  textOf as contentText,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { createActor, toPromise } from 'xstate'
import { z } from 'zod'
import { allEvents } from '../../support/agents/agents.ts'
import { plan, planner } from '../../support/agents/planner.ts'
import { toAgent } from '../../support/agents/routing.ts'
import { boss, worker, type VersionConfig } from '../../support/agents/versions.ts'

const one = { version: '1' }
const two = { version: '2' }
const draft = { version: '3', status: 'draft' } as const

/** Three levels: a lead over an editor over a writer, all of one version. */
function company(config: VersionConfig = one) {
  const writer = worker('writer', config)
  const editor = boss('editor', config, { writer })
  const lead = boss('lead', config, { editor })
  return { lead, editor, writer }
}

const asking = (agents: VersionOverrides['agents']) => ({ versions: { agents } })

/** What a run gives, which its replay gives too. */
async function textOf(troupe: Troupe, agent: AnyAgent, options: object = {}): Promise<string> {
  const run = await troupe.start(agent, 'Go', options)
  const result = await run.result
  expect(result.outcome).toBe('completed')
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  const events = await allEvents(run)
  expect(replay.events).toEqual(events.filter(({ seq }) => seq !== undefined))
  return result.text
}

describe('without versions', () => {
  test('a run takes each agent as it stands, whatever is registered beside it', async () => {
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead, worker('writer', two), worker('writer', draft)] })
    expect(await textOf(troupe, lead)).toBe('lead 1(editor 1(writer 1))')
  })

  test('nothing of versions is recorded where there is nothing to choose', async () => {
    const { lead } = company({})
    const troupe = createTroupe({ agents: [lead] })
    const run = await troupe.start(lead, 'Go')
    expect(await run.result).not.toHaveProperty('version')
    const [started] = await troupe.journal(run.id)
    for (const name of ['version', 'versions', 'versionOverrides']) expect(started).not.toHaveProperty(name)
    expect((await allEvents(run))[0]?.payload).toEqual({ task: 'Go' })
  })

  test('a draft gives way to the newest published version', async () => {
    const lead = boss('lead', {}, { writer: worker('writer', draft) })
    const troupe = createTroupe({ agents: [worker('writer', one), worker('writer', two), lead] })
    expect(await textOf(troupe, lead)).toBe('lead none(writer 2)')
  })

  test('a draft alone is refused, and taken when it is asked for', async () => {
    const lead = boss('lead', {}, { writer: worker('writer', draft) })
    const message =
      'options of a run of "lead": the agent "writer" is not published, and a draft is taken only when it is asked for: versions: { agents: { "writer": { status: \'draft\' } } }. There are: "3" (draft).'
    await expect(createTroupe({ agents: [lead] }).start(lead, 'Go')).rejects.toThrow(message)
    await expect(lead.generate('Go')).rejects.toThrow(message)
    const result = await lead.generate('Go', asking({ writer: { status: 'draft' } }))
    expect(result.text).toBe('lead none(writer 3)')
  })

  test('who starts a draft has asked for it, and not for those below', async () => {
    const lead = boss('lead', draft, { writer: worker('writer', draft) })
    const troupe = createTroupe({ agents: [lead, worker('writer', one)] })
    expect(await textOf(troupe, lead)).toBe('lead 3(writer 1)')
  })

  test('a run that comes to one agent in two versions is asked which', async () => {
    const a = boss('a', {}, { writer: worker('writer', one) })
    const b = boss('b', {}, { writer: worker('writer', two) })
    const lead = boss('lead', {}, { a, b })
    await expect(lead.generate('Go')).rejects.toThrow(
      'the run comes to the agent "writer" in two versions, "1" and "2", and a run has one of each agent.',
    )
    const result = await lead.generate('Go', asking({ writer: { versionId: '1' } }))
    expect(result.text).toBe('lead none(a none(writer 1), b none(writer 1))')
  })
})

describe('versions that are asked for', () => {
  test('per call over troupe over what stands there, agent by agent', async () => {
    const { lead } = company()
    const agents = [lead, company(two).lead, company(draft).lead]
    const troupe = createTroupe({
      agents,
      ...asking({ editor: { status: 'draft' }, writer: { versionId: '2' } }),
    })
    expect(await textOf(troupe, lead)).toBe('lead 1(editor 3(writer 2))')
    expect(await textOf(troupe, lead, asking({ writer: { status: 'draft' } }))).toBe(
      'lead 1(editor 3(writer 3))',
    )
    const all = asking({ lead: { versionId: '2' }, editor: { versionId: '1' }, writer: { versionId: '1' } })
    expect(await textOf(troupe, lead, all)).toBe('lead 2(editor 1(writer 1))')
  })

  test('the newest of a status is the one that was named last, before those that came along', async () => {
    const { lead } = company()
    const published = asking({ writer: { status: 'published' } })
    const last = createTroupe({ agents: [worker('writer', two), worker('writer', { version: '4' }), lead] })
    expect(await textOf(last, lead, published)).toBe('lead 1(editor 1(writer 4))')
    const along = createTroupe({ agents: [lead, boss('other', {}, { writer: worker('writer', two) })] })
    expect(await textOf(along, lead, published)).toBe('lead 1(editor 1(writer 2))')
  })

  test('a version brings those below it, and they are chosen like the others', async () => {
    const { lead } = company()
    const checker = worker('checker', draft)
    const fresh = boss('editor', two, { writer: worker('writer', two), checker })
    const troupe = createTroupe({ agents: [lead, fresh, worker('checker', one)] })
    const newEditor = { editor: { versionId: '2' } }
    expect(await textOf(troupe, lead, asking(newEditor))).toBe('lead 1(editor 2(writer 2, checker 1))')
    const drafts = asking({ ...newEditor, checker: { status: 'draft' } })
    expect(await textOf(troupe, lead, drafts)).toBe('lead 1(editor 2(writer 2, checker 3))')
  })

  test('a version may lead back to an agent above it: the run has one of each', async () => {
    const { lead } = company()
    const writer = createSupervisor({
      id: 'writer',
      version: '2',
      description: 'Writes.',
      instructions: 'Write.',
      model: scriptedModel([], { otherwise: 'writer 2' }),
      agents: { lead },
    })
    const troupe = createTroupe({ agents: [lead, writer] })
    expect(await textOf(troupe, lead, asking({ writer: { versionId: '2' } }))).toBe(
      'lead 1(editor 1(writer 2))',
    )
  })

  test('a supervisor is told how the version that it gets describes itself', async () => {
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead, company(two).editor] })
    await textOf(troupe, lead, asking({ editor: { versionId: '2' } }))
    const [first] = lead.model.calls
    expect(first?.request.tools.map(({ description }) => description)).toEqual([
      'Delegate a task to the agent "editor": editor 2',
    ])
  })

  test('run, result, events, history and journal say which versions ran', async () => {
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead, company(two).lead] })
    const asked = asking({ writer: { versionId: '2' }, lead: { status: 'published' } })
    const run = await troupe.start(lead, 'Go', asked)
    expect(await run.result).toMatchObject({
      version: '2',
      delegations: [{ agent: 'editor', version: '2' }],
    })
    const versions = { editor: '2', writer: '2' }
    const [started] = await troupe.journal(run.id)
    expect(started).toMatchObject({
      agent: 'lead',
      version: '2',
      versions,
      versionOverrides: asked.versions.agents,
    })
    expect((await allEvents(run))[0]).toMatchObject({
      type: 'run-start',
      payload: { version: '2', versions },
    })
    expect((await troupe.history(run.id))[0]).toMatchObject({ path: 'lead', version: '2', versions })
  })

  test('an agent in an XState system takes them too', async () => {
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead, worker('writer', two)] })
    const agent: AnyAgent<SupervisorOptions> = lead
    const input = { prompt: 'Go', ...asking({ writer: { versionId: '2' } }) }
    const result = await toPromise(createActor(troupe.logic(agent), { input }).start())
    expect(result).toMatchObject({ text: 'lead 1(editor 1(writer 2))' })
  })

  test('prices must name the models of the versions that run', async () => {
    const { lead } = company()
    const dear = createAgent({
      id: 'writer',
      version: '2',
      description: 'Writes dearly.',
      instructions: '',
      model: scriptedModel([], { modelId: 'dear', otherwise: 'Done.' }),
    })
    const troupe = createTroupe({ agents: [lead, dear] })
    const price = { input: 1, output: 1 }
    const prices = { 'scripted/lead': price, 'scripted/editor': price, 'scripted/writer': price }
    const options = { budget: { cost: 1, prices }, ...asking({ writer: { versionId: '2' } }) }
    await expect(troupe.start(lead, 'Go', options)).rejects.toThrow('does not name "scripted/dear"')
  })
})

describe('every pattern hands its subagents on in the versions of the run', () => {
  const model = (...steps: readonly ScriptedStep[]) => scriptedModel(steps)
  const agents = { writer: worker('writer', one) }
  const base = { id: 'root', instructions: '' }
  const decision = toAgent('writer', 'Write.')
  const done = JSON.stringify({
    primitiveId: 'none',
    primitiveType: 'none',
    prompt: 'End.',
    selectionReason: '',
  })
  const goals = JSON.stringify({
    goals: [
      { goal: 'Write.', agent: 'writer' },
      { goal: 'Again.', agent: 'writer' },
    ],
  })
  const whole = JSON.stringify({ complete: true, answer: 'End.', goals: [] })

  test.for<[string, AnyAgent]>([
    ['router', createRouter({ ...base, memory: true, agents, model: model(decision, done) })],
    ['dispatcher', createDispatcher({ ...base, agents, model: model(decision) })],
    [
      'planner',
      planner({ plans: [plan({ id: 'a', agent: 'writer', toolHint: 'agent-writer' })] }, { agents }).agent,
    ],
    ['fan-out', createFanOut({ ...base, agents, model: scriptedModel([goals], { otherwise: whole }) })],
    ['meta-router', createMetaRouter({ ...base, agents, pattern: 'writer', model: model() })],
    [
      'debate',
      createDebate({
        ...base,
        agents: { ...agents, critic: worker('critic', one) },
        model: scriptedModel([], { otherwise: 'End.' }),
      }),
    ],
  ])('%s', async ([, root]) => {
    const troupe = createTroupe({ agents: [root, worker('writer', two)] })
    const run = await troupe.start(root, 'Go', asking({ writer: { status: 'published' } }))
    const result = await run.result
    const ran = result.delegations.filter(({ agent }) => agent === 'writer')
    expect(ran.length).toBeGreaterThan(0)
    for (const { version, text } of ran) expect([version, text]).toEqual(['2', 'writer 2'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})

describe('a run goes on with the versions that it began with', () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks a person.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })

  /** A writer that asks a person first. */
  function asker(config: VersionConfig): AgentDefinition {
    const name = `writer ${config.version}`
    return createAgent({
      id: 'writer',
      description: name,
      instructions: `I am ${name}.`,
      ...config,
      model: scriptedModel([], {
        otherwise: ({ messages }) =>
          messages.some(({ role }) => role === 'tool') ? name : { toolCalls: [{ name: 'ask' }] },
      }),
      tools: { ask },
    })
  }

  function office(...writers: readonly VersionConfig[]) {
    const [first = one, ...others] = writers
    const lead = boss('lead', one, { editor: boss('editor', one, { writer: asker(first) }) })
    return { lead, agents: [lead, ...others.map(asker)] }
  }

  async function suspended(options: object = {}) {
    const store = memoryStore()
    const { lead, agents } = office(one, two)
    const troupe = createTroupe({ agents, store })
    const run = await troupe.start(lead, 'Go', options)
    const idle = await run.whenIdle
    expect(idle.outcome).toBe('suspended')
    const [asked] = idle.outcome === 'suspended' ? idle.awaiting : []
    await troupe.close()
    return { store, runId: run.id, toolCallId: asked?.toolCallId ?? '' }
  }

  test.for<[string, object, string]>([
    ['its own', {}, 'lead 1(editor 1(writer 1))'],
    ['the newest', asking({ writer: { status: 'published' } }), 'lead 1(editor 1(writer 2))'],
  ])('resumed elsewhere, though a newer one is published meanwhile: %s', async ([, options, text]) => {
    const { store, runId, toolCallId } = await suspended(options)
    // The troupe that goes on asks for others, and its editor holds another.
    const later = createTroupe({
      agents: office({ version: '5' }, one, two).agents,
      store,
      ...asking({ writer: { versionId: '5' } }),
    })
    const run = await later.resume(runId)
    await run.approve(toolCallId)
    const result = await run.result
    expect(result.text).toBe(text)
    expect((await later.replay(runId)).result).toEqual(result)
  })

  test('a version that is missing is an error that names agent and version, whoever asks', async () => {
    const { store, runId, toolCallId } = await suspended(asking({ writer: { versionId: '2' } }))
    const message =
      'The agent "writer" is not here in the version that the run began with: "2". There are: "1", "5". Register that version beside the others.'
    const later = createTroupe({ agents: office(one, { version: '5' }).agents, store })
    await expect(later.resume(runId)).rejects.toThrow(message)
    await expect(later.replay(runId)).rejects.toThrow(message)
    await expect(later.fork(runId, { at: 2 })).rejects.toThrow(message)
    await expect(later.signal(runId, { type: 'approve', toolCallId })).rejects.toThrow(message)
    await later.close()

    const gone = createTroupe({ agents: [boss('lead', one, {})], store })
    await expect(gone.resume(runId)).rejects.toThrow(
      'There is no agent "editor" in this troupe, with whose version "1" the run began. It has: lead.',
    )
    await gone.close()

    // Nobody was left with the run: where the version is, it goes on.
    const right = createTroupe({ agents: office(one, two).agents, store })
    const run = await right.resume(runId)
    await run.approve(toolCallId)
    expect((await run.result).text).toBe('lead 1(editor 1(writer 2))')
  })

  test('after a crash at every entry', async () => {
    const { lead } = company()
    const first = createTroupe({ agents: [lead, company(two).lead] })
    const run = await first.start(
      lead,
      'Go',
      asking({ writer: { versionId: '2' }, editor: { versionId: '2' } }),
    )
    const result = await run.result
    const journal = await first.journal(run.id)
    for (let entries = 1; entries < journal.length; entries++) {
      const left = memoryStore()
      const lease = { runId: run.id, owner: 'gone', token: 1, expiresAt: 0 }
      await left.append(journal.slice(0, entries).map((entry) => ({ runId: run.id, entry, lease })))
      const agents = [company().lead, company(two).lead, company({ version: '3' }).lead]
      const later = createTroupe({ agents, store: left })
      const { runs, refused } = await later.recover()
      expect(refused).toEqual([])
      expect((await runs[0]?.result)?.text).toBe(result.text)
      await later.close()
    }
    expect(result.text).toBe('lead 1(editor 2(writer 2))')
  })

  test('a run that recorded no versions takes those below its root, as they stand', async () => {
    const store = memoryStore()
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead], store })
    const run = await troupe.start(lead, 'Go')
    const { text } = await run.result
    const [begun, ...rest] = await troupe.journal(run.id)
    const { versions, ...older } = begun as Extract<JournalEntry, { type: 'run.started' }>
    expect(versions).toEqual({ editor: '1', writer: '1' })
    const old = memoryStore()
    const lease = { runId: run.id, owner: 'gone', token: 1, expiresAt: 0 }
    await old.append([older, ...rest].map((entry) => ({ runId: run.id, entry, lease })))
    const agents = [company().lead, company(two).lead]
    const later = createTroupe({ agents, store: old, ...asking({ writer: { versionId: '2' } }) })
    expect((await later.replay(run.id)).result?.text).toBe(text)
    expect((await (await later.resume(run.id)).result).text).toBe(text)
  })
})

describe('a fork', () => {
  async function recorded(options: object = {}) {
    const { lead } = company()
    const troupe = createTroupe({ agents: [lead, company(two).lead, company(draft).lead] })
    const run = await troupe.start(lead, 'Go', options)
    await run.result
    return { troupe, runId: run.id, journal: await troupe.journal(run.id) }
  }

  test('may take other versions, and keeps to the others of its run', async () => {
    const { troupe, runId } = await recorded(asking({ writer: { versionId: '2' } }))
    const fork = await troupe.fork(runId, { at: 1, ...asking({ editor: { status: 'draft' } }) })
    expect((await fork.result).text).toBe('lead 1(editor 3(writer 2))')
    expect((await troupe.journal(fork.id))[0]).toMatchObject({ versions: { editor: '3', writer: '2' } })
    const other = await troupe.fork(runId, { at: 1, ...asking({ lead: { versionId: '2' } }) })
    expect((await other.result).text).toBe('lead 2(editor 1(writer 2))')
  })

  test('shares entries only as far as the versions lead there', async () => {
    const { troupe, runId, journal } = await recorded()
    const after = journal.findIndex((entry) => 'key' in entry && entry.key.includes('/writer/'))
    const late = troupe.fork(runId, { at: after + 1, ...asking({ writer: { versionId: '2' } }) })
    await expect(late).rejects.toMatchObject({ code: 'JOURNAL_MISMATCH' })
    expect((await troupe.runs()).items).toHaveLength(1)
  })

  test('of a version that is not there is refused', async () => {
    const { troupe, runId } = await recorded()
    await expect(troupe.fork(runId, { at: 1, ...asking({ writer: { versionId: '9' } }) })).rejects.toThrow(
      'fork: versions: the agent "writer" has no version "9" here. There are: "1" (published), "2" (published), "3" (draft).',
    )
  })
})

describe('agents that a function gives', () => {
  function chooser(agents: () => Readonly<Record<string, AgentDefinition>>) {
    const model = scriptedModel([{ toolCalls: [{ name: 'agent-writer', args: { prompt: 'Write.' } }] }], {
      otherwise: ({ messages }) => contentText(messages.at(-1)?.content ?? ''),
    })
    return createSupervisor({ id: 'chooser', instructions: '', model, agents })
  }
  const [first, second, third] = [worker('writer', one), worker('writer', two), worker('writer', draft)]

  test('are taken in the version that was asked for, and recorded', async () => {
    const agent = chooser(() => ({ writer: first }))
    const troupe = createTroupe({ agents: [agent, first, second] })
    const run = await troupe.start(agent, 'Go', asking({ writer: { versionId: '2' } }))
    expect((await run.result).text).toBe('writer 2')
    expect((await troupe.journal(run.id))[0]).toMatchObject({ versions: { writer: '2' } })
    expect((await troupe.replay(run.id)).result?.text).toBe('writer 2')
  })

  test('give way where they are drafts', async () => {
    const agent = chooser(() => ({ writer: third }))
    const troupe = createTroupe({ agents: [agent, third, first] })
    expect((await (await troupe.start(agent, 'Go')).result).text).toBe('writer 1')
  })

  test.for<[string, AgentDefinition, readonly AgentDefinition[], string]>([
    [
      'another version than the run takes',
      first,
      [first, second],
      'and the run takes "2". Ask for the other',
    ],
    ['a draft that nobody asked for', third, [third], 'a draft is taken only when it is asked for'],
    ['an agent that is unknown', first, [second], 'is not known to the troupe'],
  ])('are refused: %s', async ([, given, known, message]) => {
    const agent = chooser(() => ({ writer: given }))
    const troupe = createTroupe({ agents: [agent, ...known] })
    const result = await (await troupe.start(agent, 'Go')).result
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    expect(result.outcome === 'failed' && result.error.message).toContain(message)
  })
})

describe('what is refused', () => {
  const { lead } = company()
  const agents = [lead, worker('writer', two)]

  test.for<[unknown, string]>([
    ['2', 'versions must be { agents: { … } }, not "2".'],
    [{}, 'versions.agents must be an object by the ids of agents, not undefined.'],
    [{ agents: {}, tools: {} }, 'versions: there is no option "tools". Known: agents.'],
    [{ agents: { writer: '2' } }, 'versions.agents.writer must be { status: … } or { versionId: … }, not '],
    [{ agents: { writer: {} } }, 'versions.agents.writer must be { status: … } or { versionId: … }, not '],
    [
      { agents: { writer: { status: 'draft', versionId: '2' } } },
      'versions.agents.writer must be { status: … } or { versionId: … }, not ',
    ],
    [{ agents: { writer: { versionId: 2 } } }, 'versions.agents.writer.versionId must be a text'],
    [{ agents: { writer: { status: 'live' } } }, "status must be 'draft' or 'published', not \"live\"."],
    [
      { agents: { poet: { status: 'draft' } } },
      'versions names "poet", and there is no such agent. There are: lead, editor, writer.',
    ],
    [
      { agents: { writer: { versionId: '7' } } },
      'the agent "writer" has no version "7" here. There are: "1" (published), "2" (published).',
    ],
    [
      { agents: { writer: { status: 'draft' } } },
      'the agent "writer" has no draft version here. There are: "1" (published), "2" (published).',
    ],
  ])('%j, on a troupe and per call', async ([versions, message]) => {
    const options: object = { versions }
    expect(() => createTroupe({ agents, ...options })).toThrow(message)
    await expect(createTroupe({ agents }).start(lead, 'Go', options)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(message),
    })
  })

  test('a status that there is not', () => {
    const status: object = { status: 'live' }
    expect(() => createAgent({ id: 'a', instructions: '', model: scriptedModel([]), ...status })).toThrow(
      'createAgent("a"): status must be \'draft\' or \'published\', not "live".',
    )
  })

  test('a version that does not say what it does, as a subagent', async () => {
    const silent = createAgent({ id: 'writer', version: '2', instructions: '', model: scriptedModel([]) })
    const troupe = createTroupe({ agents: [lead, silent] })
    await expect(troupe.start(lead, 'Go', asking({ writer: { versionId: '2' } }))).rejects.toThrow(
      'agents.writer of "editor": the version "2" of "writer" has no description',
    )
  })

  test('an agent alone knows those that stand in its tree', async () => {
    await expect(lead.generate('Go', asking({ writer: { versionId: '2' } }))).rejects.toThrow(
      'the agent "writer" has no version "2" here. There are: "1" (published).',
    )
    const result = await lead.generate('Go', asking({ writer: { status: 'published' } }))
    expect(result.text).toBe('lead 1(editor 1(writer 1))')
  })
})
