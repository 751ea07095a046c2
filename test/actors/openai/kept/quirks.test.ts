/** A server that refuses the form of a request is asked once more in another, and asked so from then on: of schemas, for these. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openai } from 'troupe'
import type { AssistantMessage, Message } from '../../../../src/actors/message.ts'
import { LearnedQuirks } from '../../../../src/actors/openai/shared/learned-quirks.ts'
import { ask, question, rejection } from '../../../support/agents/model-calls.ts'
import { json, startFaultServer, type FaultServer } from '../../../support/fault-server.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

type Body = Readonly<Record<string, unknown>> & { readonly messages: readonly Record<string, unknown>[] }

/** Answers 400 with the words that the body is refused with, else a whole reply. */
function answering(refusal: (body: Body) => string | undefined, whole: unknown): void {
  server.answer = (response, request) => {
    const words = refusal(server.requests.at(-1)?.body as Body)
    const answer = words === undefined ? json(200, whole) : json(400, { error: { message: words } })
    return answer(response, request)
  }
}

const bodies = (): readonly Body[] => server.requests.map(({ body }) => body as Body)

const chatReply = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }
const response = {
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
}

const chat = (modelId = 'm') => openai(modelId, { baseURL: server.url, apiKey: 'sk-test' })
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }

/** A conversation with calls that another model has made. */
const foreign: readonly Message[] = [
  { role: 'user', content: 'Go' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'a', name: 'look', args: {} },
      { id: 'b', name: 'look', args: {} },
    ],
  },
  { role: 'tool', toolCallId: 'a', toolName: 'look', content: '1' },
  { role: 'tool', toolCallId: 'b', toolName: 'look', content: '2' },
]

/** The same conversation, where the model has made the calls itself, and said why. */
function own(model: string): readonly Message[] {
  const [question, answer, ...rest] = foreign
  const data = { api: 'chat', model, reasoningField: 'reasoning' }
  const message = {
    ...(answer as AssistantMessage),
    provider: 'openai',
    reasoning: 'Hm.',
    providerData: data,
  }
  return [question as Message, message, ...rest]
}

test('Gemini’s word for foreign calls is sent where a signature is missed, on the first call', async () => {
  const signatureOf = (body: Body): unknown => {
    const calls = body.messages[1]?.['tool_calls'] as
      readonly { extra_content?: { google?: unknown } }[] | undefined
    return calls?.[0]?.extra_content?.google
  }
  answering(
    (body) =>
      signatureOf(body) === undefined
        ? 'Function call is missing a thought_signature in functionCall parts.'
        : undefined,
    chatReply,
  )
  const model = chat()
  expect(await ask(model, { messages: foreign, tools: [tool] })).toMatchObject({ text: 'Hi' })
  expect(await ask(model, { messages: foreign, tools: [tool] })).toMatchObject({ text: 'Hi' })
  expect(bodies()).toHaveLength(3)
  expect(bodies().at(-1)?.messages[1]).toMatchObject({
    tool_calls: [
      { id: 'a', extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      { id: 'b' },
    ],
  })
  expect(JSON.stringify(bodies().at(-1)).match(/"thought_signature"/g)).toHaveLength(1)
})

test('an empty reasoning is sent where the server misses that of a foreign message', async () => {
  answering(
    ({ messages }) =>
      messages.some(({ role, reasoning_content: reasoning }) => role === 'assistant' && reasoning !== '')
        ? 'Missing `reasoning_content` field in the assistant message at message index 1.'
        : undefined,
    chatReply,
  )
  const model = chat()
  expect(await ask(model, { messages: foreign, tools: [tool] })).toMatchObject({ text: 'Hi' })
  expect(bodies()).toHaveLength(2)
})

test('a server that does not take its own fields back is not given them', async () => {
  answering(
    ({ messages }) =>
      messages.some((message) => 'reasoning' in message)
        ? "property 'messages.1.reasoning' is unsupported"
        : undefined,
    chatReply,
  )
  const model = chat()
  await ask(model, { messages: own('m'), tools: [tool] })
  await ask(model, { messages: own('m'), tools: [tool] })
  expect(bodies().map(({ messages }) => 'reasoning' in (messages[1] ?? {}))).toEqual([true, false, false])
})

test('a model that does not reason is not asked for encrypted reasoning again', async () => {
  answering(
    ({ include }) =>
      JSON.stringify(include).includes('encrypted')
        ? 'Encrypted content is not supported with this model.'
        : undefined,
    response,
  )
  const model = openai('gpt-4.1', {
    baseURL: server.url,
    apiKey: 'sk-test',
    api: 'responses',
    extraBody: { include: ['message.output_text.logprobs'] },
  })
  expect(await ask(model)).toMatchObject({ text: 'Hi' })
  await ask(model)
  expect(bodies().map((body) => body['include'])).toEqual([
    ['message.output_text.logprobs', 'reasoning.encrypted_content'],
    ['message.output_text.logprobs'],
    ['message.output_text.logprobs'],
  ])
})

const city = { name: 'answer', schema: { type: 'object', properties: { city: { type: 'string' } } } }
const town = { name: 'answer', schema: { type: 'object', properties: { town: { type: 'string' } } } }
const hasFormat = (body: Body): boolean => 'response_format' in body

test.each([
  'json mode cannot be combined with tool/function calling',
  "Function calling with a response mime type: 'application/json' is unsupported",
  'Cannot use custom grammar constraints with tools.',
])('tools beside a shape: %s', async (words) => {
  answering((body) => ('tools' in body && hasFormat(body) ? words : undefined), chatReply)
  const model = chat()
  for (let turn = 0; turn < 2; turn++) {
    expect(await ask(model, { tools: [tool], responseFormat: city })).toMatchObject({ text: 'Hi' })
  }
  expect(bodies().map(hasFormat)).toEqual([true, false, false])
  await ask(model, { responseFormat: city })
  expect(hasFormat(bodies()[3] as Body)).toBe(true)
})

test('a schema that is refused costs no other schema of the model its format', async () => {
  answering(
    (body) => (JSON.stringify(body).includes('"city"') && hasFormat(body) ? 'no response_format' : undefined),
    chatReply,
  )
  const model = chat()
  await ask(model, { responseFormat: city })
  await ask(model, { responseFormat: town })
  await ask(model, { responseFormat: city })
  expect(bodies().map(hasFormat)).toEqual([true, false, true, false])
})

test('a keyword that a server refuses is left out of these schemas, and their shape stays', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'string', minLength: 2 } } }
  answering(
    (body) =>
      JSON.stringify(body).includes('minLength":2')
        ? "Invalid schema for function 'look': 'minLength' is not permitted."
        : undefined,
    chatReply,
  )
  const model = chat()
  const look = { ...tool, parameters }
  await ask(model, { tools: [look] })
  await ask(model, { tools: [look] })
  expect(bodies()).toHaveLength(3)
  expect(bodies().at(-1)).toMatchObject({
    tools: [{ function: { parameters: { properties: { a: { description: 'minLength: 2' } } } } }],
  })
})

