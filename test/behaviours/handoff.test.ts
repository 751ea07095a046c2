/** A handoff: an agent ends as `handedOff`, and another goes on with its conversation in its place. */
import { createAgent, createTool, createTroupe, memoryStore, type AgentDefinition } from 'troupe'
import { scriptedModel, type ScriptedToolCall } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, worker } from '../support/agents.ts'

/** A call that hands the conversation to the agent of this key. */
function transfer(key: string, args: Record<string, string> = {}): ScriptedToolCall {
  return { name: `transfer-to-${key}`, args }
}

describe('a handoff at the root', () => {
  test('the run goes on with the target, and its answer is the answer', async () => {
    const billing = worker('billing', ['It was refunded.'])
    const { agent, model } = worker(
      'triage',
      [
        {
          text: 'Let me pass you on.',
          ...calls(transfer('billing', { reason: 'money', prompt: 'Be kind.' })),
        },
      ],
      { handoffs: [billing.agent] },
    )
    const run = agent.stream('Refund me')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'It was refunded.',
      by: 'billing',
      handoffs: [{ from: 'triage', to: 'billing', reason: 'money' }],
    })
    expect(billing.model.calls[0]?.request.messages).toEqual([
      { role: 'system', content: 'I am billing.' },
      { role: 'user', content: 'Refund me' },
      { role: 'assistant', content: 'Let me pass you on.' },
      {
        role: 'user',
        content:
          'The agent "triage" has handed this conversation to you: go on with it in its place.\nIts reason: money\nBe kind.',
        internal: 'notice',
      },
    ])
    expect(model.calls).toHaveLength(1)
    const events = await allEvents(run)
    console.log(events.map((e) => [e.type, e.agent, e.path, e.messageId].join(' ')).join('\n'))
    console.log(JSON.stringify(result, null, 1))
  })
  test('cycle', async () => {
    const models = [
      scriptedModel([], { otherwise: { toolCalls: [transfer('b')] } }),
      scriptedModel([], { otherwise: { toolCalls: [transfer('a')] } }),
    ]
    const a = createAgent({
      id: 'a',
      description: 'A',
      instructions: 'A',
      model: models[0]!,
      handoffs: (): AgentDefinition[] => [b],
    })
    const b = createAgent({ id: 'b', description: 'B', instructions: 'B', model: models[1]!, handoffs: [a] })
    const run = a.stream('go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'handoffs', by: 'b' })
    console.log(JSON.stringify(result))
  })
  test('delegation', async () => {
    const c = worker('c', ['C says'])
    const b = worker('b', [calls(transfer('c'))], { handoffs: [c.agent] })
    const { agent } = lead('lead', [calls(to('b', 'do')), 'done'], { agents: { b: b.agent } })
    const run = agent.stream('go')
    const result = await run.result
    console.log(JSON.stringify(result))
    console.log(
      (await allEvents(run)).map((e) => [e.type, e.agent, e.path, e.messageId].join(' ')).join('\n'),
    )
  })
})
