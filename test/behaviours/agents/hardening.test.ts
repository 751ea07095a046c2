/** What users are handed cannot change what runs or what is on record, and what is on record stays readable. */
import {
  createTool,
  createTroupe,
  JournalMismatchError,
  memoryStore,
  TerminalError,
  type AgentDefinition,
  type JournalEntry,
  type Store,
  type StepRecord,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, until, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'

/** What the types would forbid: users of JavaScript do it too. */
const edit = (target: unknown, change: object): object => Object.assign(target as object, change)

/** Runs it, and holds that the journal tells the same. */
async function settled<Options extends object>(agent: AgentDefinition<Options>, store?: Store) {
  const troupe = createTroupe({ agents: [agent], ...(store === undefined ? {} : { store }) })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { run, result, events, troupe, replay }
}

describe('values that a run hands out', () => {
  const args = { list: [1, 2], deep: { a: { b: 'c' } } }
  const untouched = structuredClone(args)
  const greedy = createTool({
    id: 'greedy',
    description: 'Keeps nothing as it was.',
    inputSchema: z.record(z.string(), z.any()),
    execute: (input: Partial<typeof args>) => {
      edit(input.deep?.a, { b: 'edited' })
      input.list?.push(3)
      delete input.deep
      return 'done'
    },
  })
  const ran: string[] = []
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => ran.push(`look ${q}`),
  })
  const wipe = createTool({
    id: 'wipe',
    description: 'Wipes.',
    inputSchema: z.object({}),
    execute: () => ran.push('wipe'),
  })
  const looks = calls({ name: 'look', args: { q: 'x' } })

  test('a tool may change its input deeply: neither the steps nor the replay notice', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'greedy', args }), 'Done.'], { tools: { greedy } })
    const { result, events } = await settled(agent)
    expect(result.steps[0]?.toolCalls[0]?.args).toEqual(untouched)
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'succeeded', value: 'done' }])
    expect(only(events, 'tool-call').map((event) => event.payload.args)).toEqual([untouched])
    expect(shown(model, 2)).toMatchObject([{}, {}, { toolCalls: [{ args: untouched }] }, {}])
  })

  test.each([
    { what: 'name', change: (call: object) => edit(call, { name: 'wipe' }) },
    { what: 'args', change: (call: object) => edit((call as { args: object }).args, { q: 'edited' }) },
  ])('onStepFinish cannot edit the $what of a call: what it throws is announced', async ({ change }) => {
    ran.length = 0
    const { agent } = worker('solo', [looks, 'Done.'], {
      tools: { look, wipe },
      onStepFinish: ({ toolCalls }) => toolCalls.forEach((call) => change(call)),
    })
    const { result, events } = await settled(agent)
    expect(ran).toEqual(['look x'])
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.steps[0]?.toolCalls).toEqual([{ id: 'solo/call:1.1', name: 'look', args: { q: 'x' } }])
    expect(only(events, 'error').map((event) => event.payload)).toMatchObject([
      { willRetry: false, error: { name: 'TypeError', code: 'HOOK_FAILED' } },
    ])
  })

  test.each([
    {
      what: 'allSteps',
      change: ({ allSteps }: { allSteps: readonly StepRecord[] }) => edit(allSteps[0], { text: 'Edited.' }),
    },
    {
      what: 'messages',
      change: ({ messages }: { messages: readonly object[] }) => edit(messages[1], { content: 'Edited.' }),
    },
  ])('onIterationComplete cannot edit $what: under `fail` it fails the run', async ({ change }) => {
    const failure = { name: 'TypeError', code: 'HOOK_FAILED' }
    const make = (hookErrors: 'fail' | 'ignore') =>
      lead('lead', [{ text: 'Looking.', ...looks }, 'Done.'], {
        tools: { look },
        hookErrors,
        onIterationComplete: (context) => {
          change(context)
        },
      })
    const failed = await settled(make('fail').agent)
    expect(failed.result).toMatchObject({ outcome: 'failed', error: failure, steps: [{ text: 'Looking.' }] })
    const { agent, model } = make('ignore')
    const ignored = await settled(agent)
    expect(ignored.result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      steps: [{ text: 'Looking.' }, {}],
    })
    expect(shown(model, 2)[1]).toEqual({ role: 'user', content: 'Go' })
    expect(only(ignored.events, 'error').map((event) => event.payload.error)).toMatchObject([
      failure,
      failure,
    ])
  })

  test('a messageFilter may redact in place: its messages are copies; the rest of what it is shown is frozen', async () => {
    const helper = worker('helper', ['Help.'])
    const errors: unknown[] = []
    const { agent, model } = lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper: helper.agent },
      delegation: {
        messageFilter: ({ messages }) => {
          for (const message of messages) edit(message, { content: 'Redacted.' })
          return messages
        },
        onDelegationStart: ({ messages }) => {
          try {
            edit(messages[1], { content: 'Edited.' })
          } catch (error) {
            errors.push(error)
          }
        },
      },
    })
    expect((await settled(agent)).result).toMatchObject({ outcome: 'completed' })
    expect(errors).toEqual([expect.any(TypeError)])
    expect(shown(helper.model, 1).slice(1)).toEqual([
      { role: 'user', content: 'Redacted.' },
      { role: 'user', content: 'Help' },
    ])
    expect(shown(model, 2)[1]).toEqual({ role: 'user', content: 'Go' })
  })

  test('delegation hooks cannot edit the arguments of the model: it fails the delegation', async () => {
    const helper = worker('helper', ['Help.'])
    const { agent } = lead('lead', [calls(to('helper', 'Help', { maxSteps: 4 })), 'Done.'], {
      agents: { helper: helper.agent },
      delegation: {
        onDelegationStart: ({ args: given }) => {
          edit(given, { maxSteps: 3, threadId: 'edited' })
        },
      },
    })
    const error = { name: 'TypeError', code: 'HOOK_FAILED' }
    expect((await settled(agent)).result.delegations).toMatchObject([{ outcome: 'failed', hookError: error }])
    expect(helper.model.calls).toHaveLength(0)
  })

  test('onFinish cannot edit what the run ends with', async () => {
    const { agent } = lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper: worker('helper', ['Help.']).agent },
      onFinish: (context) => {
        edit((context as { delegations?: readonly object[] }).delegations?.[0], { text: 'Edited.' })
      },
    })
    const { result, events } = await settled(agent)
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ text: 'Help.' }] })
    expect(only(events, 'error').map((event) => event.payload.error)).toMatchObject([
      { name: 'TypeError', code: 'HOOK_FAILED' },
    ])
  })

  test.each<{ code: string; step: ScriptedStep }>([
    { code: 'BROKE', step: { error: new TerminalError('It broke.', { code: 'BROKE' }) } },
    { code: 'CONTENT_FILTERED', step: { text: 'Once', finishReason: 'content-filter' } },
  ])(
    'editing the result of a run that ended with $code does not disturb a replay',
    async ({ code, step }) => {
      const { agent } = worker('solo', [looks, step], { tools: { look } })
      const { run, result, troupe, replay } = await settled(agent)
      const before = structuredClone(replay.result)
      expect(before).toMatchObject({ outcome: 'failed', error: { code } })
      for (const part of [
        result.steps[0],
        result.steps[0]?.toolCalls[0],
        result.steps[0]?.toolCalls[0]?.args,
        result.steps[0]?.usage,
        result.outcome === 'failed' ? result.error : undefined,
      ]) {
        const object: object = typeof part === 'object' && part !== null ? part : {}
        for (const key of Object.keys(object)) Reflect.set(object, key, 'edited')
      }
      Reflect.set(result.steps, 0, 'edited')
      expect((await troupe.replay(run.id)).result).toEqual(before)
    },
  )

  test('a reader may edit the errors that it is told: the record stays as it was', async () => {
    const { agent } = worker('solo', ['Done.'], {
      onStepFinish: () => {
        throw new Error('The hook broke.')
      },
    })
    const { run, events, troupe } = await settled(agent)
    for (const { payload } of only(events, 'error')) Reflect.set(payload.error, 'message', 'edited')
    const replayed = only((await troupe.replay(run.id)).events, 'error')
    expect(replayed.map((event) => event.payload.error.message)).toEqual(['The hook broke.'])
  })

  test('a store that keeps references and one that writes JSON give the same replay', async () => {
    const kept = memoryStore()
    const written = memoryStore()
    const store: Store = {
      ...kept,
      append: async (appends) => {
        const text = JSON.stringify(appends)
        await kept.append(appends)
        await written.append(JSON.parse(text) as typeof appends)
      },
    }
    const helper = worker('helper', [calls({ name: 'greedy', args }), 'Help.'], { tools: { greedy } })
    const { agent } = lead('lead', [calls(to('helper', 'Help'), { name: 'greedy', args }), 'Done.'], {
      tools: { greedy },
      agents: { helper: helper.agent },
      delegation: { onDelegationComplete: (context) => void edit(context, { text: 'Edited.' }) },
    })
    const { run, result, replay } = await settled(agent, store)
    expect(result.steps[0]?.toolCalls[1]?.args).toEqual(untouched)
    const other = await createTroupe({ agents: [agent], store: written }).replay(run.id)
    expect(other).toEqual(replay)
  })
})

