/** BEHAVIOUR 41: a journal is replayed without performing anything, and refuses to be replayed as something else. */
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  JournalMismatchError,
  memoryStore,
  RunNotFoundError,
  type AnyAgent,
  type JournalEntry,
  type Store,
  type SupervisorOptions,
  type Troupe,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { withoutProgram } from '../../support/without-program.ts'

/** What a company may be made with; every difference is one that a deploy may make. */
interface Variant {
  readonly leadInstructions?: string
  readonly toolDescription?: string
  readonly modelId?: string
  readonly options?: SupervisorOptions
  readonly helperOptions?: { readonly maxSteps?: number }
}

interface Company {
  readonly agent: AnyAgent<SupervisorOptions>
  /** Every effect that was performed, by name. */
  readonly performed: string[]
}

/** A supervisor with hooks, scorers, a subagent and a tool that fails once: every kind of effect but signals. */
function company(variant: Variant = {}): Company {
  const performed: string[] = []
  const note = <T>(what: string, value: T): T => {
    performed.push(what)
    return value
  }
  const model = (id: string, steps: readonly ScriptedStep[]) => {
    const scripted = scriptedModel(steps, { modelId: variant.modelId ?? id })
    return {
      ...scripted,
      generate: (...args: Parameters<typeof scripted.generate>) =>
        note(`model ${id}`, scripted.generate(...args)),
    }
  }
  let attempts = 0
  const lookup = createTool({
    id: 'lookup',
    description: variant.toolDescription ?? 'Looks something up.',
    inputSchema: z.object({ q: z.string() }),
    requireApproval: ({ q }) => note('predicate', q === 'secret'),
    execute: ({ q }) => {
      performed.push('tool')
      if (++attempts === 1) throw Object.assign(new Error('busy'), { retryable: true })
      return { found: q }
    },
  })
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    model: model('helper', [calls({ name: 'lookup', args: { q: 'x' } }), 'Help.']),
    tools: { lookup },
    ...variant.helperOptions,
  })
  const agent = createSupervisor({
    id: 'lead',
    instructions: variant.leadInstructions ?? 'Lead.',
    model: model('lead', [calls(to('helper', 'Help me')), 'A draft.', 'The answer.']),
    agents: { helper },
    delegation: {
      onDelegationStart: () => note('start hook', { modifiedPrompt: 'Help me, please' }),
      onDelegationComplete: () => note('complete hook', { feedback: 'Good help.' }),
      messageFilter: ({ messages }) => note('filter', messages),
      timeout: 60_000,
    },
    completion: {
      scorers: [
        createScorer({ id: 'judge', score: ({ output }) => note('scorer', output === 'A draft.' ? 0.2 : 1) }),
      ],
      onComplete: () => note('onComplete', undefined),
    },
    onIterationComplete: () => note('iteration hook', undefined),
    onStepFinish: () => note('onStepFinish', undefined),
    onFinish: () => note('onFinish', undefined),
    stopWhen: () => note('stopWhen', false),
    ...variant.options,
  })
  return { agent, performed }
}

async function record(made: Company, store: Store) {
  const clock = virtualClock()
  const troupe = createTroupe({ agents: [made.agent], store, clock })
  const run = await troupe.start(made.agent, 'Go')
  // The timeout of the delegation, and the back-off of the tool.
  await clock.armed(2)
  clock.advance(500)
  const result = await run.result
  return { run, result, troupe, clock, events: await allEvents(run) }
}

async function mismatchOf(replaying: Promise<unknown>): Promise<JournalMismatchError> {
  try {
    await replaying
  } catch (error) {
    if (error instanceof JournalMismatchError) return error
    throw error
  }
  throw new Error('The journal was replayed, a mismatch was expected')
}