test('a server that holds no model to a schema is sent the schema without that demand', async () => {
  const strict = { ...tool, strict: true as const }
  answering(
    (body) => (JSON.stringify(body).includes('"strict":true') ? 'strict is not supported' : undefined),
    chatReply,
  )
  const model = chat()
  expect(await ask(model, { tools: [strict], responseFormat: city })).toMatchObject({ text: 'Hi' })
  expect(await ask(model, { tools: [strict], responseFormat: city })).toMatchObject({ text: 'Hi' })
  expect(bodies().map(hasFormat)).toEqual([true, true, true])
})

test('the last five hundred schemas that were refused are remembered', () => {
  const nth = (n: number) => ({
    ...question,
    responseFormat: { name: 'answer', schema: { type: 'object', properties: { [`p${n}`]: {} } } },
  })
  const learned = new LearnedQuirks()
  for (let n = 0; n <= 500; n++) learned.add(nth(n), new Set(['lacks-formats']))
  expect([0, 1, 500, 501].map((n) => learned.of(nth(n)).has('lacks-formats'))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test('a refusal that no other form mends is told, and nothing is learned from it', async () => {
  answering(() => 'The field reasoning is wrong, and so is response_format.', chatReply)
  const model = chat()
  const responseFormat = { name: 'answer', schema: { type: 'object' } }
  const error = await rejection(ask(model, { messages: own('m'), tools: [tool], responseFormat }))
  expect(error).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(bodies()).toHaveLength(3)
  answering(() => undefined, chatReply)
  await ask(model, { messages: own('m'), tools: [tool], responseFormat })
  expect(bodies().at(-1)).toHaveProperty('response_format')
  expect(bodies().at(-1)?.messages[1]).toMatchObject({ reasoning: 'Hm.' })
})

test('data goes back to its model, or to another at the same server, and to no other server', async () => {
  answering(() => undefined, {
    choices: [{ ...chatReply.choices[0], message: { content: 'Hi', reasoning: 'Hm.' } }],
  })
  const reply = await ask(chat('first'))
  const message: Message = {
    role: 'assistant',
    content: reply.text,
    provider: 'openai',
    reasoning: reply.reasoning ?? '',
    providerData: reply.providerData ?? null,
  }
  expect(reply).toMatchObject({
    keepReasoning: true,
    providerData: { model: 'first', reasoningField: 'reasoning' },
  })
  const messages: readonly Message[] = [
    { role: 'user', content: 'Go' },
    message,
    { role: 'user', content: 'On' },
  ]
  const shown = async (model: ReturnType<typeof openai>, to: FaultServer): Promise<unknown> => {
    await ask(model, { messages })
    const body = to.requests.at(-1)?.body as Body | undefined
    return body?.messages[1]
  }
  expect(await shown(chat('first'), server)).toHaveProperty('reasoning', 'Hm.')
  expect(await shown(chat('second'), server)).toHaveProperty('reasoning', 'Hm.')
  const other = await startFaultServer()
  other.answer = json(200, chatReply)
  try {
    const elsewhere = (modelId: string) => openai(modelId, { baseURL: other.url, apiKey: 'sk-test' })
    expect(await shown(elsewhere('second'), other)).toEqual({ role: 'assistant', content: 'Hi' })
    expect(await shown(elsewhere('first'), other)).toHaveProperty('reasoning', 'Hm.')
  } finally {
    await other.close()
  }
})
