/** A model that is recorded once answers the same runs from its cassette, through the real client and without it. */
import { LLMock } from '@copilotkit/aimock'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  openai,
  RetryableError,
  TerminalError,
  type ChatModel,
  type ModelRequest,
} from 'troupe'
import {
  recordModel,
  replayModel,
  scriptedModel,
  virtualClock,
  type RecordModelOptions,
  type ScriptedStep,
} from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents } from '../../support/agents/agents.ts'

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
})

const guide = (model: ChatModel, instructions = 'Be short.') =>
  createAgent({ id: 'guide', instructions, model, tools: { weather } })

const callsWeather: ScriptedStep = { toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }] }

/** A cassette of one run of the guide. */
async function recorded(steps: readonly ScriptedStep[], options: RecordModelOptions = {}): Promise<string> {
  const model = recordModel(scriptedModel(steps), options)
  await guide(model).generate('How is the weather?')
  return model.cassette()
}

describe('with the real client', () => {
  const mock = new LLMock({ port: 0 })
  beforeAll(() => mock.start())
  afterAll(() => mock.stop())

  test.for(['chat', 'responses'] as const)(
    'a run over the %s API is replayed without a request',
    async (api) => {
      mock.reset()
      mock.on(
        { hasToolResult: false },
        { toolCalls: [{ id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' }] },
      )
      mock.on({ hasToolResult: true }, { content: 'It rains in Oslo.' })
      const real = openai('gpt-5-mini', { baseURL: `${mock.url}/v1`, apiKey: 'sk-test-of-aimock', api })
      const run = async (model: ChatModel) => {
        const agent = guide(model)
        const started = await createTroupe({ agents: [agent] }).start(agent, 'How is the weather?')
        const result = await started.result
        const events = (await allEvents(started)).map(({ type, payload }) => ({ type, payload }))
        return {
          result: { ...result, runId: 'any' },
          types: events.map(({ type }) => type).filter((type) => type !== 'text-delta'),
        }
      }
      const recording = recordModel(real, { secrets: ['sk-test-of-aimock'] })
      const first = await run(recording)
      expect(first.result.text).toBe('It rains in Oslo.')
      const requests = mock.getRequests().length
      expect([recording.recorded, recording.replayed, requests]).toEqual([2, 0, 2])

      const replaying = recordModel(real, { cassette: recording.cassette() })
      expect(await run(replaying)).toEqual(first)
      expect([replaying.recorded, replaying.replayed, mock.getRequests().length]).toEqual([0, 2, requests])
      replaying.assertConsumed()
      expect(await run(replayModel(recording.cassette()))).toEqual(first)
      expect(mock.getRequests()).toHaveLength(requests)
    },
  )
})

test('a cassette is a text that a person can read, without repetitions', async () => {
  const text = await recorded([callsWeather, 'It rains.'])
  const { calls, tools, ...head } = JSON.parse(text) as {
    calls: readonly { continues?: number; messages: readonly object[]; tools: string }[]
    tools: object
  }
  expect(head).toEqual({ cassette: 1, provider: 'scripted', modelId: 'scripted' })
  expect(Object.values(tools)).toMatchObject([[{ name: 'weather', description: 'The weather of a city.' }]])
  expect(calls[0]).toMatchObject({
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'How is the weather?' },
    ],
    toolChoice: 'auto',
    reply: { toolCalls: [{ name: 'weather' }] },
  })
  expect(calls[1]).toMatchObject({
    continues: 1,
    messages: [{ role: 'assistant' }, { role: 'tool', content: 'Rain in Oslo.' }],
    reply: { text: 'It rains.' },
  })
  expect(text.split('\n').length).toBeGreaterThan(20)
})

test('a cassette that was read is written alike', async () => {
  const text = await recorded([callsWeather, 'It rains.'])
  expect(replayModel(text).cassette()).toBe(text)
})

describe('a request that was not recorded', () => {
  test('fails, and the error names the nearest recorded one', async () => {
    const model = replayModel(await recorded([callsWeather, 'It rains.']))
    const result = await guide(model).generate('How is the weather in Rome?')
    expect(result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'UNRECORDED_CALL',
        message:
          'The cassette of "scripted/scripted" does not have this request. The nearest is call 1: message 2 was {"role":"user","content":"How is the weather?"} and is now {"role":"user","content":"How is the weather in Rome?"}.',
      },
    })
    expect(() => model.assertConsumed()).toThrow('does not have this request')
  })

  test.for<[string, (request: ModelRequest) => ModelRequest, string]>([
    ['tools', (request) => ({ ...request, tools: [] }), 'its tools were weather and are now none'],
    [
      'tool choice',
      (request) => ({ ...request, toolChoice: 'none' }),
      'toolChoice was "auto" and is now "none".',
    ],
    [
      'shape',
      (request) => ({ ...request, responseFormat: { name: 'answer', schema: {} } }),
      'the requested shape of the answer differs.',
    ],
    [
      'length',
      (request) => ({ ...request, messages: request.messages.slice(0, 1) }),
      'message 2 was {"role":"user",',
    ],
  ])('by its %s', async ([, change, message]) => {
    const scripted = scriptedModel(['It rains.'])
    const first = recordModel(scripted)
    await guide(first).generate('How is the weather?')
    const request = scripted.calls[0]?.request
    if (request === undefined) throw new Error('There was no call.')
    const signal = new AbortController().signal
    const call = replayModel(first.cassette()).generate(change(request), { signal, idempotencyKey: 'key' })
    await expect(call).rejects.toThrow(message)
  })

  test('is one that was recorded less often', async () => {
    const model = replayModel(await recorded(['It rains.']))
    await guide(model).generate('How is the weather?')
    const again = await guide(model).generate('How is the weather?')
    expect(again).toMatchObject({
      error: {
        message: expect.stringContaining('An equal request was recorded once, and this is one more.'),
      },
    })
  })

  test('of an empty cassette has no nearest', async () => {
    const model = replayModel(recordModel(scriptedModel([])).cassette())
    const result = await guide(model).generate('Hello')
    expect(result).toMatchObject({ error: { message: expect.stringContaining('The cassette is empty.') } })
  })

  test('asks the model where that is allowed, and is added', async () => {
    const cassette = await recorded([callsWeather, 'It rains.'])
    const scripted = scriptedModel(['Hello, you.'])
    const model = recordModel(scripted, { cassette, unrecorded: 'record' })
    await guide(model).generate('How is the weather?')
    expect((await guide(model).generate('Hello')).text).toBe('Hello, you.')
    expect([model.replayed, model.recorded, scripted.calls.length]).toEqual([2, 1, 1])
    const next = replayModel(model.cassette())
    expect((await guide(next).generate('Hello')).text).toBe('Hello, you.')
    expect((await guide(next).generate('How is the weather?')).text).toBe('It rains.')
    next.assertConsumed()
  })
})