describe('a replay', () => {
  test('performs no effect, and reproduces result and events', async () => {
    const store = memoryStore()
    const made = company()
    const { run, result, troupe, events, clock } = await record(made, store)
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'The answer.',
      scores: [{ outcome: 'failed' }, { outcome: 'passed' }],
    })
    expect(new Set(made.performed)).toEqual(
      new Set([
        'model lead',
        'model helper',
        'predicate',
        'tool',
        'start hook',
        'complete hook',
        'filter',
        'scorer',
        'onComplete',
        'iteration hook',
        'onStepFinish',
        'onFinish',
        'stopWhen',
      ]),
    )
    const performed = [...made.performed]
    const replay = await troupe.replay(run.id)
    expect(made.performed).toEqual(performed)
    expect(clock.pending).toBe(0)
    expect(replay.runId).toBe(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events)
    const journal = await troupe.journal(run.id)
    expect(replay.entries).toBe(journal.length)
    // Nor does it write anything.
    expect(await troupe.journal(run.id)).toEqual(journal)
  })

  test('works from the journal alone, in a troupe that never ran it, and after a trip through JSON', async () => {
    const { run, result, troupe, events } = await record(company(), memoryStore())
    const text = JSON.stringify(await troupe.journal(run.id))
    const other = company()
    const replay = await createTroupe({
      agents: [other.agent],
      store: { ...memoryStore(), read: async () => JSON.parse(text) as JournalEntry[] },
    }).replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events)
    expect(other.performed).toEqual([])
  })

  test('shows the same states to an inspector', async () => {
    const states = (into: string[]) => (event: { type: string; snapshot?: unknown }) => {
      if (event.type === '@xstate.snapshot')
        into.push(JSON.stringify((event.snapshot as { value?: unknown }).value))
    }
    const { agent } = lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper: worker('helper', ['Help.']).agent },
    })
    const [live, replayed]: string[][] = [[], []]
    const troupe = createTroupe({ agents: [agent], inspect: states(live ?? []) })
    const run = await troupe.start(agent, 'Go')
    await run.result
    await troupe.replay(run.id, { inspect: states(replayed ?? []) })
    expect(live).toContain('{"thinking":"calling"}')
    expect(live).toContain('"completed"')
    expect(replayed).toEqual(live)
  })

  test('of a run that is still under way ends where its journal does', async () => {
    const { agent } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    const replay = await troupe.replay(run.id)
    expect(replay.result).toBeUndefined()
    expect(replay.events.map((event) => event.type)).toEqual(['run-start', 'step-start'])
    await run.cancel()
    await run.result
  })

  test('of a run with a person in it reproduces suspension, answer and end', async () => {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: (_, { suspend, resumeData }) => resumeData ?? suspend('Well?'),
    })
    const { agent } = worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await run.whenIdle
    await run.approve('solo/call:1.1')
    await run.whenIdle
    await run.resume('solo/call:1.1', 'well')
    const result = await run.result
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(await allEvents(run))
    expect(only(replay.events, 'suspended', 'resumed').map((event) => event.type)).toEqual([
      'suspended',
      'resumed',
      'suspended',
      'resumed',
    ])
  })

  test.each(['failed', 'cancelled', 'exhausted', 'stopped', 'bailed'] as const)(
    'of a run that %s reproduces that',
    async (outcome) => {
      const helper = worker('helper', ['Help.'])
      const { agent } = lead(
        'lead',
        [outcome === 'failed' ? { error: new Error('down') } : calls(to('helper', 'Help')), { hang: true }],
        {
          agents: { helper: helper.agent },
          maxSteps: outcome === 'exhausted' ? 1 : 5,
          onExhausted: 'stop',
          stopWhen: () => outcome === 'stopped',
          delegation: {
            onDelegationComplete: (context) => {
              if (outcome === 'bailed') context.bail()
            },
          },
        },
      )
      const troupe = createTroupe({ agents: [agent] })
      const run = await troupe.start(agent, 'Go')
      if (outcome === 'cancelled') {
        await until(run, 'step-start', (event) => event.payload.step === 2)
        await run.cancel('enough')
      }
      const result = await run.result
      expect(result.outcome).toBe(outcome)
      const replay = await troupe.replay(run.id)
      expect(replay.result).toEqual(result)
      expect(replay.events).toEqual(await allEvents(run))
    },
  )

  test('of a run that nobody knows is refused', async () => {
    const { agent } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    await expect(troupe.replay('nobody')).rejects.toThrow(RunNotFoundError)
    await expect(troupe.journal('nobody')).rejects.toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }))
  })
})

