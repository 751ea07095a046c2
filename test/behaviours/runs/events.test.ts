/** BEHAVIOUR 37 and the event stream: who said what, in which message, seen live, late, slowly or in part. */
import {
  createAgent,
  createTool,
  createTroupe,
  type ChatModel,
  type ModelCallOptions,
  type ModelReply,
  type Run,
  type RunEvent,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const reply = (text: string, more: Partial<ModelReply> = {}): ModelReply => ({
  text,
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  ...more,
})

/** A model that speaks by hand. */
function speaking(speak: (options: ModelCallOptions, call: number) => Promise<ModelReply>): ChatModel {
  let calls = 0
  return { provider: 'test', modelId: 'speaking', generate: (_request, options) => speak(options, ++calls) }
}

function solo(model: ChatModel) {
  return createAgent({ id: 'solo', description: 'Speaks.', instructions: 'Speak.', model })
}

/** Lets everything that is ready be delivered. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function texts(stream: AsyncIterable<string>): Promise<string[]> {
  const seen: string[] = []
  for await (const text of stream) seen.push(text)
  return seen
}

describe('the envelope', () => {
  test('a run of one agent, event by event', async () => {
    const { agent } = worker('solo', ['Hello there.'])
    const run = agent.stream('Hi')
    await run.result
    const events = await allEvents(run)
    expect(events.map(({ seq, type, payload }) => [seq, type, payload])).toEqual([
      [1, 'run-start', { task: 'Hi' }],
      [2, 'step-start', { step: 1 }],
      [3, 'text-start', {}],
      [4, 'text-delta', { text: 'Hello there.' }],
      [5, 'text-end', { text: 'Hello there.', status: 'complete' }],
      [
        6,
        'step-finish',
        {
          step: 1,
          finishReason: 'stop',
          usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
          toolCalls: 0,
        },
      ],
      [
        7,
        'run-finish',
        {
          outcome: 'completed',
          text: 'Hello there.',
          usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        },
      ],
    ])
    expect(new Set(events.map(({ runId, agent, path }) => `${runId} ${agent} ${path}`))).toEqual(
      new Set([`${run.id} solo solo`]),
    )
  })

  test('a delegation and a tool call, with path, agent and delegation of each', async () => {
    const lookup = createTool({
      id: 'lookup',
      description: 'Looks something up.',
      inputSchema: z.object({ q: z.string() }),
      execute: ({ q }) => ({ found: q }),
    })
    const helper = worker('helper', [calls({ name: 'lookup', args: { q: 'x' } }), 'Help.'], {
      tools: { lookup },
    })
    const { agent } = lead('lead', [calls(to('aide', 'Help me')), 'Done.'], {
      agents: { aide: helper.agent },
    })
    const run = agent.stream('Go')
    await run.result
    const events = await allEvents(run)
    const child = 'lead/delegation:1.1/helper'
    expect(events.map(({ type, agent, path, delegationId }) => [type, agent, path, delegationId])).toEqual([
      ['run-start', 'lead', 'lead', undefined],
      ['iteration-start', 'lead', 'lead', undefined],
      ['step-start', 'lead', 'lead', undefined],
      ['delegation-start', 'lead', 'lead/delegation:1.1', 'lead/delegation:1.1'],
      ['step-start', 'helper', child, 'lead/delegation:1.1'],
      ['tool-call', 'helper', `${child}/call:1.1`, 'lead/delegation:1.1'],
      ['tool-result', 'helper', `${child}/call:1.1`, 'lead/delegation:1.1'],
      ['step-finish', 'helper', child, 'lead/delegation:1.1'],
      ['step-start', 'helper', child, 'lead/delegation:1.1'],
      ['text-start', 'helper', child, 'lead/delegation:1.1'],
      ['text-delta', 'helper', child, 'lead/delegation:1.1'],
      ['text-end', 'helper', child, 'lead/delegation:1.1'],
      ['step-finish', 'helper', child, 'lead/delegation:1.1'],
      ['delegation-end', 'lead', 'lead/delegation:1.1', 'lead/delegation:1.1'],
      ['step-finish', 'lead', 'lead', undefined],
      ['iteration-end', 'lead', 'lead', undefined],
      ['iteration-start', 'lead', 'lead', undefined],
      ['step-start', 'lead', 'lead', undefined],
      ['text-start', 'lead', 'lead', undefined],
      ['text-delta', 'lead', 'lead', undefined],
      ['text-end', 'lead', 'lead', undefined],
      ['step-finish', 'lead', 'lead', undefined],
      ['iteration-end', 'lead', 'lead', undefined],
      ['run-finish', 'lead', 'lead', undefined],
    ])
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
    expect(only(events, 'tool-call', 'tool-result').map((event) => event.payload)).toEqual([
      { toolCallId: `${child}/call:1.1`, toolName: 'lookup', args: { q: 'x' } },
      { toolCallId: `${child}/call:1.1`, toolName: 'lookup', result: { found: 'x' } },
    ])
    expect(only(events, 'delegation-start', 'delegation-end').map((event) => event.payload)).toMatchObject([
      { agentName: 'aide', agentId: 'helper', prompt: 'Help me' },
      { agentName: 'aide', agentId: 'helper', outcome: 'succeeded', text: 'Help.' },
    ])
  })

  test('`at` is the logical time of the journal, and durations come from it', async () => {
    const clock = virtualClock(5_000)
    const gate = Promise.withResolvers<void>()
    const helper = worker('helper', [{ text: 'Help.', until: gate.promise }])
    const { agent } = lead('lead', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper: helper.agent },
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'delegation-start')
    clock.advance(250)
    gate.resolve()
    const result = await run.result
    expect(result.delegations[0]?.duration).toBe(250)
    const events = await allEvents(run)
    expect(only(events, 'delegation-start', 'delegation-end').map((event) => event.at)).toEqual([
      5_000, 5_250,
    ])
    expect(only(events, 'delegation-end')[0]?.payload.duration).toBe(250)
    const entries = new Set((await troupe.journal(run.id)).map((entry) => entry.at))
    expect(events.every((event) => entries.has(event.at))).toBe(true)
  })
})

describe('37: messages', () => {
  test('every event of one message has one messageId; every message has its own', async () => {
    const note = createTool({
      id: 'note',
      description: 'Takes a note.',
      inputSchema: z.object({}),
      execute: () => null,
    })
    const { agent } = worker(
      'solo',
      [{ reasoning: 'Hm, a note.', text: 'I take a note.', ...calls({ name: 'note' }) }, 'Noted.'],
      { tools: { note } },
    )
    const run = agent.stream('Go')
    await run.result
    const spoken = (await allEvents(run)).filter(({ type }) => /^(text|reasoning|step-finish)/.test(type))
    expect(spoken.map(({ type, messageId }) => [type, messageId])).toEqual([
      ['reasoning-start', 'solo:m1'],
      ['reasoning-delta', 'solo:m1'],
      ['reasoning-end', 'solo:m1'],
      ['text-start', 'solo:m1'],
      ['text-delta', 'solo:m1'],
      ['text-end', 'solo:m1'],
      ['step-finish', 'solo:m1'],
      ['text-start', 'solo:m2'],
      ['text-delta', 'solo:m2'],
      ['text-end', 'solo:m2'],
      ['step-finish', 'solo:m2'],
    ])
  })

  test('the final message is flagged once, where the run ends', async () => {
    const { agent } = lead('lead', [calls(to('helper', 'Help')), 'A draft.', 'The answer.'], {
      agents: { helper: worker('helper', ['Help.']).agent },
      onIterationComplete: ({ iteration }) =>
        iteration === 2 ? { continue: true, feedback: 'Better.' } : undefined,
    })
    const run = agent.stream('Go')
    const live = await allEvents(run)
    for (const events of [live, await allEvents(run)]) {
      const flagged = events.filter((event) => event.final === true)
      expect(flagged.map(({ type, messageId }) => [type, messageId])).toEqual([['run-finish', 'lead:m3']])
      expect(flagged[0]).toBe(events.at(-1))
      expect(only(events, 'text-end').at(-1)).toMatchObject({
        messageId: 'lead:m3',
        payload: { text: 'The answer.' },
      })
    }
  })

  test('interleaved children are told apart by path, and their deltas make their messages', async () => {
    const turns = { left: Promise.withResolvers<void>(), right: Promise.withResolvers<void>() }
    const child = (id: 'left' | 'right', other: 'left' | 'right') =>
      createAgent({
        id,
        description: `Speaks ${id}.`,
        instructions: '',
        model: speaking(async ({ onDelta }) => {
          onDelta?.({ type: 'text', text: `${id} one, ` })
          turns[other].resolve()
          await turns[id].promise
          await settle()
          onDelta?.({ type: 'text', text: `${id} two` })
          return reply(`${id} one, ${id} two`)
        }),
      })
    const { agent } = lead('lead', [calls(to('left', 'Go'), to('right', 'Go')), 'Both.'], {
      agents: { left: child('left', 'right'), right: child('right', 'left') },
    })
    const deltas = only(await allEvents(agent.stream('Go')), 'text-delta').filter(
      (event) => event.delegationId !== undefined,
    )
    expect(deltas.map(({ path, payload }) => [path, payload.text])).toEqual([
      ['lead/delegation:1.1/left', 'left one, '],
      ['lead/delegation:1.2/right', 'right one, '],
      ['lead/delegation:1.1/left', 'left two'],
      ['lead/delegation:1.2/right', 'right two'],
    ])
  })
})

describe('live readers', () => {
  /** Says each piece only when the one before was read. */
  function conversation(pieces: readonly string[]) {
    const read = pieces.map(() => Promise.withResolvers<void>())
    const model = speaking(async ({ onDelta }) => {
      for (const [index, text] of pieces.entries()) {
        onDelta?.({ type: 'text', text })
        await read[index]?.promise
      }
      return reply(pieces.join(''))
    })
    return { agent: solo(model), next: (index: number) => read[index]?.resolve() }
  }

  async function follow(run: Run, next: (index: number) => void): Promise<RunEvent[]> {
    const events: RunEvent[] = []
    let index = 0
    for await (const event of run.events) {
      events.push(event)
      if (event.type === 'text-delta') next(index++)
    }
    return events
  }

  test('see deltas as they are spoken, without seq, and the message not again', async () => {
    const { agent, next } = conversation(['Once ', 'upon ', 'a time.'])
    const events = await follow(agent.stream('Go'), next)
    expect(events.map(({ type, seq, messageId }) => [type, seq, messageId])).toEqual([
      ['run-start', 1, undefined],
      ['step-start', 2, undefined],
      ['text-start', undefined, 'solo:m1'],
      ['text-delta', undefined, 'solo:m1'],
      ['text-delta', undefined, 'solo:m1'],
      ['text-delta', undefined, 'solo:m1'],
      ['text-end', 5, 'solo:m1'],
      ['step-finish', 6, 'solo:m1'],
      ['run-finish', 7, 'solo:m1'],
    ])
    expect(only(events, 'text-delta').map((event) => event.payload.text)).toEqual([
      'Once ',
      'upon ',
      'a time.',
    ])
  })

  test('a late reader sees each message as one delta', async () => {
    const { agent, next } = conversation(['Once ', 'upon ', 'a time.'])
    const run = agent.stream('Go')
    await follow(run, next)
    const late = await allEvents(run)
    expect(only(late, 'text-delta').map(({ seq, payload }) => [seq, payload.text])).toEqual([
      [4, 'Once upon a time.'],
    ])
    expect(late.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('who joins in mid-message gets the text so far at once, and then what follows', async () => {
    const { agent, next } = conversation(['Once ', 'upon ', 'a time.'])
    const run = agent.stream('Go')
    let joined: Promise<RunEvent[]> | undefined
    for await (const event of run.events) {
      if (event.type !== 'text-delta') continue
      joined = allEvents(run)
      break
    }
    for (const index of [0, 1, 2]) next(index)
    const events = (await joined) ?? []
    expect(events.flatMap(({ seq }) => seq ?? [])).toEqual([1, 2, 5, 6, 7])
    const [first, ...rest] = only(events, 'text-delta').map(({ payload }) => payload.text)
    expect([first, rest.join('')]).toEqual(['Once ', 'upon a time.'])
  })

  test('a slow reader does not block the run; only its deltas are coalesced', async () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `word${index} `)
    const agent = solo(
      speaking(async ({ onDelta }) => {
        for (const text of words) onDelta?.({ type: 'text', text })
        await settle()
        return reply(words.join(''))
      }),
    )
    const run = agent.stream('Go')
    const reader = run.events[Symbol.asyncIterator]()
    expect(await reader.next()).toMatchObject({ value: { type: 'run-start' } })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const rest: RunEvent[] = []
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) rest.push(next.value)
    expect(rest.map((event) => event.type)).toEqual([
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-finish',
      'run-finish',
    ])
    expect(only(rest, 'text-delta')[0]?.payload.text).toBe(words.join(''))
  })

  test('deltas are not coalesced over messages or kinds', async () => {
    const agent = solo(
      speaking(async ({ onDelta }) => {
        onDelta?.({ type: 'reasoning', text: 'Hm' })
        onDelta?.({ type: 'reasoning', text: '...' })
        onDelta?.({ type: 'text', text: 'Hel' })
        onDelta?.({ type: 'text', text: 'lo' })
        await settle()
        return reply('Hello', { reasoning: 'Hm...' })
      }),
    )
    const events = await allEvents(agent.stream('Go'))
    expect(
      only(events, 'reasoning-delta')
        .map((event) => event.payload.text)
        .join(''),
    ).toBe('Hm...')
    expect(
      only(events, 'text-delta')
        .map((event) => event.payload.text)
        .join(''),
    ).toBe('Hello')
    expect(only(events, 'reasoning-end', 'text-end').map((event) => event.payload.text)).toEqual([
      'Hm...',
      'Hello',
    ])
  })

  test('a model that streams less than it says: the rest comes as a last delta', async () => {
    const agent = solo(
      speaking(async ({ onDelta }) => {
        onDelta?.({ type: 'text', text: 'Hel' })
        onDelta?.({ type: 'text', text: '' })
        await settle()
        return reply('Hello')
      }),
    )
    const deltas = only(await allEvents(agent.stream('Go')), 'text-delta')
    expect(deltas.map(({ seq, payload }) => [seq, payload.text])).toEqual([
      [undefined, 'Hel'],
      [4, 'lo'],
    ])
  })

  test('deltas that come after the reply are dropped', async () => {
    const late = Promise.withResolvers<void>()
    const agent = solo(
      speaking(async ({ onDelta }) => {
        void late.promise.then(() => onDelta?.({ type: 'text', text: ' and more' }))
        return reply('Hello')
      }),
    )
    const run = agent.stream('Go')
    const reading = allEvents(run)
    await until(run, 'text-end')
    late.resolve()
    expect(only(await reading, 'text-delta').map((event) => event.payload.text)).toEqual(['Hello'])
  })

  test('an attempt that failed in mid-message is another message than the one that was tried again', async () => {
    const clock = virtualClock()
    const agent = solo(
      speaking(async ({ onDelta }, call) => {
        await settle()
        onDelta?.({ type: 'text', text: call === 1 ? 'Hel' : 'Hello' })
        await settle()
        if (call === 1) throw Object.assign(new Error('cut'), { code: 'CONNECTION_CUT', retryable: true })
        return reply('Hello')
      }),
    )
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const reading = allEvents(run)
    await clock.armed()
    clock.advance(500)
    const events = await reading
    expect(only(events, 'text-delta', 'error').map(({ type, messageId }) => [type, messageId])).toEqual([
      ['text-delta', 'solo:m1'],
      ['error', 'solo:m1'],
      ['text-delta', 'solo:m2'],
    ])
    expect(
      only(events, 'text-end').map(({ messageId, payload, seq }) => [messageId, payload, typeof seq]),
    ).toEqual([
      ['solo:m1', { text: 'Hel', status: 'cut' }, 'undefined'],
      ['solo:m2', { text: 'Hello', status: 'complete' }, 'number'],
    ])
  })

  test('`stream: false`: the model is not asked to stream, and each message is one delta', async () => {
    const asked: boolean[] = []
    const agent = solo(
      speaking(async ({ onDelta }) => {
        asked.push(onDelta !== undefined)
        return reply('Hello')
      }),
    )
    const events = await allEvents(agent.stream('Go', { stream: false }))
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7])
    await agent.generate('Go')
    await agent.stream('Go').result
    expect(asked).toEqual([false, false, true])
  })
})

