/** Schemas that reach servers through the providers of the AI SDK: each server is sent what it takes. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createAgent, createTool } from 'troupe'
import { aiSdk, type AiSdkModel } from 'troupe/ai-sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { json, startFaultServer, type FaultServer } from '../../support/fault-server.ts'
import { refusalOf, schemaGates } from '../../support/providers/schema-gates.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const shape = z.object({
  at: z.url(),
  key: z.string().regex(/^(?!tmp)[a-z]+$/),
  share: z.number().min(0).max(1),
  names: z.array(z.string()).min(2).max(3),
  who: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('user'), id: z.int() }),
    z.object({ kind: z.literal('group'), name: z.string().max(9) }),
  ]),
})
const open = shape.partial()
const answer = { at: 'https://e.com', key: 'a', share: 1, names: ['a', 'b'], who: { kind: 'user', id: 1 } }
const text = JSON.stringify(answer)

type Body = Readonly<Record<string, unknown>>

const anthropicReply = {
  id: 'x',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}

/** Of the tools that are strict. */
function refusalOfAnthropic(body: Body): string | undefined {
  const tools = (body['tools'] ?? []) as readonly Body[]
  return tools
    .map((tool) =>
      tool['strict'] === true
        ? schemaGates['anthropic-strict'](tool['input_schema'])
        : schemaGates.anthropic(tool['input_schema']),
    )
    .find((words) => words !== undefined)
}

/** Of the functions and of the shape. */
function refusalOfGemini(body: Body): string | undefined {
  const { tools = [], generationConfig = {} } = body as { tools?: readonly Body[]; generationConfig?: Body }
  const functions = tools.flatMap((tool) => (tool['functionDeclarations'] ?? []) as readonly Body[])
  return [
    ...functions.map((one) => one['parameters'] ?? one['parametersJsonSchema']),
    generationConfig['responseSchema'] ?? generationConfig['responseJsonSchema'],
  ]
    .map((schema) => schemaGates.gemini(schema))
    .find((words) => words !== undefined)
}

const providers: Readonly<
  Record<
    string,
    readonly [model: () => AiSdkModel, refusal: (body: Body) => string | undefined, reply: object]
  >
> = {
  openai: [
    () => createOpenAI({ baseURL: server.url, apiKey: 'k' }).chat('gpt-5'),
    (body) => refusalOf(body, 'openai'),
    {
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    },
  ],
  anthropic: [
    () => createAnthropic({ baseURL: server.url, apiKey: 'k' })('claude-sonnet-4-5'),
    refusalOfAnthropic,
    anthropicReply,
  ],
  google: [
    () => createGoogle({ baseURL: server.url, apiKey: 'k' })('gemini-3-pro'),
    refusalOfGemini,
    { candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }] },
  ],
}

test.each(
  Object.entries(providers).flatMap(([name, provider]) =>
    [true, false].map((isStrict) => [name, isStrict, provider] as const),
  ),
)(
  '%s takes the shape of an answer and the schemas of tools at once, strict: %s',
  async (_, isStrict, provider) => {
    const [model, refusal, reply] = provider
    server.answer = (response, request) => {
      const words = refusal(server.requests.at(-1)?.body as Body)
      const answered = words === undefined ? json(200, reply) : json(400, { error: { message: words } })
      return answered(response, request)
    }
    const schema = isStrict ? shape : open
    const save = createTool({
      id: 'save',
      description: 'Saves.',
      inputSchema: schema,
      strict: isStrict,
      execute: () => 1,
    })
    const agent = createAgent({
      id: 'a',
      model: aiSdk(model()),
      tools: { save },
      structuredOutput: { schema },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', object: answer })
    expect(server.requests).toHaveLength(1)
  },
)

test('OpenAI is told that a shape is not strict, unless the user says otherwise', async () => {
  const [model, , reply] = providers['openai'] ?? []
  server.answer = json(200, reply)
  const sent = async (options: Parameters<typeof aiSdk>[1]) => {
    if (model === undefined) throw new Error('There is no such provider.')
    const agent = createAgent({ id: 'a', model: aiSdk(model(), options), structuredOutput: { schema: open } })
    await agent.generate('Go')
    return server.requests.at(-1)?.body
  }
  expect(await sent({})).toMatchObject({ response_format: { json_schema: { strict: false } } })
  const given = { providerOptions: { openai: { strictJsonSchema: true } } }
  expect(await sent(given)).toMatchObject({ response_format: { json_schema: { strict: true } } })
})