describe('a change since a run whose journal says nothing of its agents', () => {
  /** Records with the company as it was, and resumes with it as it is now. */
  async function resumedAs(now: Variant, was: Variant = {}) {
    const store = memoryStore()
    const { run, result, troupe } = await record(company(was), store)
    const changed = createTroupe({
      agents: [company(now).agent],
      store: await withoutProgram(store, run.id),
    })
    return { journal: await troupe.journal(run.id), resuming: changed.resume(run.id), changed, run, result }
  }

  test('of the instructions: the first model call does not fit', async () => {
    const { journal, resuming } = await resumedAs({ leadInstructions: 'Lead firmly.' })
    const { mismatch, code, message } = await mismatchOf(resuming)
    expect(code).toBe('JOURNAL_MISMATCH')
    expect(mismatch).toMatchObject({ entry: 1, key: 'lead/model#1', field: 'digest of the input' })
    expect(journal[1]).toMatchObject({ key: 'lead/model#1', digest: mismatch.recorded })
    expect(mismatch.actual).not.toBe(mismatch.recorded)
    expect(message).toContain('Journal entry 1 (lead/model#1) does not match the run')
  })

  test('of instructions, tools or models does not stop a replay, which tells the first difference', async () => {
    const keys = {
      'lead/model#1': { leadInstructions: 'Lead firmly.' },
      'lead/delegation:1.1/helper/model#1': { toolDescription: 'Searches.' },
    }
    for (const [key, now] of Object.entries(keys)) {
      const { changed, resuming, run, result } = await resumedAs(now)
      const { mismatch } = await mismatchOf(resuming)
      const replay = await changed.replay(run.id)
      expect(replay.diverged).toEqual(mismatch)
      expect(replay.diverged).toMatchObject({ key, field: 'digest of the input' })
      expect(replay.result).toEqual(result)
      expect(replay.events).toEqual(await allEvents(run))
    }
  })

  test('that takes an agent away is told by a code of its own', async () => {
    const store = memoryStore()
    const { run, troupe } = await record(company(), store)
    expect(await troupe.replay(run.id)).not.toHaveProperty('diverged')
    const other = createTroupe({ agents: [worker('other', []).agent], store })
    await expect(other.replay(run.id)).rejects.toMatchObject({
      code: 'AGENT_NOT_HERE',
      runId: run.id,
      message: `The run "${run.id}" cannot be shown: There is no agent "lead" in this troupe. It has: other.`,
    })
    expect(await other.journal(run.id)).toEqual(await troupe.journal(run.id))
  })

  test("of a subagent's tool: that agent's first model call does not fit", async () => {
    const { journal, resuming } = await resumedAs({ toolDescription: 'Searches.' })
    const { mismatch } = await mismatchOf(resuming)
    const key = 'lead/delegation:1.1/helper/model#1'
    expect(mismatch).toMatchObject({ key, field: 'digest of the input' })
    expect(journal[mismatch.entry]).toMatchObject({ type: 'effect.settled', key })
  })

  test('of the model: its first call does not fit', async () => {
    const { resuming } = await resumedAs({ modelId: 'another' })
    expect((await mismatchOf(resuming)).mismatch).toMatchObject({ entry: 1, key: 'lead/model#1' })
  })

  test('of an option of the machine: the first effect that is told of it', async () => {
    const { journal, resuming } = await resumedAs({ options: { maxSteps: 1 } })
    const { mismatch } = await mismatchOf(resuming)
    expect(mismatch).toMatchObject({ key: 'lead/hook:onIterationComplete#1', field: 'digest of the input' })
    expect(journal[mismatch.entry]).toMatchObject({ key: mismatch.key })
  })

  test('of an option that no effect is told of: the entry that the run does not lead to any more', async () => {
    const store = memoryStore()
    const make = (maxSteps: number) =>
      worker('solo', ['', '', 'Hi.'], { maxSteps, onExhausted: 'stop' }).agent
    const [was, now] = [make(5), make(2)]
    const run = await createTroupe({ agents: [was], store }).start(was, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const { mismatch } = await mismatchOf(
      createTroupe({ agents: [now], store: await withoutProgram(store, run.id) }).replay(run.id),
    )
    expect(mismatch).toEqual({
      entry: 3,
      key: 'solo/model#3',
      field: 'key',
      recorded: 'solo/model#3',
      actual: 'no open effect',
    })
  })

  test('of a hook that is gone: the entry of that hook', async () => {
    const { resuming } = await resumedAs({ options: { delegation: { timeout: 60_000 } } })
    expect((await mismatchOf(resuming)).mismatch).toMatchObject({
      key: 'lead/delegation:1.1/hook:onDelegationStart#1',
      field: 'key',
      recorded: 'lead/delegation:1.1/hook:onDelegationStart#1',
    })
  })

  test('that leads through every entry to another end: the entry of the end', async () => {
    const store = memoryStore()
    const make = (threshold: number) =>
      lead('lead', ['One.', 'Two.'], {
        maxSteps: 2,
        onExhausted: 'stop',
        completion: { scorers: [createScorer({ id: 'judge', threshold, score: () => 0.5 })] },
      }).agent
    const [strict, lax] = [make(1), make(0.9)]
    const run = await createTroupe({ agents: [strict], store }).start(strict, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'completion' })
    // Another threshold which is just as unmet changes nothing.
    expect((await createTroupe({ agents: [lax], store }).replay(run.id)).result).toEqual(await run.result)

    const journal = await store.read(run.id)
    const last = (journal?.length ?? 0) - 1
    const plain = await withoutProgram(store, run.id)
    const error = await mismatchOf(createTroupe({ agents: [make(0.5)], store: plain }).replay(run.id))
    expect(error.mismatch.entry).toBeLessThanOrEqual(last)
    expect(error.mismatch.field).toBe('key')
  })

  test('of the cap that a run just reached: it goes on where its journal says that it ended', async () => {
    const store = memoryStore()
    const make = (maxSteps: number) => worker('solo', ['', ''], { maxSteps, onExhausted: 'stop' }).agent
    const [was, now] = [make(2), make(3)]
    const run = await createTroupe({ agents: [was], store }).start(was, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps' })
    const { mismatch } = await mismatchOf(
      createTroupe({ agents: [now], store: await withoutProgram(store, run.id) }).replay(run.id),
    )
    expect(mismatch).toEqual({
      entry: 3,
      field: 'outcome',
      recorded: 'exhausted',
      actual: 'a run that goes on',
    })
  })
})

describe('a journal that was tampered with', () => {
  async function replayEdited(edit: (journal: JournalEntry[]) => readonly JournalEntry[]) {
    const store = memoryStore()
    const { agent } = worker('solo', ['Hello.'])
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
    await run.result
    const journal = structuredClone((await store.read(run.id)) ?? []) as JournalEntry[]
    const troupe: Troupe = createTroupe({
      agents: [agent],
      store: { ...memoryStore(), read: async () => edit(journal) },
    })
    return mismatchOf(troupe.replay(run.id))
  }

  test('a run of another protocol is refused at once, with what to do', async () => {
    const error = await replayEdited((journal) => journal.map((entry) => ({ ...entry, protocol: 99 })))
    expect(error.mismatch).toEqual({ entry: 0, field: 'protocol', recorded: 99, actual: 3 })
    expect(error.message).toContain('replay it with the release of troupe that it began with.')
  })

  test('a journal without a beginning', async () => {
    expect((await replayEdited((journal) => journal.slice(1))).mismatch).toEqual({
      entry: 0,
      field: 'type',
      recorded: 'effect.settled',
      actual: 'run.started',
    })
    expect((await replayEdited(() => [])).mismatch).toMatchObject({ entry: 0, field: 'type' })
  })

  test('an entry that stands twice', async () => {
    const error = await replayEdited(([started, model, ...rest]) =>
      started === undefined || model === undefined ? [] : [started, model, model, ...rest],
    )
    expect(error.mismatch).toEqual({
      entry: 2,
      key: 'solo/model#1',
      field: 'key',
      recorded: 'solo/model#1',
      actual: 'no open effect',
    })
  })

  test('an outcome that was altered: the run does not end as its journal says', async () => {
    const error = await replayEdited((journal) =>
      journal.map((entry) =>
        entry.type === 'effect.settled' && entry.settlement.error === undefined
          ? {
              ...entry,
              settlement: { value: { ...(entry.settlement.value as object), text: 'Bye.' } as never },
            }
          : entry,
      ),
    )
    expect(error.mismatch).toEqual({ entry: 2, field: 'text', recorded: 'Hello.', actual: 'Bye.' })
  })

  test('a kind that was altered', async () => {
    const error = await replayEdited((journal) =>
      journal.map((entry) => (entry.type === 'effect.settled' ? { ...entry, kind: 'tool' } : entry)),
    )
    expect(error.mismatch).toEqual({
      entry: 1,
      key: 'solo/model#1',
      field: 'kind',
      recorded: 'tool',
      actual: 'model',
    })
  })

  test('a signal behind the end, and an answer that nobody waits for', async () => {
    const behind = await replayEdited((journal) => [
      ...journal,
      { type: 'signal.received', at: 1, signal: { type: 'cancel', reason: 'late' } },
    ])
    expect(behind.mismatch).toEqual({
      entry: 3,
      field: 'type',
      recorded: 'signal.received',
      actual: 'a run that has ended',
    })
    const answer = await replayEdited(([started, ...rest]) =>
      started === undefined
        ? []
        : [
            started,
            {
              type: 'signal.received',
              at: started.at,
              signal: {
                type: 'answer',
                key: 'solo/call:1.1/signal:approval#1',
                id: 'x',
                answer: { approved: true },
              },
            },
            ...rest,
          ],
    )
    expect(answer.mismatch).toMatchObject({
      entry: 1,
      field: 'key',
      recorded: 'solo/call:1.1/signal:approval#1',
      actual: 'these open: solo/model#1',
    })
  })
})
