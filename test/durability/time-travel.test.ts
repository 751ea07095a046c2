/** BEHAVIOUR 41: a run as it was after any of its entries, a run that goes another way from there, and its history. */
import {
  ConfigurationError,
  createTool,
  createTroupe,
  JournalMismatchError,
  memoryStore,
  RetryableError,
  type ActorView,
  type ForkOptions,
  type JournalEntry,
  type Store,
  type SupervisorOptions,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { startedOf } from '../../src/runtime/journal/journal.ts'
import { z } from 'zod'
import { calls, lead, shown, to, worker } from '../support/agents/agents.ts'
import { comparableFork, finish, hastyClock } from './crashes/crash-sweep.ts'
import { hashedCompany } from './crashes/hashed-company.ts'
import { MortalWorld } from './crashes/mortal-world.ts'
import { suspendedBy } from './processes.ts'

const inputSchema = z.object({})

/** A desk that looks something up, asks a person, and delegates. */
function desk(
  steps: { lead: readonly ScriptedStep[]; helper: readonly ScriptedStep[] },
  options: SupervisorOptions = {},
) {
  const lookups: string[] = []
  const tools = {
    lookup: createTool({
      id: 'lookup',
      description: 'Looks up.',
      inputSchema,
      execute: (_, { idempotencyKey }) => {
        lookups.push(idempotencyKey)
        return { found: 'x' }
      },
    }),
    publish: createTool({
      id: 'publish',
      description: 'Publishes.',
      inputSchema,
      requireApproval: true,
      execute: () => 'published',
    }),
  }
  const helper = worker('helper', steps.helper, { tools })
  const boss = lead('lead', steps.lead, { agents: { helper: helper.agent }, tools, ...options })
  return { agent: boss.agent, boss: boss.model, helper: helper.model, lookups }
}

const script = {
  lead: [calls(to('helper', 'Help me')), calls({ name: 'publish' }), 'All done.'],
  helper: [calls({ name: 'lookup' }), 'The help.'],
}

async function recorded(store: Store, options: SupervisorOptions = {}) {
  const made = desk(script, options)
  let at = 1_000
  const clock = { now: () => (at += 10), after: () => () => undefined }
  const troupe = createTroupe({ agents: [made.agent], store, clock, passivateAfter: Infinity })
  const run = await troupe.start(made.agent, 'Go')
  await suspendedBy(run)
  await run.approve('lead/call:2.1')
  return { ...made, troupe, run, result: await run.result, journal: await troupe.journal(run.id) }
}

function flat(views: readonly ActorView[]): ActorView[] {
  return views.flatMap((view) => [view, ...flat(view.children)])
}

describe('a replay until an entry', () => {
  test('gives the actors, their states and what they wait for', async () => {
    const { troupe, run, journal } = await recorded(memoryStore())
    const at = async (until: number) =>
      flat((await troupe.replay(run.id, { until })).actors).map(
        ({ path, machine, effect, state }) =>
          `${path} ${machine ?? effect}${state ? ` ${JSON.stringify(state)}` : ''}`,
      )
    expect(await at(1)).toEqual(['lead supervisor {"thinking":"calling"}', 'lead/model model'])
    expect(await at(3)).toEqual([
      'lead supervisor {"acting":"working"}',
      'lead/delegation:1.1 delegation {"working":"running"}',
      'lead/delegation:1.1/helper react {"acting":"working"}',
      'lead/delegation:1.1/helper/call:1.1 tool-call "executing"',
      'lead/delegation:1.1/helper/call:1.1/tool tool',
    ])
    const waiting = journal.findIndex((entry) => entry.type === 'signal.received')
    expect(await at(waiting)).toEqual([
      'lead supervisor {"acting":"held"}',
      'lead/call:2.1 tool-call {"awaitingApproval":"unlimited"}',
      'lead/call:2.1/signal:approval signal',
    ])
    expect(await at(journal.length)).toEqual(['lead supervisor "completed"'])
  })

  test('gives conversations and contexts as data', async () => {
    const { troupe, run } = await recorded(memoryStore())
    const { actors } = await troupe.replay(run.id, { until: 5 })
    const helper = flat(actors).find(({ id }) => id === 'helper')
    expect(helper?.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant', 'tool'])
    expect(helper?.messages?.at(-1)).toMatchObject({ role: 'tool', content: '{"found":"x"}' })
    expect(helper?.context).toMatchObject({ step: 2, messages: helper?.messages })
    expect(structuredClone(actors)).toEqual(actors)
    const model = flat(actors).find(({ effect }) => effect === 'model')
    expect(model?.context).toMatchObject({ agent: 'helper', messages: helper?.messages })
  })

  test('is consistent at each entry: its events are the first of the run, its result is there at the end alone', async () => {
    const { troupe, run, result, journal } = await recorded(memoryStore())
    const whole = await troupe.replay(run.id)
    expect(whole).toMatchObject({ result, entries: journal.length, runId: run.id })
    let told = 0
    for (let until = 1; until <= journal.length; until++) {
      const part = await troupe.replay(run.id, { until })
      expect(part.entries).toBe(until)
      expect(part.events).toEqual(whole.events.slice(0, part.events.length))
      expect(part.events.length).toBeGreaterThanOrEqual(told)
      told = part.events.length
      expect(part.result).toEqual(until === journal.length ? result : undefined)
      expect(flat(part.actors).every(({ status }) => status === 'active')).toBe(until < journal.length - 1)
    }
    expect(await troupe.replay(run.id, { until: journal.length + 5 })).toEqual(whole)
  })

  test('performs nothing and leaves the run as it is', async () => {
    const { troupe, run, journal, boss, helper, lookups } = await recorded(memoryStore())
    const before = [boss.calls.length, helper.calls.length, lookups.length]
    for (let until = 1; until <= journal.length; until++) await troupe.replay(run.id, { until })
    expect([boss.calls.length, helper.calls.length, lookups.length]).toEqual(before)
    expect(await troupe.journal(run.id)).toEqual(journal)
  })

  test.each([0, -1, 1.5, Number.NaN])('until %s is refused', async (until) => {
    const { troupe, run } = await recorded(memoryStore())
    await expect(troupe.replay(run.id, { until })).rejects.toThrow(ConfigurationError)
  })
})

describe('a fork', () => {
  describe.each([3, 6, 9, 12, 21])('at every entry of a run of company %i', (seed) => {
    const store = memoryStore()
    const agent = hashedCompany(seed, new MortalWorld())
    const troupe = createTroupe({
      agents: [agent],
      store,
      clock: hastyClock(1_000),
      passivateAfter: Infinity,
    })
    let journal: readonly JournalEntry[] = []
    let whole: unknown
    let runId = ''
    beforeAll(async () => {
      const { run, result } = await finish(await troupe.start(agent, 'Go'))
      runId = run.id
      journal = await troupe.journal(runId)
      whole = comparableFork(result)
    })

    test('shares what it says, goes on by itself, and comes to the same end', async () => {
      const last = journal.findIndex((entry) => entry.type === 'run.settled')
      expect(last).toBeGreaterThan(0)
      for (let at = 1; at <= last; at++) {
        const { run, result } = await finish(await troupe.fork(runId, { at }))
        expect(comparableFork(result)).toEqual(whole)
        const forked = await troupe.journal(run.id)
        const { uncounted: _passed, ...begun } = startedOf(forked)
        expect(begun).toEqual({
          ...journal[0],
          runId: run.id,
          forkedFrom: { runId, at },
          lineage: [{ runId, at, until: journal[at - 1]?.at }],
        })
        expect(forked.slice(1, at)).toEqual(journal.slice(1, at))
        expect((await troupe.replay(run.id)).result).toEqual(result)
      }
      expect(await troupe.journal(runId)).toEqual(journal)
      const [original, ...forks] = (await troupe.runs()).items
      expect(original).not.toHaveProperty('forkedFrom')
      expect(new Set(forks.map(({ forkedFrom }) => forkedFrom))).toEqual(new Set([runId]))
    })
  })

  const isReply = (key: string) => (entry: JournalEntry) =>
    entry.type === 'effect.settled' && entry.key === key
  const helpersAnswer = isReply('lead/delegation:1.1/helper/model#2')

  async function forked(
    patch: ForkOptions['patch'],
    leadSteps: readonly ScriptedStep[],
    where = helpersAnswer,
  ) {
    const store = memoryStore()
    const { run, journal } = await recorded(store)
    const next = desk({ lead: leadSteps, helper: [] })
    const troupe = createTroupe({ agents: [next.agent], store })
    const at = journal.findIndex(where) + 1
    const fork = await troupe.fork(run.id, { at, ...(patch && { patch }) })
    return { ...next, fork, journal, at, troupe, run }
  }

  test('what if the helper had failed?', async () => {
    const { fork, boss, at, journal, troupe } = await forked(
      { error: { name: 'Error', code: 'DOWN', message: 'down' } },
      ['Without help, then.'],
    )
    expect(await fork.result).toMatchObject({
      outcome: 'completed',
      text: 'Without help, then.',
      delegations: [{ outcome: 'failed', error: { code: 'DOWN' } }],
    })
    expect(boss.calls).toHaveLength(1)
    const forkedJournal = await troupe.journal(fork.id)
    expect(forkedJournal.slice(1, at - 1)).toEqual(journal.slice(1, at - 1))
    expect(forkedJournal[at - 1]).toMatchObject({
      key: 'lead/delegation:1.1/helper/model#2',
      settlement: { error: { code: 'DOWN' } },
    })
  })

  test('an error as it may be thrown will do', async () => {
    const { fork } = await forked({ error: new RetryableError('busy', { code: 'BUSY', retryAfterMs: 1 }) }, [
      'x',
    ])
    await fork.cancel()
    await fork.result
    expect((await forked({ error: new Error('oh') }, ['Without.'])).fork.id).not.toBe(fork.id)
  })

  test('what if the helper had said something else?', async () => {
    const value = {
      text: 'Other help.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    } as const
    const { fork, boss } = await forked({ value }, ['I see.'])
    expect(await fork.result).toMatchObject({ text: 'I see.', delegations: [{ text: 'Other help.' }] })
    expect(shown(boss, 1).at(-1)).toMatchObject({ role: 'tool', content: 'Other help.' })
  })

  test('what if the tool had found something else?', async () => {
    const store = memoryStore()
    const { run, journal } = await recorded(store)
    const next = desk({ lead: ['I see.'], helper: ['Found y.'] })
    const troupe = createTroupe({ agents: [next.agent], store })
    const at = journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'tool') + 1
    const fork = await troupe.fork(run.id, {
      at,
      patch: { value: { type: 'returned', value: { found: 'y' } } },
    })
    expect(await fork.result).toMatchObject({ text: 'I see.' })
    expect(shown(next.helper, 1).at(-1)).toMatchObject({ content: '{"found":"y"}' })
    expect(next.lookups).toEqual([])
  })

  test('while a tool was at work runs it again, for the new run', async () => {
    const store = memoryStore()
    const { run, journal } = await recorded(store)
    const next = desk({ lead: ['Done.'], helper: ['Help.'] })
    const troupe = createTroupe({ agents: [next.agent], store })
    const at = journal.findIndex((entry) => entry.type === 'effect.started') + 1
    const fork = await troupe.fork(run.id, { at })
    expect(await fork.result).toMatchObject({ outcome: 'completed' })
    expect(next.lookups).toEqual([`${fork.id}/lead/delegation:1.1/helper/call:1.1`])
  })

  test('of a suspended run asks again', async () => {
    const store = memoryStore()
    const { run, journal, troupe } = await recorded(store)
    const at = journal.findIndex((entry) => entry.type === 'signal.received')
    const next = desk({ lead: ['Denied.'], helper: [] })
    const other = createTroupe({ agents: [next.agent], store })
    const fork = await other.fork(run.id, { at })
    expect((await suspendedBy(fork)).awaiting).toMatchObject([{ toolCallId: 'lead/call:2.1' }])
    await other.signal(fork.id, { type: 'deny', toolCallId: 'lead/call:2.1' })
    expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'Denied.' })
    expect((await troupe.runs({ status: 'settled' })).items.length).toBe(2)
  })

  test('of a fork, and of a run that is under way', async () => {
    const store = memoryStore()
    const { agent } = worker('solo', [calls({ name: 'nobody' }), { hang: true }], { otherwise: 'Hi.' })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await expect.poll(async () => (await troupe.journal(run.id)).length).toBe(2)
    const fork = await troupe.fork(run.id, { at: 2 })
    const forkOfFork = await troupe.fork(fork.id, { at: 2 })
    expect(await fork.result).toMatchObject({ text: 'Hi.' })
    expect(await forkOfFork.result).toMatchObject({ text: 'Hi.' })
    expect((await troupe.journal(forkOfFork.id))[0]).toMatchObject({ forkedFrom: { runId: fork.id, at: 2 } })
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })

  test('with memory of its own writes to threads of its own', async () => {
    const store = memoryStore()
    const helper = worker('helper', [], { otherwise: 'Help.', memory: true })
    const { agent } = lead('lead', [], {
      otherwise: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'Done.' : calls(to('helper', 'Help me')),
      agents: { helper: helper.agent },
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const journal = await troupe.journal(run.id)
    expect(journal.some((entry) => entry.type === 'effect.settled' && entry.kind === 'memory')).toBe(true)
    const threads = await store.memory.threads({})
    expect(threads.length).toBeGreaterThan(0)
    for (let at = 1; at < journal.length; at++) {
      const fork = await troupe.fork(run.id, { at })
      expect(comparableFork(await fork.result)).toEqual(comparableFork(result))
    }
    for (const { id } of threads) {
      expect((await store.memory.messages(id, {})).length).toBeLessThanOrEqual(2)
    }
    expect((await store.memory.threads({})).length).toBeGreaterThan(threads.length)
  })

  test.each([
    ['at 0', { at: 0 }, 'at must be a number of entries from 1 to'],
    ['at half an entry', { at: 1.5 }, 'at must be a number of entries from 1 to'],
    ['beyond the journal', { at: 1_000 }, 'at must be a number of entries from 1 to'],
    ['at its end', 'end', 'has ended within its first'],
    [
      'with a patch of its beginning',
      { at: 1, patch: { value: null } },
      'only the outcome of an effect can be replaced; entry 0 is run.started',
    ],
    ['with an empty patch', { at: 2, patch: {} }, 'patch must be { value: … } or { error: … }'],
    [
      'with a patch of both',
      { at: 2, patch: { value: null, error: { name: 'E', code: 'E', message: '' } } },
      'patch must be { value: … } or { error: … }',
    ],
    [
      'with a reply that is none',
      { at: 2, patch: { value: { toolCalls: 'none' } } },
      'patch.value is no outcome of a model: toolCalls:',
    ],
    [
      'with a bare text as a reply',
      { at: 2, patch: { value: 'Hello.' } },
      'A reply of a model is { text: … }, or { toolCalls: […] }.',
    ],
  ])('%s is refused, and nothing is kept', async (_, fork, message) => {
    const store = memoryStore()
    const { troupe, run, journal } = await recorded(store)
    const options = (fork === 'end' ? { at: journal.length } : fork) as ForkOptions
    await expect(troupe.fork(run.id, options)).rejects.toThrow(message)
    await expect(troupe.fork(run.id, options)).rejects.toThrow(ConfigurationError)
    expect((await store.list('runs', {})).items).toHaveLength(1)
  })

  test('with the answer of a hook that is none is refused', async () => {
    const { troupe, run, journal } = await recorded(memoryStore(), { onIterationComplete: () => undefined })
    const at = journal.findIndex(isReply('lead/hook:onIterationComplete#1')) + 1
    await expect(troupe.fork(run.id, { at, patch: { value: { continue: 'yes' } } })).rejects.toThrow(
      'patch.value is no outcome of a hook: continue:',
    )
    await expect(troupe.fork(run.id, { at, patch: { value: { continue: false } } })).resolves.toMatchObject({
      id: expect.any(String),
    })
  })

  test('with agents that have changed is refused, and nothing is kept', async () => {
    const store = memoryStore()
    const { run } = await recorded(store)
    const changed = lead('lead', [], { instructions: 'Other.' }).agent
    await expect(createTroupe({ agents: [changed], store }).fork(run.id, { at: 4 })).rejects.toThrow(
      JournalMismatchError,
    )
    expect((await store.list('runs', {})).items).toHaveLength(1)
  })

  test('of a run with functions of its own needs them too', async () => {
    const store = memoryStore()
    const made = desk(script)
    const troupe = createTroupe({ agents: [made.agent], store })
    const run = await troupe.start(made.agent, 'Go', { onStepFinish: () => undefined })
    await suspendedBy(run)
    await expect(troupe.fork(run.id, { at: 1 })).rejects.toThrow('Hand them in again: onStepFinish.')
    expect((await store.list('runs', {})).items).toHaveLength(1)
    const steps: number[] = []
    const other = desk({ lead: ['Hi.'], helper: [] })
    const fork = await createTroupe({ agents: [other.agent], store }).fork(
      run.id,
      { at: 1 },
      { onStepFinish: ({ step }: { step: number }) => void steps.push(step) },
    )
    expect(await fork.result).toMatchObject({ text: 'Hi.' })
    expect(steps).toEqual([1])
    await run.cancel()
    await run.result
  })
})

describe('the history', () => {
  test('lists what happened, to whom, when, and what it cost', async () => {
    const { troupe, run, journal } = await recorded(memoryStore())
    const history = await troupe.history(run.id)
    expect(history.map(({ entry, at }) => [entry, at])).toEqual(journal.map(({ at }, index) => [index, at]))
    expect(
      history.map(({ type, path, kind }) =>
        [type, path, kind].filter((part) => part !== undefined).join(' '),
      ),
    ).toEqual([
      'run.started lead',
      'effect.settled lead model',
      'effect.settled lead/delegation:1.1/helper model',
      'effect.started lead/delegation:1.1/helper/call:1.1 tool',
      'effect.settled lead/delegation:1.1/helper/call:1.1 tool',
      'effect.settled lead/delegation:1.1/helper model',
      'effect.settled lead model',
      'signal.received lead/call:2.1 signal',
      'effect.started lead/call:2.1 tool',
      'effect.settled lead/call:2.1 tool',
      'effect.settled lead model',
      'run.settled',
    ])
    expect(history[1]).toMatchObject({
      key: 'lead/model#1',
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    })
    for (const { type, duration } of history) {
      if (type === 'effect.settled') expect(duration).toBeGreaterThan(0)
      else expect(duration).toBeUndefined()
    }
    expect(history.at(-1)).toMatchObject({ usage: { totalTokens: 75 } })
  })

  test('tells errors, timers and late outcomes; an interrupted tool took as long as it was known', async () => {
    const store = memoryStore()
    const { agent } = worker('solo', [{ error: new RetryableError('busy') }, calls({ name: 'lookup' })], {
      tools: {
        lookup: createTool({
          id: 'lookup',
          description: 'Looks up.',
          inputSchema,
          execute: () => new Promise<never>(() => undefined),
        }),
      },
      otherwise: 'Done.',
    })
    const troupe = createTroupe({ agents: [agent], store, clock: hastyClock(1_000) })
    const run = await troupe.start(agent, 'Go')
    await expect.poll(async () => (await troupe.journal(run.id)).at(-1)?.type).toBe('effect.started')
    await troupe.close()
    const again = createTroupe({ agents: [agent], store, clock: hastyClock(2_000) })
    const resumed = await again.resume(run.id)
    const history = await again.history(run.id)
    expect(history.slice(1).map(({ type, kind, error }) => [type, kind, error?.code])).toEqual([
      ['effect.settled', 'model', 'RETRYABLE'],
      ['timer.fired', 'timer', undefined],
      ['effect.settled', 'model', undefined],
      ['effect.started', 'tool', undefined],
      ['effect.settled', 'tool', undefined],
      ['effect.started', 'tool', undefined],
    ])
    expect(history[5]?.duration).toBe((history[5]?.at ?? 0) - (history[4]?.at ?? 0))
    await resumed.cancel()
    await resumed.result
    expect((await again.history(run.id)).at(-2)).toMatchObject({ type: 'signal.received', kind: 'signal' })
  })
})
