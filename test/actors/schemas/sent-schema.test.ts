/** What of a schema is sent to which server: a table over all builders of zod, and over schemas of MCP servers. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createAgent, createTool, openai, type ChatModel } from 'troupe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SchemaTarget } from '../../../src/actors/schemas/schema-targets.ts'
import { sentSchema } from '../../../src/actors/schemas/sent-schema.ts'
import { toJsonSchema } from '../../../src/actors/schemas/to-json-schema.ts'
import type { JsonValue } from '../../../src/actors/values/json.ts'
import { json, startFaultServer, type FaultServer } from '../../support/fault-server.ts'
import { mcpSchemas } from '../../support/providers/mcp-schemas.ts'
import { refusalOf, schemaGates } from '../../support/providers/schema-gates.ts'
import { notBuilders, notOfJson, zodBuilders } from '../../support/providers/zod-builders.ts'

type JsonSchema = Readonly<Record<string, JsonValue>>

const gates = Object.entries(schemaGates) as [
  keyof typeof schemaGates,
  (schema: unknown) => string | undefined,
][]
const plain: readonly SchemaTarget[] = ['openai', 'grammar', 'anthropic', 'gemini', 'bare']
const builders = Object.entries(zodBuilders)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const holding = (schema: z.ZodType) => z.object({ x: schema })
const described = (schema: z.ZodType) => toJsonSchema(holding(schema), 'here')

test('the table has each builder of zod', () => {
  const groups: Record<string, object> = { '': z, 'iso.': z.iso, 'coerce.': z.coerce }
  const names = Object.entries(groups).flatMap(([prefix, group]) =>
    Object.entries(group).flatMap(([name, value]) =>
      typeof value === 'function' && /^[a-z]/.test(name) ? [prefix + name] : [],
    ),
  )
  const missing = names.filter(
    (name) => !(name in zodBuilders) && !(name in notOfJson) && !notBuilders.has(name),
  )
  expect(missing).toEqual([])
})

test.each(Object.entries(notOfJson))(
  'z.%s takes no JSON, and is refused where a tool is made',
  (_, schema) => {
    const make = () =>
      createTool({ id: 't', description: 'T.', inputSchema: holding(schema()), execute: () => 1 })
    expect(make).toThrow(/"x" cannot be expressed as JSON Schema/)
  },
)

describe.each(gates)('%s', (target, gate) => {
  test.each(builders)('z.%s is taken, or refused with its place', (_, { schema, fits }) => {
    const sent = sentSchema(described(schema()), target)
    if (sent.schema === undefined) {
      expect(target).toMatch(/-strict$/)
      expect(sent.problem).toMatch(/^"(?:x|__schema0)[".]/)
      return
    }
    expect(gate(sent.schema)).toBeUndefined()
    expect(sentSchema(sent.schema, target).schema).toEqual(sent.schema)
    expect(ajv.validate(sent.schema, { x: fits })).toBe(true)
  })

  test.each(Object.entries(mcpSchemas))('the schema of the MCP tool %s is taken', (_, schema) => {
    const sent = sentSchema(schema as JsonSchema, target)
    if (target.endsWith('-strict')) {
      if (sent.schema === undefined) expect(sent.problem).toMatch(/^(?:"|the schema uses )/)
      else expect(gate(sent.schema)).toBeUndefined()
      return
    }
    expect(gate(sent.schema)).toBeUndefined()
  })
})

test.each(builders)('what is sent of z.%s takes all that the schema takes', (_, { schema }) => {
  const whole = described(schema())
  const takes = ajv.compile(whole)
  const values = builders.flatMap(([, { fits, unfit }]) => [{ x: fits }, { x: unfit ?? null }])
  const fitting = values.filter((value) => takes(value))
  for (const target of plain) {
    const sent = sentSchema(whole, target)
    const takesToo = ajv.compile(sent.schema ?? false)
    expect(fitting.filter((value) => !takesToo(value))).toEqual([])
  }
})

test.each(builders)('our own check of z.%s has the whole schema', (_, { schema, fits, ...given }) => {
  const checked = holding(schema())
  expect(checked.safeParse({ x: fits }).success).toBe(true)
  if ('unfit' in given) expect(checked.safeParse({ x: given.unfit }).success).toBe(false)
})

test('what is left to our own check is named with its place, and told in words', () => {
  const schema = z.object({
    at: z.array(z.object({ url: z.url().describe('Where.') })),
    x: z.string().max(3),
  })
  const sent = sentSchema(toJsonSchema(schema, 'here'), 'openai-strict')
  expect(sent).toMatchObject({ kept: ['"at.items[0].url": format', '"x": maxLength'] })
  expect(JSON.stringify(sent.schema)).toContain('"description":"Where. (format: uri)"')
  expect(sent.schema?.['properties']).toMatchObject({ x: { type: 'string', description: 'maxLength: 3' } })
})

test('a discriminated union loses nothing, and variants that may overlap are told', () => {
  const variant = (kind: string) => z.object({ kind: z.literal(kind) })
  const union = z.discriminatedUnion('kind', [variant('a'), variant('b')])
  expect(sentSchema(described(union), 'openai-strict')).toMatchObject({ kept: [] })
  const either = z.xor([z.string(), z.number()])
  expect(sentSchema(described(either), 'openai-strict')).toMatchObject({ kept: ['"x": oneOf'] })
})

describe('on the wire', () => {
  let server: FaultServer
  beforeAll(async () => {
    server = await startFaultServer()
  })
  afterAll(() => server.close())
  beforeEach(() => {
    server.requests.length = 0
  })

  const local = (): ChatModel => openai('m', { baseURL: server.url, apiKey: 'sk-test' })
  /** The address of OpenAI, answered by the local server. */
  const official = (): ChatModel =>
    openai('m', {
      baseURL: 'https://api.openai.com/v1',
      apiKey: 'sk-test',
      fetch: (input, init) =>
        fetch(
          (input instanceof Request ? input.url : String(input)).replace(
            'https://api.openai.com/v1',
            server.url,
          ),
          init,
        ),
    })

  /** Refuses what the providers refuse, otherwise gives the answer. */
  function answering(answer: unknown, by: 'openai' | 'any'): void {
    server.answer = (response, request) => {
      const words = refusalOf(server.requests.at(-1)?.body, by)
      const content = JSON.stringify(answer)
      const reply = { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] }
      const send = words === undefined ? json(200, reply) : json(400, { error: { message: words } })
      return send(response, request)
    }
  }

  test.each(builders)(
    'z.%s: a typed answer, a tool and a strict tool are taken at once',
    async (_, built) => {
      const x = holding(built.schema())
      const isStrict = sentSchema(toJsonSchema(x, 'here'), 'openai-strict').schema !== undefined
      const tool = createTool({
        id: 'x',
        description: 'X.',
        inputSchema: x,
        strict: isStrict,
        execute: () => 1,
      })
      for (const [by, model] of [['any', local()] as const, ['openai', official()] as const]) {
        answering({ x: built.fits }, by)
        const agent = createAgent({ id: 'a', model, tools: { tool }, structuredOutput: { schema: x } })
        const result = await agent.generate('hi')
        expect(result).toMatchObject({ outcome: 'completed' })
      }
      expect(server.requests).toHaveLength(2)
      for (const { body } of server.requests) {
        expect(body).toMatchObject({ response_format: { json_schema: { strict: isStrict } } })
      }
    },
  )
})