describe('readers', () => {
  test('of one `events` each see everything; one that leaves does not disturb the other', async () => {
    const { agent } = worker('solo', ['A first. A second.'])
    const run = agent.stream('Go')
    const events = run.events
    const read = async (until?: string): Promise<string[]> => {
      const types: string[] = []
      for await (const event of events) {
        types.push(event.type)
        if (event.type === until) break
      }
      return types
    }
    const [one, left, other] = await Promise.all([read(), read('step-start'), read()])
    expect(one[0]).toBe('run-start')
    expect(one.at(-1)).toBe('run-finish')
    expect(other).toEqual(one)
    expect(left).toEqual(['run-start', 'step-start'])
    // Afterwards too, from the beginning.
    expect((await read())[0]).toBe('run-start')
  })

  test('of one `textStream` each see everything; one that leaves does not disturb the other', async () => {
    const { agent } = worker('solo', ['A first. A second.'])
    const { textStream } = agent.stream('Go')
    const read = async (pieces = Infinity): Promise<string> => {
      let text = ''
      let count = 0
      for await (const piece of textStream) {
        text += piece
        if (++count >= pieces) break
      }
      return text
    }
    const [one, left, other] = await Promise.all([read(), read(1), read()])
    expect(one).toBe('A first. A second.')
    expect(other).toBe(one)
    expect(one.startsWith(left)).toBe(true)
    expect(left).not.toBe('')
  })
})

