/** A handoff with an input: the model gives data of a schema with the conversation. */
import {
  createAgent,
  createTroupe,
  type HandoffFilterContext,
  type HandoffTarget,
  type JsonValue,
  type Schema,
} from 'troupe'
import { toProvenance } from 'troupe/provenance'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, toldOfCalls, worker } from '../../support/agents/agents.ts'

const inputSchema = z.object({ priority: z.enum(['low', 'high']), amount: z.number() })
const refined = inputSchema.refine(({ amount }) => amount > 0, 'The amount must be positive')

const handsOn = (args: JsonValue): ScriptedStep => calls({ name: 'transfer-to-bills', args })

/** A desk that may hand to billing, under the name `bills`. */
function desk(steps: readonly ScriptedStep[], more: object = {}, schema: Schema = inputSchema) {
  const billing = worker('billing', [], { otherwise: 'Paid.' })
  const desk = worker('desk', steps, {
    handoffs: { bills: { agent: billing.agent, inputSchema: schema } },
    ...more,
  })
  return { ...desk, billing }
}

const input = { priority: 'high', amount: 20 }
const record = { from: 'desk', to: 'billing', input }

describe('an input that fits', () => {
  test('is in the event, in the result, and in the message to the successor', async () => {
    const { agent, billing } = desk([handsOn(input)])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Refund me')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Paid.', by: 'billing' })
    expect(result.handoffs).toEqual([record])
    expect(only(await allEvents(run), 'handoff').map(({ payload }) => payload)).toEqual([record])
    expect(shown(billing.model, 1).at(-1)).toEqual({
      role: 'user',
      content:
        'The agent "desk" has handed this conversation to you: go on with it in its place.\n' +
        'Its input: {"priority":"high","amount":20}',
      internal: 'notice',
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('takes the place of reason and prompt in the tool that the model sees', async () => {
    const { agent, model } = desk([handsOn(input)])
    await agent.generate('Refund me')
    expect(model.calls[0]?.request.tools).toEqual([
      {
        name: 'transfer-to-bills',
        description:
          'Hand the conversation to the agent "bills", which goes on in your place: Does billing work.',
        parameters: {
          type: 'object',
          properties: { priority: { type: 'string', enum: ['low', 'high'] }, amount: { type: 'number' } },
          required: ['priority', 'amount'],
        },
      },
    ])
  })

  test('reaches the filter of the definition, and that of the run', async () => {
    const seen: unknown[] = []
    const handoffFilter = ({ input, reason, messages }: HandoffFilterContext) => {
      seen.push({ input, reason })
      return messages
    }
    const first = desk([handsOn(input)], { handoffFilter })
    expect((await first.agent.generate('Go')).outcome).toBe('completed')
    const second = desk([handsOn({ priority: 'low', amount: 1 })])
    expect((await second.agent.generate('Go', { handoffFilter })).outcome).toBe('completed')
    expect(seen).toEqual([
      { input, reason: undefined },
      { input: { priority: 'low', amount: 1 }, reason: undefined },
    ])
  })

  test('is the one that the model wrote, without what the schema makes of it', async () => {
    const { agent } = desk(
      [handsOn({ amount: '7' })],
      {},
      z.object({ amount: z.string().transform(Number), priority: z.string().default('low') }),
    )
    expect((await agent.generate('Go')).handoffs).toEqual([
      { from: 'desk', to: 'billing', input: { amount: '7' } },
    ])
  })

  test('is in the records of a delegation, whose conversation goes on', async () => {
    const { agent } = desk([handsOn(input)])
    const boss = lead('boss', [calls(to('desk', 'Refund them')), 'Done.'], { agents: { desk: agent } })
    const { delegations } = await boss.agent.generate('Go')
    expect(delegations[0]).toMatchObject({ outcome: 'succeeded', by: 'billing', handoffs: [record] })
  })

  test('is in the provenance of the handoff', async () => {
    const { agent } = desk([handsOn(input)])
    const run = agent.stream('Refund me')
    await run.result
    const { quads } = toProvenance(await allEvents(run))
    const given = quads.filter(({ predicate }) => predicate.value.endsWith('arguments'))
    expect(given.map(({ subject, object }) => [subject.value.endsWith('/handoff'), object.value])).toEqual([
      [true, JSON.stringify(input)],
    ])
  })

  test('may be asked of one target, and a reason of another', async () => {
    const law = worker('law', [], { otherwise: 'Sued.' })
    const billing = worker('billing', [], { otherwise: 'Paid.' })
    const { agent } = worker('desk', [calls({ name: 'transfer-to-law', args: { reason: 'a claim' } })], {
      handoffs: [{ agent: billing.agent, inputSchema }, { agent: law.agent }],
    })
    expect((await agent.generate('Go')).handoffs).toEqual([{ from: 'desk', to: 'law', reason: 'a claim' }])
  })
})

describe('an input that does not fit', () => {
  test.for<readonly [string, JsonValue, string]>([
    ['of another shape', { priority: 'urgent', amount: 20 }, 'priority'],
    ['incomplete', { priority: 'low' }, 'amount'],
    ['empty', {}, 'priority'],
  ])('comes back to the model: %s', async ([, args, field]) => {
    const { agent, model, billing } = desk([handsOn(args), 'I keep it.'])
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'I keep it.' })
    expect(result).not.toHaveProperty('handoffs')
    const [told] = toldOfCalls(model, 2)
    expect(told).toContain('Invalid arguments for \\"transfer-to-bills\\"')
    expect(told).toContain(field)
    expect(result.steps[0]?.toolResults).toMatchObject([
      { name: 'transfer-to-bills', outcome: 'failed', error: { code: 'INVALID_TOOL_CALL' } },
    ])
    expect(billing.model.calls).toEqual([])
  })

  test('can be mended: the handoff then takes place', async () => {
    const { agent } = desk([handsOn({ priority: 'high' }), handsOn(input)])
    expect((await agent.generate('Go')).handoffs).toEqual([record])
  })

  test('leaves the place to another handoff of the same reply', async () => {
    const { agent, billing } = desk([
      calls(
        { name: 'transfer-to-bills', args: { amount: 1 } },
        { name: 'transfer-to-bills', args: { priority: 'high', amount: 20 } },
      ),
    ])
    const result = await agent.generate('Go')
    expect(result.handoffs).toEqual([record])
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual(['failed', 'handedOff'])
    expect(billing.model.calls).toHaveLength(1)
  })

  test('is found by a refinement of the schema', async () => {
    const { agent, model } = desk([handsOn({ priority: 'high', amount: 0 }), 'I keep it.'], {}, refined)
    expect((await agent.generate('Go')).text).toBe('I keep it.')
    expect(toldOfCalls(model, 2)[0]).toContain('The amount must be positive')
  })
})