test('equal requests of parallel subagents get their replies in the order of the recording', async () => {
  const lead = (model: ChatModel) => {
    const worker = createAgent({ id: 'worker', description: 'Works.', instructions: '', model })
    const delegation = { includeConversationHistory: false }
    return createSupervisor({ id: 'lead', instructions: 'Lead.', model, agents: { worker }, delegation })
  }
  const call = { name: 'agent-worker', args: { prompt: 'Go' } }
  const model = recordModel(scriptedModel([{ toolCalls: [call, call] }, 'One.', 'Two.', 'Both.']))
  await lead(model).generate('Go')
  const { text, delegations } = await lead(replayModel(model.cassette())).generate('Go')
  expect([text, ...delegations.map((delegation) => delegation.text)]).toEqual(['Both.', 'One.', 'Two.'])
})

test('a failure is recorded with its class: the run tries again, or fails', async () => {
  const retryable = new RetryableError('Busy.', { code: 'RATE_LIMITED', retryAfterMs: 1 })
  const text = await recorded([{ error: retryable }, 'It rains.'])
  expect((await guide(replayModel(text)).generate('How is the weather?')).text).toBe('It rains.')
  const failed = await recorded([{ error: new TerminalError('No such model.', { code: 'MODEL_NOT_FOUND' }) }])
  const result = await guide(replayModel(failed)).generate('How is the weather?')
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { code: 'MODEL_NOT_FOUND', message: 'No such model.' },
  })
})

