/** Bodies from kept texts of messages are the bodies that the client would make of the whole conversation. */
import fc from 'fast-check'
import { AzureOpenAI, OpenAI } from 'openai'
import { openai, type ChatModel } from 'troupe'
import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../../src/actors/chat-model.ts'
import type { Message } from '../../../src/actors/message.ts'
import { messagesText, toFrame, toParams, toTool } from '../../../src/actors/openai/chat/request.ts'
import * as responses from '../../../src/actors/openai/responses/request.ts'
import { toTool as toResponsesTool } from '../../../src/actors/openai/responses/request.ts'
import {
  bodyText,
  toolList,
  ToolTexts,
  MessageTexts,
  type KeptTexts,
} from '../../../src/actors/openai/shared/body-text.ts'
import { schemaQuirks, type Quirk, type Quirks } from '../../../src/actors/openai/shared/quirks.ts'
import { formName } from '../../../src/actors/openai/shared/request-parts.ts'
import { deepFreeze } from '../../../src/actors/values/frozen.ts'

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"\\\n\u2028', '\ud800'))
const file = fc.constant({ type: 'file' as const, mediaType: 'image/png', data: 'aGk=' })
const content = fc.oneof(
  text,
  fc.array(fc.oneof(fc.record({ type: fc.constant('text' as const), text }), file)),
)
const call = fc.record(
  {
    id: text,
    name: fc.constantFrom('search', 'no such tool', 'find.it'),
    args: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<Record<string, string>>,
    malformed: text,
    providerData: fc.constant({ extra_content: { google: { thought_signature: 'x' } } }),
  },
  { requiredKeys: ['id', 'name', 'args'] },
)
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('user' as const), content }),
  fc.record({ role: fc.constant('tool' as const), toolCallId: text, toolName: text, content }),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      content,
      toolCalls: fc.array(call, { maxLength: 3 }),
      reasoning: text,
      providerData: fc.constant({
        reasoningField: 'reasoning',
        fields: { extra_content: 1 },
        reasoning: [{ item: { type: 'reasoning', encrypted_content: 'e' }, before: 0 }],
      }),
    },
    { requiredKeys: ['role', 'content'] },
  ),
)
const tools = fc.constantFrom(
  [],
  ['search', 'find.it'].map((name) => ({ name, description: 'Finds', parameters: { type: 'object' } })),
)
const quirks = fc.subarray<Quirk>([
  'wants-signature',
  'wants-reasoning',
  'refuses-kept-fields',
  ...schemaQuirks,
])
const calls = fc.array(fc.record({ length: fc.nat(8), tools, quirks }), { minLength: 1, maxLength: 5 })
const settings = { temperature: 0.5, extraBody: { messages: 'none', input: 'none', tools: 'none', seed: 1 } }

type ToObject = (request: ModelRequest, quirks: Quirks) => object
type ToText = (request: ModelRequest, quirks: Quirks, texts: KeptTexts) => string

const baseURL = 'http://localhost/v1'
const apis: Record<string, readonly [ToObject, ToText]> = {
  chat: [
    (request, set) => toParams('m', request, settings, { baseURL, quirks: set }),
    (request, set, texts) =>
      bodyText(toFrame('m', request, settings, { baseURL, quirks: set }), {
        ...toolList(request.tools, texts.tools, formName({ baseURL, quirks: set }), (tool) =>
          toTool(tool, { baseURL, quirks: set }),
        ),
        messages: messagesText(request, set, texts.messages),
      }),
  ],
  responses: [
    (request, set) => responses.toParams('m', request, settings, { baseURL, quirks: set }),
    (request, set, texts) =>
      bodyText(responses.toFrame('m', request, settings, { baseURL, quirks: set }), {
        ...toolList(request.tools, texts.tools, formName({ baseURL, quirks: set }), (tool) =>
          toResponsesTool(tool, { baseURL, quirks: set }),
        ),
        input: responses.inputText(request, set, texts.messages),
      }),
  ],
}

test.each(Object.entries(apis))('%s: any calls of one model in a row', (_, [toObject, toText]) => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), calls, (given, made) => {
      const messages = given.map(deepFreeze)
      const texts = { messages: new MessageTexts(), tools: new ToolTexts() }
      for (const one of made) {
        const request: ModelRequest = {
          messages: messages.slice(0, one.length),
          tools: deepFreeze(one.tools),
          toolChoice: 'auto',
        }
        const set = new Set(one.quirks)
        const whole: unknown = JSON.parse(JSON.stringify(toObject(request, set)))
        expect(JSON.parse(toText(request, set, texts))).toEqual(whole)
      }
    }),
    { numRuns: 150 },
  )
})

