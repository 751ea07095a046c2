import { expect, test } from 'vitest'
import { createAgent, createScorer, createSupervisor, createTool, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const schema = z.object({ city: z.string(), degrees: z.number() })
const right = '{"city":"Oslo","degrees":4}'
const wrong = '{"city":"Oslo"}'

function shaped(...steps: Parameters<typeof scriptedModel>[0]) {
  const model = scriptedModel(steps)
  return {
    model,
    agent: createAgent({ id: 'agent', instructions: 'Report.', model, structuredOutput: { schema } }),
  }
}

test('an answer of the shape becomes the object of the result; the model is told the shape twice', async () => {
  const { agent, model } = shaped(right)
  expect(await agent.generate('Go')).toMatchObject({
    outcome: 'completed',
    text: right,
    object: { city: 'Oslo', degrees: 4 },
  })
  const request = model.calls[0]?.request
  expect(request?.responseFormat).toMatchObject({ name: 'answer', schema: { required: ['city', 'degrees'] } })
  expect(request?.messages[0]?.content).toMatch(
    /^Report\.\n\nYour final answer must be one JSON value .+"degrees"/s,
  )
})

test.each([
  ['in a block of code', '```json\n{"city":"Oslo","degrees":4}\n```'],
  ['with white space around it', `\n  ${right}\n`],
  ['behind thoughts', `<think>\nA {city} and [degrees].\n</think>\n\n${right}`],
  ['behind thoughts that name another object', `<think>{"city":"Rome","degrees":30}</think>${right}`],
  ['among words', `Here you are:\n\n\`\`\`json\n${right}\n\`\`\`\nAnything else?`],
])('JSON %s is taken too', async (_how, text) => {
  expect(await shaped(text).agent.generate('Go')).toMatchObject({ object: { city: 'Oslo', degrees: 4 } })
})

test.each([
  ['another shape', wrong, 'degrees: '],
  ['no JSON', 'It is cold.', 'it is not JSON'],
])('%s is sent back once, with the error in the prompt', async (_what, text, problem) => {
  const { agent, model } = shaped(text, right)
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ outcome: 'completed', object: { city: 'Oslo', degrees: 4 } })
  expect(model.calls).toHaveLength(2)
  expect(model.calls[1]?.request.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: text },
    { role: 'user', internal: 'notice', content: expect.stringContaining(problem) },
  ])
  expect(result.steps).toHaveLength(1) // a repair is no step
  expect(result.usage.totalTokens).toBe(30)
})

test('a second answer without the shape is a typed failure', async () => {
  const { agent, model } = shaped(wrong, wrong, right)
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_OBJECT' }, text: wrong })
  expect(model.calls).toHaveLength(2)
})

test('tool calls need no shape, and each step has its own repair', async () => {
  const { agent } = shaped({ toolCalls: [{ name: 'nothing' }] }, wrong, right)
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', object: { degrees: 4 } })
})

test('what the schema makes of it is the object: defaults, transforms and dates', async () => {
  const model = scriptedModel(['{"day":"2026-11-21"}'])
  const day = z.object({
    day: z.string().transform((text) => new Date(text)),
    mood: z.string().default('calm'),
  })
  const agent = createAgent({ id: 'agent', instructions: '', model, structuredOutput: { schema: day } })
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ object: { day: new Date('2026-11-21'), mood: 'calm' } })
})

test('a schema that answers later makes the object too', async () => {
  const later = z.object({ day: z.string() }).transform(async ({ day }) => ({ day: new Date(day) }))
  const model = scriptedModel(['{"day":"2026-11-21"}'])
  const agent = createAgent({ id: 'agent', instructions: '', model, structuredOutput: { schema: later } })
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ object: { day: new Date('2026-11-21') } })
})

test('a shape may be given for one run, and takes the place of the definition’s', async () => {
  const { agent } = shaped('{"ok":true}')
  const result = await agent.generate('Go', { structuredOutput: { schema: z.object({ ok: z.boolean() }) } })
  expect(result).toMatchObject({ outcome: 'completed', object: { ok: true } })
})

test('a schema that throws fails the run with its own error', async () => {
  const throwing = z.object({}).refine(() => {
    throw new Error('the schema broke')
  })
  const model = scriptedModel(['{}'])
  const agent = createAgent({ id: 'agent', instructions: '', model, structuredOutput: { schema: throwing } })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { code: 'SCHEMA_FAILED' } })
})

test('a final turn is not repaired: its text is the result, without an object', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'nothing' }] }, 'I could not.'])
  const agent = createAgent({ id: 'a', instructions: '', model, maxSteps: 1, structuredOutput: { schema } })
  const result = await agent.generate('Go')
  expect(result).toMatchObject({ outcome: 'exhausted', text: 'I could not.' })
  expect(model.calls).toHaveLength(2)
})

test('a supervisor scores an answer that has the shape, and its replay has the same object', async () => {
  const model = scriptedModel([right, '{"city":"Oslo","degrees":5}'])
  const warm = createScorer({ id: 'warm', score: ({ output }) => (output.includes('5') ? 1 : 0) })
  const lead = createSupervisor({
    id: 'lead',
    instructions: '',
    model,
    structuredOutput: { schema },
    completion: { scorers: [warm] },
  })
  const troupe = createTroupe({ agents: [lead] })
  const run = await troupe.start(lead, 'Go')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', object: { degrees: 5 } })
  expect((await troupe.replay(run.id)).result).toEqual(result)
  expect(model.calls).toHaveLength(2)
})

test('a schema that is none is refused', () => {
  expect(() =>
    createAgent({
      id: 'a',
      instructions: '',
      model: scriptedModel([]),
      structuredOutput: { schema: {} as never },
    }),
  ).toThrow('structuredOutput.schema must be a zod schema or another Standard Schema, not {}.')
})

const trip = z.object({ city: z.string(), days: z.number().optional(), beds: z.number().default(2) })

test('null in an answer counts as left out where the schema does not take it', async () => {
  const model = scriptedModel(['{"city":"Oslo","days":null,"beds":null}'])
  const agent = createAgent({ id: 'agent', instructions: 'Plan.', model, structuredOutput: { schema: trip } })
  const { outcome, ...result } = await agent.generate('Go')
  expect({ outcome, object: 'object' in result && result.object }).toEqual({
    outcome: 'completed',
    object: { city: 'Oslo', beds: 2 },
  })
})

test('null for a field that is required is wrong, and is told as null', async () => {
  const { agent, model } = shaped('{"city":"Oslo","degrees":null}', right)
  expect(await agent.generate('Go')).toMatchObject({ object: { degrees: 4 } })
  expect(model.calls[1]?.request.messages.at(-1)?.content).toContain('received null')
})

test('a tool gets its arguments without a null that its schema does not take', async () => {
  const given: unknown[] = []
  const plan = createTool({
    id: 'plan',
    description: 'Plans.',
    inputSchema: trip,
    execute: (args) => {
      given.push(args)
      return 'planned'
    },
  })
  const calls = [{ name: 'plan', args: { city: 'Oslo', days: null, beds: null } }]
  const model = scriptedModel([{ toolCalls: calls }, 'Done.'])
  await createAgent({ id: 'agent', instructions: 'Plan.', model, tools: { plan } }).generate('Go')
  expect(given).toEqual([{ city: 'Oslo', beds: 2 }])
})