describe('an agent whose parts depend on the run', () => {
  test('checks by the schema itself where the handoffs do not', async () => {
    const { agent, model } = desk(
      [handsOn({ priority: 'high', amount: 0 }), handsOn(input)],
      { instructions: () => 'Help.' },
      refined,
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result.handoffs).toEqual([record])
    expect(toldOfCalls(model, 2)[0]).toContain('The amount must be positive')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('checks by the JSON Schema where a function of the run names the successors', async () => {
    const billing = worker('billing', [], { otherwise: 'Paid.' })
    const model = scriptedModel([handsOn({ priority: 'urgent', amount: 20 }), handsOn(input)])
    const agent = createAgent({
      id: 'desk',
      model,
      handoffs: (_run) => ({ bills: { agent: billing.agent, inputSchema: refined } }),
    })
    const troupe = createTroupe({ agents: [agent, billing.agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result.handoffs).toEqual([record])
    expect(toldOfCalls(model, 2)[0]).toContain('Invalid arguments')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('fails where that JSON Schema cannot be checked', async () => {
    const billing = worker('billing', [])
    const agent = createAgent({
      id: 'desk',
      model: scriptedModel([]),
      handoffs: (_run) => ({
        bills: { agent: billing.agent, inputSchema: describing({ if: { minProperties: 1 } }) },
      }),
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(/handoffs\.bills\.inputSchema.*"if"/) as string,
      },
    })
  })

  test('keeps the input where the run takes another version of the successor', async () => {
    const common = { id: 'billing', description: 'Pays.' }
    const one = createAgent({ ...common, version: '1', model: scriptedModel([]) })
    const two = createAgent({ ...common, version: '2', model: scriptedModel(['Paid by the second.']) })
    const { agent, model } = worker('desk', [handsOn({ amount: 1 }), handsOn(input)], {
      handoffs: { bills: { agent: one, inputSchema } },
    })
    const troupe = createTroupe({
      agents: [agent, one, two],
      versions: { agents: { billing: { versionId: '2' } } },
    })
    const run = await troupe.start(agent, 'Go')
    expect(await run.result).toMatchObject({ text: 'Paid by the second.', handoffs: [record] })
    expect(toldOfCalls(model, 2)[0]).toContain('priority')
  })
})

/** A schema that accepts everything, with this JSON Schema. */
function describing(
  jsonSchema: object,
  validate: Schema['~standard']['validate'] = (value) => ({ value }),
): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate,
      jsonSchema: { input: () => ({ type: 'object', ...jsonSchema }) },
    },
  }
}

describe('a schema that does not answer', () => {
  test.for<readonly [string, Schema['~standard']['validate'], RegExp]>([
    ['with a promise', (value) => Promise.resolve({ value }), /must answer at once/],
    [
      'but throws',
      () => {
        throw new Error('The ledger is closed')
      },
      /failed: The ledger is closed/,
    ],
  ])('%s fails the call; the model does not see why', async ([, validate, message]) => {
    const { agent, model, billing } = desk(
      [handsOn({ any: 'thing' }), 'I keep it.'],
      {},
      describing({}, validate),
    )
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'I keep it.' })
    const [call] = result.steps[0]?.toolResults ?? []
    expect(call).toMatchObject({ outcome: 'failed', error: { code: 'SCHEMA_FAILED' } })
    expect(call?.error?.message).toMatch(message)
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The tool \\"transfer-to-bills\\" failed."}'])
    expect(billing.model.calls).toEqual([])
  })
})

describe('a target is refused', () => {
  test.for<readonly [string, object, RegExp]>([
    ['with an unknown field', { schema: inputSchema }, /handoffs\.bills: .*"schema".*inputSchema/],
    ['with a schema that is none', { inputSchema: {} }, /handoffs\.bills.*inputSchema/],
    [
      'with a schema of no object',
      { inputSchema: z.string() },
      /inputSchema: expected a schema of an object/,
    ],
  ])('%s', ([, more, message]) => {
    const billing = worker('billing', [])
    const target = { agent: billing.agent, ...more } as HandoffTarget
    expect(() => worker('desk', [], { handoffs: { bills: target } })).toThrow(message)
    expect(() => worker('desk', [], { handoffs: [target] })).toThrow(/handoffs\.billing/)
  })

  test('without an agent', () => {
    const target = { agent: 'billing', inputSchema } as never
    expect(() => worker('desk', [], { handoffs: { bills: target } })).toThrow(
      /the agent "bills" must come from createAgent/,
    )
  })
})