describe('on record', () => {
  test('the tool-error of a cancelled call is JSON', async () => {
    const began = Promise.withResolvers<void>()
    const stuck = createTool({
      id: 'stuck',
      description: 'Never ends.',
      inputSchema: z.object({}),
      execute: () => {
        began.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const { agent } = worker('solo', [calls({ name: 'stuck' })], { tools: { stuck } })
    const run = agent.stream('Go')
    await began.promise
    await run.cancel()
    const [event, ...more] = only(await allEvents(run), 'tool-error')
    expect(more).toEqual([])
    expect(event?.payload).toStrictEqual({
      toolCallId: 'solo/call:1.1',
      toolName: 'stuck',
      outcome: 'cancelled',
    })
    expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event)
  })

  test('a run ends once: a second end is a mismatch', async () => {
    const { agent } = worker('solo', ['Done.'])
    const { run, troupe } = await settled(agent)
    const journal = await troupe.journal(run.id)
    const doubled: readonly JournalEntry[] = [...journal, ...journal.slice(-1)]
    const replaying = createTroupe({
      agents: [agent],
      store: { ...memoryStore(), read: async () => doubled },
    }).replay(run.id)
    await expect(replaying).rejects.toThrow(JournalMismatchError)
    await expect(replaying).rejects.toMatchObject({
      mismatch: {
        entry: journal.length,
        field: 'type',
        recorded: 'run.settled',
        actual: 'a run that is settled',
      },
    })
  })

  test('after the store has failed an approval is refused', async () => {
    const gate = Promise.withResolvers<void>()
    const tool = (id: string, requireApproval: boolean) =>
      createTool({
        id,
        description: `Does ${id}.`,
        inputSchema: z.object({}),
        requireApproval,
        execute: () => gate.promise,
      })
    const { agent } = worker('solo', [calls({ name: 'pay' }, { name: 'wait' })], {
      tools: { pay: tool('pay', true), wait: tool('wait', false) },
    })
    const store = memoryStore()
    let isFull = false
    const run = await createTroupe({
      agents: [agent],
      store: {
        ...store,
        append: (appends) => {
          if (isFull) throw new Error('The disk is full.')
          return store.append(appends)
        },
      },
    }).start(agent, 'Go')
    const { payload } = await until(run, 'tool-call-approval')
    isFull = true
    gate.resolve()
    const lost = await rejection(run.result)
    expect(lost).toMatchObject({ code: 'STORE_FAILED', runId: run.id })
    expect(await rejection(run.approve(payload.toolCallId))).toBe(lost)
  })
})
