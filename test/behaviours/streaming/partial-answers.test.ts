/** The text so far of an answer that is cut: by a cancel, a limit, or the failure of the last attempt. Behaviour 107. */
import {
  createAgent,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  TerminalError,
  type AgentOptions,
  type Around,
  type ChatModel,
  type Clock,
  type JournalEntry,
  type ModelReply,
  type RunEvent,
  type Store,
} from 'troupe'
import { answers, explore, fails, lint, scriptedModel, virtualClock } from 'troupe/testing'
import { summarise } from 'troupe/view'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, only, to } from '../../support/agents/agents.ts'

/** What one call does: it streams pieces, then it hangs until it is aborted, fails, or answers. */
interface Said {
  readonly pieces: readonly string[]
  readonly next: 'hang' | Error | Partial<ModelReply>
}

const hanging = (...pieces: readonly string[]): Said => ({ pieces, next: 'hang' })
const failing = (error: Error, ...pieces: readonly string[]): Said => ({ pieces, next: error })

/** `heard`: called once the pieces of a call that hangs have been streamed. */
function speaker(said: readonly Said[], heard: (call: number) => void = () => undefined): ChatModel {
  let made = 0
  return {
    provider: 'spoken',
    modelId: 'spoken',
    generate: (_, { onDelta, signal }): Promise<ModelReply> => {
      const { pieces, next } = said[made++] ?? { pieces: [], next: {} }
      for (const text of pieces) onDelta?.({ type: 'text', text })
      if (next instanceof Error) return Promise.reject(next)
      if (next !== 'hang') {
        const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        const reply = { text: pieces.join(''), toolCalls: [], finishReason: 'stop' as const, usage, ...next }
        return Promise.resolve(reply)
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          onDelta?.({ type: 'text', text: 'that nobody wants' })
          reject(new Error('aborted'))
        })
        setImmediate(() => heard(made))
      })
    },
  }
}

const down = new TerminalError('down', { code: 'MODEL_NOT_FOUND' })
const busy = new RetryableError('busy', { code: 'MODEL_UNAVAILABLE' })
const inThread = { threadId: 'T', resourceId: 'ana' } as const

/** Every delay is over at once. */
function hasty(): Clock {
  return {
    now: () => 0,
    after(_, callback) {
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    },
  }
}

interface Ran extends AgentOptions {
  readonly prompt?: string
  readonly call?: object
}

/** Runs an agent that is cancelled once its model hangs. */
async function ran(
  said: readonly Said[],
  { prompt = 'Go', call = {}, ...options }: Ran = {},
  store: Store = memoryStore(),
) {
  let cancel = (): void => undefined
  const model = speaker(said, () => cancel())
  const agent = createAgent({
    id: 'agent',
    instructions: '',
    model,
    keepPartial: true,
    retries: 0,
    ...options,
  })
  const troupe = createTroupe({ agents: [agent], store, clock: hasty() })
  const run = await troupe.start(agent, prompt, call)
  cancel = () => void run.cancel('enough')
  const events: RunEvent[] = []
  const read = (async () => {
    for await (const event of run.events) events.push(event)
  })()
  const result = await run.result
  await read
  const replay = await troupe.replay(run.id)
  expect(JSON.parse(JSON.stringify(replay.result))).toEqual(JSON.parse(JSON.stringify(result)))
  const entries = (await store.read(run.id)) ?? []
  return { result, events, entries, troupe, agent, run }
}

const kept = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'effect.settled' && entry.key.includes('memory:partial') ? [entry.settlement.value] : [],
  )

