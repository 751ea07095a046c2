/** Runs on Restate as a user sees them: people, cancels, bails, time, and what is refused. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import {
  memoryStore,
  ConfigurationError,
  createAgent,
  createTool,
  type AnyAgent,
  type ChatModel,
  type RunEvent,
} from 'troupe'
import { recall, type RecallSearch } from 'troupe/recall'
import { readSkills } from 'troupe/skills'
import type { RestateQuestionFilter, RestateRunFilter } from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { calls, lead, only, to, worker } from '../support/agents/agents.ts'
import { allOf } from '../support/all-of.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** Of actors in several workflows nobody can say who was first. */
function byPath(events: readonly RunEvent[]) {
  return Object.groupBy(
    events.map((event) => ({ ...event, seq: undefined })),
    ({ path }) => path,
  )
}

const inputSchema = z.object({ q: z.string() })
const description = 'Looks something up.'
const lookup = createTool({ id: 'lookup', description, inputSchema, execute: ({ q }) => `facts on ${q}` })
const guarded = createTool({
  id: 'guarded',
  description,
  inputSchema,
  requireApproval: true,
  execute: ({ q }) => `secrets of ${q}`,
})
const call = (name: string) => calls({ name, args: { q: 'tides' } })

/** A tool that is at work until it is told to end, or aborted. */
function heldTool() {
  const gate = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const held = createTool({
    id: 'held',
    description,
    inputSchema,
    async execute(_input, { signal }) {
      begun.resolve()
      signal.addEventListener('abort', () => aborted.resolve(), { once: true })
      return gate.promise
    },
  })
  return { held, begun: begun.promise, aborted: aborted.promise, release: () => gate.resolve('at last') }
}

describe('people', () => {
  test('a question of a subagent is answered by its path; wrong answers are refused and change nothing', async () => {
    const { agent: helper } = worker('helper', [call('guarded'), 'Helped.'], { tools: { guarded } })
    const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    const idle = await run.whenIdle
    const toolCallId = 'boss/delegation:1.1/helper/call:1.1'
    expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId, type: 'approval' }] })

    const stats = await troupe.stats({ settled: true })
    expect(stats).toMatchObject({ questions: { byAge: { hour: 0, day: 0, older: 0 } } })
    expect(stats.runs.running + stats.runs.suspended).toBeGreaterThan(0)
    expect(stats.questions.open).toBeGreaterThan(0)
    expect(stats.questions.oldest).toBeLessThan(3_600_000)

    await expect(run.approve('boss/nobody')).rejects.toMatchObject({ code: 'UNKNOWN_SIGNAL' })
    await expect(run.resume(toolCallId)).rejects.toMatchObject({ code: 'SIGNAL_TYPE_MISMATCH' })
    await expect(run.approve(toolCallId, { args: { q: 7 } })).rejects.toMatchObject({
      code: 'SIGNAL_ARGS_INVALID',
    })
    await (await troupe.resume(run.id)).approve(toolCallId, { args: { q: 'winds' }, by: 'ann' })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', delegations: [{ text: 'Helped.' }] })
    await expect(run.approve(toolCallId)).rejects.toMatchObject({ code: 'SIGNAL_ALREADY_ANSWERED' })
    expect(await run.whenIdle).toEqual(result)

    const events = await allOf(run.events)
    expect(events.filter(({ path }) => path === 'boss').map(({ type }) => type)).toEqual([
      'run-start',
      'iteration-start',
      'step-start',
      'suspended',
      'resumed',
      'step-finish',
      'iteration-end',
      'iteration-start',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-finish',
      'iteration-end',
      'run-finish',
    ])
    expect(only(events, 'suspended')[0]?.payload.awaiting).toMatchObject([{ toolCallId }])
    expect(only(events, 'tool-call-answered')[0]?.payload).toMatchObject({ args: { q: 'winds' }, by: 'ann' })
    expect(only(events, 'tool-result')[0]?.payload.result).toBe('secrets of winds')
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(byPath(replay.events)).toEqual(byPath(events))
  })

  test('the timeout of a delegation stands still while its agent waits for a person', async () => {
    const { agent: helper } = worker('patient', [call('guarded'), 'Helped.'], { tools: { guarded } })
    const { agent } = lead('waiting', [calls(to('patient', 'Help')), 'Done.'], {
      agents: { patient: helper },
      delegation: { timeout: 4_000 }, // for all that is not the wait
    })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    await run.whenIdle
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    await run.approve('waiting/delegation:1.1/patient/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'succeeded' }] })
  })

  test('nobody answers in time: the approval lapses', async () => {
    const hurried = createTool({
      id: 'hurried',
      description,
      inputSchema,
      requireApproval: true,
      approvalTimeout: 100,
      execute: () => 'never',
    })
    const { agent } = worker('lapsing', [call('hurried'), 'Without it.'], { tools: { hurried } })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Without it.' })
    await expect(run.approve('lapsing/call:1.1')).rejects.toMatchObject({ code: 'SIGNAL_TOO_LATE' })
  })
})