test('a call that was aborted waits for the same deadline', async () => {
  const timed = async (model: ChatModel) => {
    const agent = createAgent({ id: 'slow', instructions: '', model, modelTimeout: 1_000, retries: 0 })
    const clock = virtualClock()
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.advance('1s')
    return run.result
  }
  const model = recordModel(scriptedModel([{ hang: true }]))
  expect(await timed(model)).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_TIMEOUT' } })
  expect(JSON.parse(model.cassette())).toMatchObject({ calls: [{ aborted: true }] })
  expect(await timed(replayModel(model.cassette()))).toMatchObject({ error: { code: 'MODEL_TIMEOUT' } })
})

test('secrets are on no cassette, and a run that has them is found all the same', async () => {
  const secret = 'p4ssw0rd-of-the-bank'
  const prompt = `Log in with ${secret}, Bearer abcdefgh12345678, key sk-abcdefgh12345678 at https://me:pass@bank.example/?api_key=12345`
  const model = recordModel(scriptedModel([`I use ${secret}.`]), { secrets: [secret] })
  await guide(model).generate(prompt)
  const text = model.cassette()
  for (const hidden of [secret, 'abcdefgh12345678', 'me:pass', '12345']) expect(text).not.toContain(hidden)
  const replaying = replayModel(text, { secrets: [secret] })
  expect((await guide(replaying).generate(prompt)).text).toBe('I use [API key].')
})

test('match names the part of a request by which it is found', async () => {
  const match = ({ messages }: ModelRequest) => messages.filter(({ role }) => role !== 'system')
  const model = replayModel(await recorded([callsWeather, 'It rains.']), { match })
  expect((await guide(model, 'Be very long.').generate('How is the weather?')).text).toBe('It rains.')
})

test('a recorded call that no request used is reported', async () => {
  const model = replayModel(await recorded([callsWeather, 'It rains.']))
  expect(() => model.assertConsumed()).toThrow('The cassette has 2 calls, and call 1 was not requested.')
})

test.for<[string, () => unknown, string]>([
  [
    'an unknown option',
    () => recordModel(scriptedModel([]), { casette: '' } as object),
    'did you mean "cassette"?',
  ],
  ['no model', () => recordModel({} as ChatModel), 'recordModel: the model must be a ChatModel'],
  ['a text that is no JSON', () => replayModel('calls: 1'), 'replayModel: the text is no cassette'],
  [
    'another JSON',
    () => recordModel(scriptedModel([]), { cassette: '{"cassette":2}' }),
    'recordModel: cassette: the text is no cassette',
  ],
  [
    'a short secret',
    () => recordModel(scriptedModel([]), { secrets: ['abc'] }),
    'secrets[0] must be a text of at least 8 characters.',
  ],
])('%s is refused', ([, misuse, message]) => {
  expect(misuse).toThrow(message)
})

test.for<[string, object, string]>([
  ['goes on with a call that is missing', { continues: 3 }, 'call 1 refers to a part that is missing'],
  ['names tools that are missing', { tools: 'abc' }, 'call 1 refers to a part that is missing'],
  ['has no end', {}, 'call 1 has neither a reply nor an error'],
])('a cassette whose call %s is refused', ([, part, message]) => {
  const call = { messages: [], toolChoice: 'auto', ...part }
  const text = JSON.stringify({ cassette: 1, provider: 'p', modelId: 'm', tools: {}, calls: [call] })
  expect(() => replayModel(text)).toThrow(message)
})