describe('the text so far is kept', () => {
  test('of a run that is cancelled: in one entry, the result, an event and a replay', async () => {
    const { result, events, entries, run, troupe } = await ran([hanging('The tide ', 'comes')])
    expect(result).toMatchObject({ outcome: 'cancelled', text: '', partialText: 'The tide comes' })
    expect(kept(entries)).toEqual([{ partialText: 'The tide comes' }])
    expect(entries.filter((entry) => JSON.stringify(entry).includes('The tide'))).toHaveLength(1)
    const [event] = only(events, 'partial-answer')
    expect(event).toMatchObject({ payload: { text: 'The tide comes' }, messageId: 'agent:m1' })
    expect(JSON.stringify(entries)).not.toContain('nobody wants')
    const notes = summarise((await troupe.trail(run.id)).entries).notes.map((note) => JSON.stringify(note))
    expect(notes).toContainEqual(expect.stringMatching(/The answer of agent was cut, at .*: The tide comes/))
  })

  test('of the last attempt that failed', async () => {
    const { result } = await ran([failing(busy, 'First '), failing(down, 'Second')], { retries: 1 })
    expect(result).toMatchObject({ outcome: 'failed', partialText: 'Second' })
  })

  test('of the attempt before, where the run is cancelled while it waits for the next one', async () => {
    const store = memoryStore()
    const model = speaker([failing(busy, 'So far')])
    const agent = createAgent({ id: 'agent', instructions: '', model, keepPartial: true, retries: 3 })
    const troupe = createTroupe({ agents: [agent], store, clock: virtualClock() })
    const run = await troupe.start(agent, 'Go')
    for await (const { type } of run.events) if (type === 'error') await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled', partialText: 'So far' })
  })

  test('of a run that nobody streams: its models stream for the text', async () => {
    const model = speaker([failing(down, 'Half')])
    const agent = createAgent({ id: 'agent', instructions: '', model, keepPartial: true, retries: 0 })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', partialText: 'Half' })
  })

  test('of a final turn that fails', async () => {
    const tool = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => 'seen',
    })
    const look = {
      next: { text: '', toolCalls: [{ id: 'c', name: 'look', args: {} }] },
      pieces: ['Looking.'],
    }
    const { result } = await ran([look, failing(down, 'At las')], {
      tools: { look: tool },
      maxSteps: 1,
    } as object)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', partialText: 'At las' })
  })

  test('of a call whose time is up', async () => {
    const model = speaker([hanging('Slow'), failing(down)])
    const agent = createAgent({ id: 'agent', instructions: '', model, keepPartial: true, retries: 0 })
    const clock = virtualClock()
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { modelTimeout: 50 })
    for await (const { type } of run.events) {
      if (type === 'text-delta') await clock.advance(50)
    }
    expect(await run.result).toMatchObject({ outcome: 'failed', partialText: 'Slow' })
  })

  test('of the agents below a supervisor that is cancelled, each in the record of its delegation', async () => {
    let cancel = (): void => undefined
    let heard = 0
    const two = () => {
      if (++heard === 2) cancel()
    }
    const a = createAgent({
      id: 'a',
      description: 'A',
      instructions: '',
      model: speaker([hanging('From a')], two),
      keepPartial: true,
    })
    const b = createAgent({
      id: 'b',
      description: 'B',
      instructions: '',
      model: speaker([hanging('From b')], two),
    })
    const lead = createSupervisor({
      id: 'lead',
      instructions: '',
      agents: { a, b },
      model: scriptedModel([calls(to('a', 'go'), to('b', 'go'))]),
    })
    const troupe = createTroupe({ agents: [lead] })
    const run = await troupe.start(lead, 'Go')
    cancel = () => void run.cancel()
    const result = await run.result
    expect(
      result.delegations.map(({ agent, outcome, partialText }) => [agent, outcome, partialText]),
    ).toEqual([
      ['a', 'cancelled', 'From a'],
      ['b', 'cancelled', undefined],
    ])
  })

  test('without half a character at its end, and with none that hostile pieces bring', async () => {
    const { result } = await ran([hanging('Wave \ud83c', '', '\udf0a \ud83c')])
    expect(result.partialText).toBe('Wave 🌊 ')
  })

  test('whatever the pieces, and wherever the call is cut (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 5 }),
        fc.boolean(),
        async (pieces, isCancelled) => {
          const said = isCancelled ? hanging(...pieces) : failing(down, ...pieces)
          const { result, entries } = await ran([said])
          const text = pieces.join('')
          expect(result.partialText).toBe(text === '' ? undefined : text)
          expect(kept(entries)).toHaveLength(1)
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('nothing is kept', () => {
  test('by default', async () => {
    const { result, entries } = await ran([hanging('The tide')], { keepPartial: false })
    expect(result).not.toHaveProperty('partialText')
    expect(kept(entries)).toEqual([])
    expect(JSON.stringify(entries)).not.toContain('The tide')
  })

  test('of an agent with output processors: they have not passed the text', async () => {
    const upper = { id: 'upper', processOutput: ({ text }: { text: string }) => text.toUpperCase() }
    const { result, entries } = await ran([hanging('secret')], { outputProcessors: [upper] })
    expect(result).not.toHaveProperty('partialText')
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  test('of a structured answer: a beginning of JSON fits no schema', async () => {
    const structuredOutput = { schema: z.object({ tide: z.string() }) }
    const options = { structuredOutput, memory: true, keepPartial: 'thread', call: inThread } as const
    const { result, entries, troupe } = await ran([hanging('{ "tide": "sec')], options)
    expect(result).toMatchObject({ outcome: 'cancelled' })
    expect(result).not.toHaveProperty('partialText')
    expect(kept(entries)).toEqual([])
    expect(await troupe.memory.messages('T')).toEqual([])
  })

  test('of the decision of a router', async () => {
    let cancel = (): void => undefined
    const one = createAgent({ id: 'one', description: 'One', instructions: '', model: scriptedModel([]) })
    const model = speaker([hanging('{ "route": "sec')], () => cancel())
    const options = { instructions: '', agents: { one }, model, keepPartial: true, memory: true } as const
    const router = createRouter({ id: 'router', ...options })
    const run = await createTroupe({ agents: [router], store: memoryStore() }).start(router, 'Go', inThread)
    cancel = () => void run.cancel()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled' })
    expect(result).not.toHaveProperty('partialText')
  })

  test('of an answer that the provider refused on the way', async () => {
    const filtered = new TerminalError('filtered', { code: 'CONTENT_FILTERED' })
    const { result, entries } = await ran([failing(filtered, 'How to make a b')])
    expect(result).toMatchObject({ outcome: 'failed' })
    expect(result).not.toHaveProperty('partialText')
    expect(kept(entries)).toEqual([null])
  })

  test('of an answer that is whole', async () => {
    const { result, entries } = await ran([{ pieces: ['Done.'], next: {} }])
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(kept(entries)).toEqual([])
  })

  test('of agents that a bail cuts: another answer stands', async () => {
    const a = createAgent({
      id: 'a',
      description: 'A',
      instructions: '',
      model: speaker([hanging('From a')]),
      keepPartial: true,
    })
    const b = createAgent({
      id: 'b',
      description: 'B',
      instructions: '',
      model: scriptedModel(['The answer.']),
    })
    const lead = createSupervisor({
      id: 'lead',
      instructions: '',
      agents: { a, b },
      model: scriptedModel([calls(to('a', 'go'), to('b', 'go'))]),
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const result = await lead.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', text: 'The answer.' })
    expect(JSON.stringify(result)).not.toContain('From a')
  })

  test('across the end of the process: the next one has no text, and the run ends the same', async () => {
    const store = memoryStore()
    const model = speaker([failing(down, 'Lost'), failing(down)])
    const agent = createAgent({ id: 'agent', instructions: '', model, keepPartial: true, retries: 0 })
    // The process ends while the text is being asked for.
    const around: Around = ({ kind }, next) => (kind === 'memory' ? new Promise(() => undefined) : next())
    const first = createTroupe({ agents: [agent], store, around })
    const { id } = await first.start(agent, 'Go')
    await expect.poll(async () => (await store.read(id))?.length).toBe(2)
    await first.close()
    const run = await createTroupe({ agents: [agent], store }).resume(id)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_NOT_FOUND' } })
    expect(result).not.toHaveProperty('partialText')
    expect(kept((await store.read(id)) ?? [])).toEqual([null])
  })
})

describe('the thread', () => {
  const options = { memory: true, keepPartial: 'thread', call: inThread } as const

  test('keeps it under "thread", marked, and the next model reads that it was cut', async () => {
    const store = memoryStore()
    const { troupe } = await ran([hanging('The tide comes')], options, store)
    const messages = await troupe.memory.messages('T')
    expect(
      messages.map(({ role, content, internal, agent }) => ({ role, content, internal, agent })),
    ).toEqual([
      { role: 'user', content: 'Go', internal: undefined, agent: undefined },
      { role: 'assistant', content: 'The tide comes', internal: 'partial', agent: 'agent' },
    ])
    const model = scriptedModel(['And goes.'])
    const next = createAgent({ id: 'agent', instructions: '', model, memory: true })
    const later = createTroupe({ agents: [next], store })
    await (
      await later.start(next, 'Go on', inThread)
    ).result
    expect(model.calls[0]?.request.messages).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'The tide comes\n\n[This answer was cut here.]' },
      { role: 'user', content: 'Go on' },
    ])
  })

  test('keeps nothing under true, nor where no text has come', async () => {
    const { troupe } = await ran([hanging('The tide')], { ...options, keepPartial: true })
    expect(await troupe.memory.messages('T')).toEqual([])
    const silent = await ran([hanging()], options)
    expect(await silent.troupe.memory.messages('T')).toEqual([])
  })
})

test('a fork before the cut asks its own model', async () => {
  const { troupe, run, entries } = await ran([hanging('Once'), { pieces: ['Whole.'], next: {} }])
  const at = entries.findIndex((entry) => entry.type === 'signal.received')
  const fork = await troupe.fork(run.id, { at })
  expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'Whole.' })
  expect(await fork.result).not.toHaveProperty('partialText')
})

test('an exploration goes on with the text and without', async () => {
  const model = scriptedModel([])
  const agent = createAgent({ id: 'agent', instructions: '', model, keepPartial: true, retries: 0 })
  const report = await explore(agent, { task: 'Go', say: { agent: [answers('Done.'), fails()] } })
  expect(report.violations).toEqual([])
  expect(report.outcomes).toMatchObject({ completed: expect.any(Number), failed: expect.any(Number) })
})

test('lint names what cannot be kept', () => {
  const model = scriptedModel([])
  const upper = { id: 'upper', processOutput: ({ text }: { text: string }) => text }
  const base = { id: 'agent', instructions: '', model } as const
  const found = (options: AgentOptions) => lint(createAgent({ ...base, ...options })).map(({ path }) => path)
  expect(found({ keepPartial: true, outputProcessors: [upper] })).toContain('agent.keepPartial')
  const shaped = { schema: z.object({ tide: z.string() }) }
  expect(found({ keepPartial: true, structuredOutput: shaped })).toContain('agent.keepPartial')
  expect(found({ keepPartial: 'thread' })).toContain('agent.keepPartial')
  expect(found({ keepPartial: true })).not.toContain('agent.keepPartial')
})