test('a message is serialised once for each form, unless it may change or has files', () => {
  const texts = new MessageTexts()
  const made: Message[] = []
  const serialise = (one: Message): string => {
    made.push(one)
    return JSON.stringify(one)
  }
  const lasting = deepFreeze<Message>({ role: 'user', content: 'Hi' })
  const changing: Message & { content: string } = { role: 'user', content: 'now' }
  const withFile = deepFreeze<Message>({ role: 'user', content: [] })
  const list = (...set: Quirk[]): string => texts.list([lasting, changing, withFile], new Set(set), serialise)
  expect(list()).toContain('now')
  changing.content = 'then'
  expect(list()).toContain('then')
  list('wants-reasoning', 'wants-signature')
  list('wants-signature', 'wants-reasoning')
  expect(made.filter((one) => one === lasting)).toHaveLength(2)
  expect(made.filter((one) => one === changing)).toHaveLength(4)
  expect(made.filter((one) => one === withFile)).toHaveLength(4)
})

const reply = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
}

function recorded(): { readonly sent: RequestInit[]; readonly fetch: typeof fetch } {
  const sent: RequestInit[] = []
  return {
    sent,
    fetch: async (_url, init = {}) => {
      sent.push(init)
      return Response.json(reply)
    },
  }
}

const ask = (model: ChatModel) =>
  model.generate(
    { messages: [deepFreeze({ role: 'user', content: 'Hi' })], tools: [], toolChoice: 'auto' },
    { signal: new AbortController().signal, idempotencyKey: 'key' },
  )

describe('the request of', () => {
  test('the client itself has the headers and the fields of one that is given an object', async () => {
    const { sent, fetch } = recorded()
    const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch, maxRetries: 0 })
    expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
    await client.chat.completions.create(
      { model: 'm', stream: false, messages: [{ role: 'user', content: 'Hi' }] },
      { maxRetries: 0, timeout: 121_000, idempotencyKey: 'key' },
    )
    const [ours, theirs] = sent.map(({ body, headers, method }) => ({
      body: JSON.parse(body as string) as unknown,
      headers: Object.fromEntries(new Headers(headers)),
      method,
    }))
    expect(ours).toEqual(theirs)
  })

  test('a client of a class that reads the body is made of an object', async () => {
    const { sent, fetch } = recorded()
    const client = new AzureOpenAI({
      apiKey: 'sk-test',
      endpoint: 'http://localhost',
      apiVersion: '2025-01-01',
      fetch,
      maxRetries: 0,
    })
    expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
    expect(JSON.parse(sent[0]?.body as string)).toMatchObject({ messages: [{ role: 'user', content: 'Hi' }] })
  })

  test('a client of a class that changes what it sends is given an object and the signal, and is limited', async () => {
    const { sent, fetch } = recorded()
    const seen: unknown[] = []
    class Seeded extends OpenAI {
      protected override async prepareOptions(options: { body?: unknown; signal?: unknown }): Promise<void> {
        seen.push(options.signal)
        options.body = { ...(options.body as object), seed: 7 }
      }
    }
    const client = new Seeded({ apiKey: 'sk-test', baseURL: 'http://localhost/v1', fetch, maxRetries: 0 })
    expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
    expect(JSON.parse(sent[0]?.body as string)).toMatchObject({ seed: 7 })
    expect(seen).toEqual([expect.any(AbortSignal)])
    const small = ask(openai('m', { client, maxReplyBytes: 10 }))
    await expect(small).rejects.toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' })
  })

  test('a tool whose schema may change below its surface is serialised for each call', () => {
    const properties: Record<string, object> = { a: {} }
    const tools = Object.freeze([
      Object.freeze({ name: 't', description: 'T.', parameters: Object.freeze({ properties }) }),
    ]) as unknown as ModelRequest['tools']
    const texts = new ToolTexts()
    const inForm = (tool: ModelRequest['tools'][number]) => toTool(tool, { baseURL, quirks: new Set() })
    expect(texts.list(tools, '', inForm)).not.toContain('"b"')
    properties['b'] = {}
    expect(texts.list(tools, '', inForm)).toContain('"b"')
  })
})