describe('cancelling', () => {
  test('a cancel reaches a tool of a subagent, with its reason', async () => {
    const { held, begun, aborted } = heldTool()
    const { agent: helper } = worker('busy', [call('held')], { tools: { held } })
    const { agent, model } = lead('boss-of-busy', [calls(to('busy', 'Help'))], { agents: { busy: helper } })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    await begun
    await troupe.cancel(run.id, 'enough')
    await aborted
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'enough',
      delegations: [{ outcome: 'cancelled' }],
    })
    expect(model.calls.length).toBe(1)
  })

  test('the text so far is kept, where the agent asks for it', async () => {
    const begun = Promise.withResolvers<void>()
    const model: ChatModel = {
      provider: 'cut',
      modelId: 'cut',
      async generate(_, { onDelta, signal }) {
        onDelta?.({ type: 'text', text: 'The tide ' })
        begun.resolve()
        await new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
        throw new Error('aborted')
      },
    }
    const agent = createAgent({ id: 'cut-short', instructions: '', model, keepPartial: true })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    await begun.promise
    await troupe.cancel(run.id, 'enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', partialText: 'The tide ' })
  })

  test('texts are recalled for the resource of the run, and skills are loaded by calls', async () => {
    const scopes: unknown[] = []
    const search = ({ scope }: RecallSearch) => {
      scopes.push(scope.resourceId)
      return [{ id: 'p1', text: 'Tides turn twice a day.' }]
    }
    const folder = await mkdtemp(join(tmpdir(), 'skills-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'tides'))
    await writeFile(
      join(folder, 'tides/SKILL.md'),
      '---\nname: tides\ndescription: Reads tides\n---\nAdd a metre.',
    )
    const { instructions, tools } = await readSkills(folder)
    const given = { instructions, tools: { ...tools }, inputProcessors: [recall({ search })] }
    const load = calls({ name: 'load-skill', args: { name: 'tides' } })
    const { agent, model } = worker('skilled', [load, 'Done.'], given)
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'When do the tides turn?', { resourceId: 'ann' })
    const events: RunEvent[] = []
    for await (const event of run.events) events.push(event)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(scopes).toEqual(['ann'])
    expect(only(events, 'recalled').map(({ payload }) => payload.passages)).toEqual([
      [{ id: 'p1', text: 'Tides turn twice a day.' }],
    ])
    expect(JSON.stringify(model.calls[0]?.request.messages)).toContain('Tides turn twice a day.')
    expect(only(events, 'tool-result').map(({ payload }) => payload.result)).toMatchObject([
      { name: 'tides', instructions: 'Add a metre.' },
    ])
  })

  test('a signal of the caller cancels', async () => {
    const { held, begun } = heldTool()
    const { agent } = worker('aborting', [call('held')], { tools: { held } })
    const troupe = await desk.troupe(agent)
    const controller = new AbortController()
    const run = await troupe.start(agent, 'Go', { signal: controller.signal })
    await begun
    controller.abort(new Error('closed the page'))
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'closed the page' })
  })

  test('one delegation is cancelled, and the run goes on', async () => {
    const { held, begun } = heldTool()
    const { agent: helper } = worker('dropped', [call('held')], { tools: { held } })
    const { agent } = lead('dropper', [calls(to('dropped', 'Help')), 'Without help.'], {
      agents: { dropped: helper },
    })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    await begun
    const delegationId = 'dropper/delegation:1.1'
    await expect(run.cancel('no', { delegationId: 'dropper/delegation:9.9' })).rejects.toMatchObject({
      code: 'UNKNOWN_SIGNAL',
    })
    await run.cancel('no', { delegationId })
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Without help.',
      delegations: [{ id: delegationId, outcome: 'cancelled' }],
    })
  })

  test("Restate's own cancel ends a run as ours does: every agent reports", async () => {
    const { held, begun } = heldTool()
    const { agent: helper } = worker('told', [call('held')], { tools: { held } })
    const { agent } = lead('console', [calls(to('told', 'Help'))], { agents: { told: helper } })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    await begun
    await cancelByConsole(run.id)
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      delegations: [{ outcome: 'cancelled' }],
    })
  })

  test('the first bail ends the run at once; a slow sibling is told, and reports', async () => {
    const { held, begun } = heldTool()
    const slow = worker('slow', [call('held')], { tools: { held } })
    const quick = worker('quick', [{ text: 'Here it is.', until: begun }])
    const { agent, model } = lead('bailing', [calls(to('slow', 'Help'), to('quick', 'Help'))], {
      agents: { slow: slow.agent, quick: quick.agent },
      delegation: {
        onDelegationComplete: ({ bail, text }: { bail(): void; text?: string }) => {
          if (text !== '') bail()
        },
      },
    })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'quick', text: 'Here it is.' })
    expect([model.calls.length, slow.model.calls.length]).toEqual([1, 1])
    const texts: string[] = []
    for await (const text of run.textStream) texts.push(text)
    expect(texts).toEqual(['Here it is.'])
  })
})

