/** A chain of handoffs, at the root and within a delegation, cut before and after every append and every effect. */
import {
  createAgent,
  createSupervisor,
  createTool,
  type AgentDefinition,
  type JsonValue,
  type ModelReply,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { noUsage } from '../../../src/actors/usage.ts'
import { expectCut, uncut } from './crash-sweep.ts'
import type { MortalWorld } from './mortal-world.ts'

const argsOf = (name: string): JsonValue => (name.startsWith('agent-') ? { prompt: 'Ask.' } : {})

/**
 * The lead delegates to the desk, which hands to the clerk; then, beside a call, it hands to the closer, which asks a
 * person, and hands back.
 */
function company(world: MortalWorld): AgentDefinition {
  const speaks = (modelId: string, replies: Readonly<Record<string, Partial<ModelReply>>>) => ({
    provider: 'scripted',
    modelId,
    generate: (_: unknown, { idempotencyKey }: { readonly idempotencyKey: string }) => {
      const key = idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)
      return world.effect(`model ${key}`, (): ModelReply => {
        const said = replies[key]
        if (said === undefined) throw new Error(`nothing is scripted for ${key}`)
        return { text: '', toolCalls: [], finishReason: 'stop', usage: noUsage, ...said }
      })
    },
  })
  const calls = (...names: readonly string[]): Partial<ModelReply> => ({
    finishReason: 'tool-calls',
    toolCalls: names.map((name, index) => ({
      id: `c${index}`,
      name,
      args: argsOf(name),
    })),
  })
  const tool = (id: string, requireApproval: boolean) =>
    createTool({
      id,
      description: 'Does something.',
      inputSchema: z.object({}),
      requireApproval,
      execute: (_, { idempotencyKey }) =>
        world.effect(`tool ${idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)}`, () => id),
    })
  const hook = (name: string, where: string) => world.effect(`hook ${name} ${where}`, () => undefined)
  const clerk = createAgent({
    id: 'clerk',
    description: 'Knows.',
    instructions: '',
    model: speaks('clerk', { 'lead/delegation:1.1/clerk~1/model#1': { text: 'Facts.' } }),
  })
  const desk = createAgent({
    id: 'desk',
    description: 'Asks around.',
    instructions: '',
    model: speaks('desk', { 'lead/delegation:1.1/desk/model#1': calls('transfer-to-clerk') }),
    handoffs: [clerk],
    onFinish: () => hook('onFinish', 'desk'),
  })
  const closer = createAgent({
    id: 'closer',
    description: 'Closes.',
    instructions: '',
    model: speaks('closer', {
      'closer~1/model#1': calls('pay'),
      'closer~1/model#2': calls('transfer-to-lead'),
    }),
    tools: { pay: tool('pay', true) },
    handoffs: [(): AgentDefinition => lead],
  })
  const lead = createSupervisor({
    id: 'lead',
    description: 'Leads.',
    instructions: '',
    model: speaks('lead', {
      'lead/model#1': calls('agent-desk'),
      'lead/model#2': calls('note', 'transfer-to-closer'),
      'lead~2/model#1': { text: 'All done.' },
    }),
    tools: { note: tool('note', false) },
    agents: { desk },
    handoffs: [closer],
    handoffFilter: async ({ messages }) => {
      await hook('handoffFilter', 'lead')
      return messages
    },
  })
  return lead
}

test('the chain, uncut', async () => {
  const whole = await uncut(company)
  expect(whole.result).toMatchObject({
    outcome: 'completed',
    text: 'All done.',
    by: 'lead',
    handoffs: [
      { from: 'lead', to: 'closer' },
      { from: 'closer', to: 'lead' },
    ],
    delegations: [{ agent: 'desk', outcome: 'succeeded', by: 'clerk', text: 'Facts.' }],
  })
})

describe.each(['vanishes', 'breaks', 'closes'] as const)('a process that %s', (ending) => {
  test('at every point of it', async () => {
    const whole = await uncut(company)
    expect(whole.points).toBeGreaterThan(30)
    for (let point = 1; point <= whole.points; point++) await expectCut(company, whole, [point], { ending })
  })
})

test('and again in the next processes', async () => {
  const whole = await uncut(company)
  for (let point = 2; point <= whole.points; point += 5)
    await expectCut(company, whole, [point, 1 + (point % 5), 3 + (point % 11)])
})
