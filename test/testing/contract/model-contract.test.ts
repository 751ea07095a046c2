/** The models that the library makes keep the contract, and a model that does not is found. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { openai, RetryableError, TerminalError, type ChatModel } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import {
  modelContract,
  scriptedModel,
  type ContractReply,
  type ModelFeature,
  type ModelSubject,
  type ScriptedReply,
} from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { chatWire } from '../../support/contract/chat-wire.ts'
import { atServer, type ContractWire } from '../../support/contract/contract-server.ts'
import { googleWire } from '../../support/contract/google-wire.ts'
import { messagesWire } from '../../support/contract/messages-wire.ts'
import { responsesWire } from '../../support/contract/responses-wire.ts'

const apiKey = 'sk-test'

function over(
  wire: ContractWire,
  model: (url: string) => ChatModel,
  ...lacks: readonly ModelFeature[]
): ModelSubject {
  return { open: (replies) => atServer(replies, wire, model), lacks }
}

/** A reply of a contract as a step of a script. */
function toStep({
  failure,
  ends,
  usage,
  toolCalls,
  sources,
  files: _files,
  ...reply
}: ContractReply): ScriptedReply {
  if (failure === 'silent') return { hang: true }
  if (failure === 'rate-limited') return { error: new RetryableError('Slow down.', { retryAfterMs: 2000 }) }
  if (failure === 'unavailable') return { error: new RetryableError('Not now.') }
  if (failure !== undefined) return { error: new TerminalError('No.') }
  return {
    ...reply,
    ...(ends === undefined ? {} : { finishReason: ends }),
    ...(usage === undefined ? {} : { usage }),
    ...(sources === undefined ? {} : { sources: sources.map((source) => ({ type: 'url', ...source })) }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
  }
}

const sdk = (url: string) => createOpenAI({ baseURL: url, apiKey })

const accepts = ['image/*']

const subjects: Readonly<Record<string, ModelSubject>> = {
  'openai(), Chat Completions': over(chatWire, (url) => openai('gpt-x', { baseURL: url, apiKey, accepts })),
  'openai(), Responses': over(responsesWire, (url) => {
    return openai('gpt-5.4', { baseURL: url, apiKey, accepts, api: 'responses' })
  }),
  'scriptedModel()': {
    open: (replies) => ({ model: scriptedModel(replies.map(toStep)) }),
    lacks: ['cut', 'made-files'],
  },
  'aiSdk(), @ai-sdk/openai, Chat Completions': over(
    chatWire,
    (url) => aiSdk(sdk(url).chat('gpt-x'), { accepts }),
    'reasoning',
    'made-files',
  ),
  'aiSdk(), @ai-sdk/openai, Responses': over(responsesWire, (url) => {
    const providerTools = { paint: sdk(url).tools.imageGeneration({ outputFormat: 'png' }) }
    const providerOptions = { openai: { store: false } }
    return aiSdk(sdk(url)('gpt-5.4'), { accepts, providerTools, providerOptions })
  }),
  // The server gives arguments as JSON, and filters nothing.
  'aiSdk(), @ai-sdk/anthropic': over(
    messagesWire,
    (url) => aiSdk(createAnthropic({ baseURL: url, apiKey })('claude-sonnet-4-5'), { accepts }),
    'malformed',
    'content-filter',
    'made-files',
  ),
  // The server gives arguments as JSON, and does not count the tokens that it writes to a cache.
  'aiSdk(), @ai-sdk/google': over(
    googleWire,
    (url) => aiSdk(createGoogle({ baseURL: url, apiKey })('gemini-3-pro-preview'), { accepts }),
    'malformed',
    'cache-write',
  ),
}

describe.each(Object.entries(subjects))('%s', (_, subject) => {
  test.each(modelContract(subject))('$name', async ({ run }) => {
    await run()
    expect.assertions(0)
  })
})

describe('a model that breaks it', () => {
  const good = (replies: readonly ContractReply[]): ChatModel => scriptedModel(replies.map(toStep))
  const breaking = (change: (model: ChatModel) => ChatModel): ModelSubject => ({
    open: (replies) => ({ model: change(good(replies)) }),
    lacks: ['cut', 'made-files'],
  })
  async function broken(subject: ModelSubject): Promise<readonly string[]> {
    const names = await Promise.all(
      modelContract(subject).map(async ({ name, run }) => {
        const error = await run().then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        return error === undefined ? [] : [name]
      }),
    )
    return names.flat()
  }

  test.each<[string, (model: ChatModel) => ChatModel, string]>([
    ['has no name', (model) => ({ ...model, modelId: '' }), 'has a provider and a model id'],
    [
      'does not stream',
      (model) => ({
        ...model,
        generate: (request, { signal, idempotencyKey }) =>
          model.generate(request, { signal, idempotencyKey }),
      }),
      'answers with a text (streamed)',
    ],
    [
      'loses calls',
      (model) => ({
        ...model,
        generate: async (...call) => ({ ...(await model.generate(...call)), toolCalls: [] }),
      }),
      'calls tools, in order',
    ],
    [
      'invents usage',
      (model) => ({
        ...model,
        generate: async (...call) => {
          const reply = await model.generate(...call)
          return { ...reply, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
        },
      }),
      'reports its tokens',
    ],
    [
      'tries nothing again',
      (model) => ({
        ...model,
        generate: (...call) =>
          model.generate(...call).catch((error: unknown) => Promise.reject(new TerminalError(String(error)))),
      }),
      'lets the run try again after a rate limit',
    ],
    [
      'changes its request',
      (model) => ({
        ...model,
        generate: (request, options) => {
          Object.assign(request, { messages: [] })
          return model.generate(request, options)
        },
      }),
      'answers with a text',
    ],
  ])('%s', async (_, change, name) => {
    expect(await broken(breaking(change))).toContain(name)
  })

  test('and the error says what was expected', async () => {
    const [first] = modelContract(breaking((model) => ({ ...model, provider: '' })))
    await expect(first?.run()).rejects.toMatchObject({
      code: 'CONTRACT_BROKEN',
      message: 'Expected provider to be a text that is not empty, and not "".',
    })
  })
})

test('cases of what a model lacks are left out, and the model is closed after each', async () => {
  let open = 0
  const subject: ModelSubject = {
    open: (replies) => {
      open++
      return { model: scriptedModel(replies.map(toStep)), close: () => void open-- }
    },
    lacks: ['cut', 'reasoning', 'made-files'],
  }
  const cases = modelContract(subject)
  expect(cases.map(({ name }) => name).filter((name) => /reasoning and|cut$/.test(name))).toEqual([])
  for (const { run } of cases) await run()
  expect(open).toBe(0)
})