describe('handoffs', () => {
  const handsTo = (name: string) => calls({ name: `transfer-to-${name}`, args: { reason: 'It knows more.' } })

  test('whoever goes on does so in the same workflow, and is answered there', async () => {
    const { agent: expert } = worker('expert', [call('guarded'), 'Said the expert.'], { tools: { guarded } })
    const { agent } = worker('clerk', [handsTo('expert')], { handoffs: [expert] })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    const idle = await run.whenIdle
    if (idle.outcome !== 'suspended') throw new Error(`It is ${idle.outcome}: ${JSON.stringify(idle)}`)
    await run.approve(idle.awaiting[0]?.toolCallId ?? '')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Said the expert.', by: 'expert' })
    expect((await troupe.journal(run.id)).parts.map(({ path }) => path)).toEqual(['clerk'])
  })

  test('so does who goes on in place of a subagent', async () => {
    const { agent: expert } = worker('adviser', [call('guarded'), 'Said the adviser.'], {
      tools: { guarded },
    })
    const { agent: clerk } = worker('usher', [handsTo('adviser')], { handoffs: [expert] })
    const { agent } = lead('principal', [calls(to('usher', 'Help')), 'Done.'], { agents: { usher: clerk } })
    const troupe = await desk.troupe(agent)
    const run = await troupe.start(agent, 'Go')
    const idle = await run.whenIdle
    if (idle.outcome !== 'suspended') throw new Error(`It is ${idle.outcome}: ${JSON.stringify(idle)}`)
    await run.approve(idle.awaiting[0]?.toolCallId ?? '')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ outcome: 'succeeded', text: 'Said the adviser.' }],
    })
    expect((await troupe.journal(run.id)).parts.map(({ path }) => path)).toEqual([
      'principal',
      'principal/delegation:1.1/usher',
    ])
    expect((await troupe.replay(run.id)).result).toEqual(await run.result)
  })
})