describe('readers', () => {
  test('each begins at the beginning, whenever it comes', async () => {
    const { agent } = worker('solo', ['Hello.'])
    const run = agent.stream('Go')
    await run.result
    const first = await allEvents(run)
    expect(first).toHaveLength(7)
    expect(await allEvents(run)).toEqual(first)
  })

  test('one that breaks out early leaves the run and the other readers alone', async () => {
    const { agent } = worker('solo', ['Hello.'])
    const run = agent.stream('Go')
    const other = allEvents(run)
    for await (const event of run.events) {
      expect(event.type).toBe('run-start')
      break
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello.' })
    expect((await other).at(-1)?.type).toBe('run-finish')
  })

  test('one that throws leaves the run alone, and gets its own error', async () => {
    const { agent } = worker('solo', ['Hello.'])
    const run = agent.stream('Go')
    const reading = (async () => {
      for await (const event of run.events) throw new Error(`reader failed at ${event.type}`)
    })()
    await expect(reading).rejects.toThrow('reader failed at run-start')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('one that asks ahead is answered in order, for every call', async () => {
    const { agent } = worker('solo', ['Hello.'])
    const run = agent.stream('Go', { stream: false })
    const reader = run.events[Symbol.asyncIterator]()
    const ahead = await Promise.all(Array.from({ length: 9 }, () => reader.next()))
    expect(ahead.map((next) => (next.done === true ? 'done' : next.value.type))).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-finish',
      'run-finish',
      'done',
      'done',
    ])
  })

  test('one that is closed while it waits ends', async () => {
    const { agent } = worker('solo', [{ hang: true }])
    const run = agent.stream('Go')
    const reader = run.events[Symbol.asyncIterator]()
    await reader.next()
    await reader.next()
    const waiting = reader.next()
    await reader.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })
})

describe('textStream', () => {
  test("is the root agent's text, without that of its subagents", async () => {
    const { agent } = lead('lead', [{ text: 'Let me ask. ', ...calls(to('helper', 'Help')) }, 'All done.'], {
      agents: { helper: worker('helper', ['Not for you.']).agent },
    })
    const run = agent.stream('Go')
    expect((await texts(run.textStream)).join('')).toBe('Let me ask. All done.')
    expect((await texts(run.textStream)).join('|')).toBe('Let me ask. |All done.')
  })

  test("after a bail: the bailing child's text, once", async () => {
    const { agent } = lead('lead', [{ text: 'Let me ask.', ...calls(to('helper', 'Help')) }], {
      agents: { helper: worker('helper', ['The whole answer.']).agent },
      delegation: { onDelegationComplete: (context) => context.bail() },
    })
    const run = agent.stream('Go')
    expect((await texts(run.textStream)).join('|')).toBe('Let me ask.|The whole answer.')
    expect((await texts(run.textStream)).join('|')).toBe('Let me ask.|The whole answer.')
  })

  test('breaking out early leaves the run alone', async () => {
    const { agent } = worker('solo', ['One two three.'])
    const run = agent.stream('Go')
    for await (const text of run.textStream) {
      expect(text).toBe('One two three.')
      break
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'One two three.' })
  })

  test('of a run that fails it throws the error of the run at its end', async () => {
    const { agent } = worker('solo', [
      { text: 'Let me see.', ...calls({ name: 'none' }) },
      { error: new Error('down') },
    ])
    const run = agent.stream('Go')
    const pieces: string[] = []
    const reading = (async () => {
      for await (const piece of run.textStream) pieces.push(piece)
    })()
    const failure = await rejection(reading)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).toMatchObject({ name: 'Error', code: 'MODEL_FAILED', message: 'down', runId: run.id })
    expect(pieces.join('')).toBe('Let me see.')
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_FAILED' } })
  })
})