describe('what is refused', () => {
  const { agent: helper } = worker('h', ['Yes.'])
  const endpointOf = (agent: AnyAgent) => desk.serve({ agents: [agent], namespace: 'refused' })

  test('memory that workers do not share', async () => {
    const { agent } = worker('rememberer', ['Yes.'], { memory: true })
    await expect(endpointOf(agent)).rejects.toThrow('the agent "rememberer" has memory')
  })

  test('options that nobody knows, and addresses that are none', async () => {
    const config = { agents: [helper], namespace: 'a b' }
    await expect(desk.serve(config)).rejects.toThrow('namespace must be a letter')
    await expect(desk.serve({ agents: [] })).rejects.toThrow('at least one agent')
    expect(() => desk.client(helper, 'a/b')).toThrow(ConfigurationError)
  })

  test('functions that are given with a run', async () => {
    const { agent } = lead('functional', ['Yes.'], { agents: { h: helper } })
    const troupe = desk.client(agent, 'refused')
    const start = (options: object) => troupe.start(agent, 'Go', options)
    await expect(start({ onStepFinish: () => undefined })).rejects.toThrow(/functions cannot.*: onStepFinish/)
    await expect(start({ delegation: { messageFilter: () => [] } })).rejects.toThrow(/: messageFilter/)
    // By the names of the options, and not by what becomes of them.
    await expect(start({ structuredOutput: { schema: inputSchema } })).rejects.toThrow(/: structuredOutput\./)
    const inputProcessors = [{ id: 'polite', processInput: () => undefined }]
    await expect(start({ inputProcessors })).rejects.toThrow(/: inputProcessors\./)
    await expect(troupe.start(helper, '')).rejects.toThrow(ConfigurationError)
  })

  test('a run that is not there, and an agent that nobody serves', async () => {
    const { agent } = worker('known', ['Yes.'])
    const troupe = await desk.troupe(agent)
    await expect(troupe.resume('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(troupe.history('nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(desk.client(agent, 'unserved').start(agent, 'Go')).rejects.toMatchObject({
      code: 'RESTATE_UNKNOWN',
    })
  })
})

test('runs are listed, and their history read', async () => {
  const { agent } = worker('listed', [call('lookup'), 'Listed.'], { tools: { lookup } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  await run.result
  expect((await troupe.runs()).items).toMatchObject([{ runId: run.id, agent: 'listed', status: 'completed' }])
  expect((await troupe.history(run.id)).map(({ type, key }) => [type, key])).toEqual([
    ['run.started', undefined],
    ['effect.settled', 'listed/model#1'],
    ['effect.settled', 'listed/call:1.1/tool#1'],
    ['effect.settled', 'listed/model#2'],
    ['run.settled', undefined],
  ])
})

test('runs are listed with the threads that they begin with', async () => {
  const { agent } = worker('threaded', [], { memory: true, otherwise: 'Listed.' })
  const troupe = await desk.troupe(agent, { store: memoryStore() })
  const named = await troupe.start(agent, 'A text with "threadId":"other" in it', { threadId: 'tides' })
  const fresh = await troupe.start(agent, 'Go')
  const forgets = await troupe.start(agent, 'Go', { memory: false })
  const runs = [named, fresh, forgets]
  await Promise.all(runs.map((run) => run.result))
  const listed = new Map((await troupe.runs()).items.map(({ runId, threadId }) => [runId, threadId]))
  expect(runs.map(({ id }) => listed.get(id))).toEqual(['tides', `${fresh.id}/threaded`, undefined])
})

test('runs are listed in pages, by status and by agent', async () => {
  const { agent } = worker('paged', [], { otherwise: 'Listed.' })
  const troupe = await desk.troupe(agent)
  const ids: string[] = []
  for (let index = 0; index < 5; index++) {
    const run = await troupe.start(agent, 'Go', { resourceId: 'ann', conversationId: 'talk' })
    await run.result
    ids.push(run.id)
  }
  const pagesOf = async (filter: RestateRunFilter) => {
    const pages: string[][] = []
    let before: string | undefined
    do {
      const { items, next } = await troupe.runs({ ...filter, ...(before === undefined ? {} : { before }) })
      pages.push(items.map(({ runId }) => runId))
      before = next
    } while (before !== undefined)
    return pages
  }
  const [a = '', b = '', c = '', d = '', e = ''] = ids
  expect(await pagesOf({ limit: 2 })).toEqual([[a, b], [c, d], [e]])
  expect(await pagesOf({ limit: 2, order: 'newest' })).toEqual([[e, d], [c, b], [a]])
  expect(await pagesOf({ status: 'completed', agent: 'paged', limit: 5 })).toEqual([ids])
  expect(await pagesOf({ status: 'running' })).toEqual([[]])
  expect(await pagesOf({ agent: 'nobody' })).toEqual([[]])
  expect((await troupe.runs({ limit: 1 })).items).toMatchObject([
    { resourceId: 'ann', conversationId: 'talk', awaiting: [] },
  ])
})

test('open questions are listed, of the run and its subagents, and gone with their answers', async () => {
  const helper = worker('asker', [call('guarded')], { tools: { guarded }, otherwise: 'Helped.' })
  const { agent } = lead('inbox', [calls({ name: 'guarded', args: { q: 'tides' } }, to('asker', 'Ask'))], {
    tools: { guarded },
    agents: { asker: helper.agent },
    otherwise: 'Done.',
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const asked = async (filter?: RestateQuestionFilter) =>
    (await troupe.awaiting(filter)).items.map(({ toolCallId }) => toolCallId).toSorted()
  const [own, below] = ['inbox/call:1.1', 'inbox/delegation:1.2/asker/call:1.1']
  await expect.poll(() => asked()).toEqual([own, below])
  const { items } = await troupe.awaiting({ agent: 'asker' })
  expect(items).toMatchObject([
    {
      runId: run.id,
      toolCallId: below,
      type: 'approval',
      agent: 'asker',
      path: 'inbox/delegation:1.2/asker',
      toolName: 'guarded',
      args: { q: 'tides' },
      since: expect.any(Number),
    },
  ])
  const first = await troupe.awaiting({ limit: 1 })
  await expect(troupe.runs({ before: first.next ?? '' })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  })
  const second = await troupe.awaiting({ limit: 1, before: first.next ?? '' })
  expect([...first.items, ...second.items].map(({ toolCallId }) => toolCallId).toSorted()).toEqual([
    own,
    below,
  ])
  expect(second).not.toHaveProperty('next')
  expect((await troupe.runs()).items[0]?.awaiting).toHaveLength(2)
  expect(await asked({ runId: 'nobody' })).toEqual([])
  await run.approve(own)
  await expect.poll(() => asked()).toEqual([below])
  await expect(troupe.delete(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED', runId: run.id })
  await run.cancel()
  await run.result
  await expect.poll(() => asked()).toEqual([])
})

test('a run under an id of its caller begins once, and is listed by it', async () => {
  const { agent, model } = worker('solo', ['Once.'], { otherwise: 'Again.' })
  const troupe = await desk.troupe(agent)
  const runId = `chosen-${crypto.randomUUID()}`
  const run = await troupe.start(agent, 'Go', { runId, resourceId: 'ann' })
  expect(run.id).toBe(runId)
  await expect(troupe.start(agent, 'Go', { runId })).rejects.toMatchObject({ code: 'RUN_EXISTS', runId })
  expect(await run.result).toMatchObject({ text: 'Once.' })
  expect((await troupe.runs({ runId })).items).toMatchObject([{ runId, agent: 'solo', resourceId: 'ann' }])
  expect((await troupe.runs({ runId: `${runId}-2` })).items).toEqual([])
  expect(model.calls).toHaveLength(1)
})

test('an ended run is deleted with its subagents, and its handle has its result', async () => {
  const helper = worker('helps', [], { otherwise: 'Helped.' })
  const { agent } = lead('deleted', [calls(to('helps', 'Help'))], {
    agents: { helps: helper.agent },
    otherwise: 'Done.',
  })
  const troupe = await desk.troupe(agent)
  const [run, other] = [await troupe.start(agent, 'Go'), await troupe.start(agent, 'Go')]
  await Promise.all([run.result, other.result])
  await expect.poll(async () => (await troupe.runs({ status: 'completed' })).items.length).toBe(2)
  await troupe.delete(run.id)
  expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([other.id])
  await expect(troupe.resume(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await expect(troupe.replay(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await expect(troupe.journal(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await expect(troupe.delete(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await troupe.replay(other.id)).toMatchObject({ result: { outcome: 'completed' } })
})

test('runs of another namespace are not listed, though a "_" in SQL is like any character', async () => {
  const { agent } = worker('alike', ['Yes.'])
  await desk.serve({ agents: [agent], namespace: 'like_this' })
  await desk.serve({ agents: [agent], namespace: 'like.this' })
  const run = await desk.client(agent, 'like.this').start(agent, 'Go')
  await run.result
  expect((await desk.client(agent, 'like_this').runs()).items).toEqual([])
})

test('a run that began with a subagent is found by its id', async () => {
  const { agent: helper } = worker('below', ['Helped.'])
  const { agent } = lead('above', ['Alone.'], { agents: { below: helper } })
  const troupe = await desk.troupe(agent)
  const { id } = await troupe.start(helper, 'Go')
  expect(await (await troupe.resume(id)).result).toMatchObject({ outcome: 'completed', text: 'Helped.' })
})

test('an answer of a shape is what the schema makes of it', async () => {
  const schema = z.object({ degrees: z.number() })
  const agent = createAgent({
    id: 'shaped',
    instructions: 'Answer.',
    model: worker('x', ['{"degrees": 4}']).model,
    structuredOutput: { schema },
  })
  const troupe = await desk.troupe(agent)
  const result = await (await troupe.start(agent, 'Go')).result
  expect(result).toMatchObject({ outcome: 'completed', object: { degrees: 4 } })
})

async function cancelByConsole(runId: string): Promise<void> {
  const { admin } = desk.server
  const query = `SELECT id FROM sys_invocation WHERE target_service_key = '${runId}' AND target_handler_name = 'run'`
  const response = await fetch(`${admin}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { rows } = (await response.json()) as { rows: readonly { id: string }[] }
  const cancelled = await fetch(`${admin}/invocations/${rows[0]?.id}/cancel`, { method: 'PATCH' })
  expect(cancelled.ok).toBe(true)
}
