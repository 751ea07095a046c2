import { describe, expect, test } from 'vitest'
import { createReflexion, createTool, createTroupe, type ReflexionConfig } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'
import { allEvents, calls, only, worker } from '../../support/agents/agents.ts'
import { transfer } from '../../support/agents/handoffs.ts'

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `all about ${q}`,
})
const content = (critique: string, satisfied = false): string => JSON.stringify({ satisfied, critique })

function thinker(
  steps: readonly ScriptedStep[],
  more: Pick<ReflexionConfig, 'maxCritiques' | 'maxSteps' | 'handoffs'> = {},
) {
  const model = scriptedModel(steps)
  const agent = createReflexion({
    id: 'thinker',
    description: 'Thinks twice.',
    instructions: 'Think.',
    model,
    tools: { look },
    ...more,
  })
  return { model, agent }
}

describe('reflexion', () => {
  test('it criticises its action and its answer, and hears of it in the next prompt', async () => {
    const { model, agent } = thinker([
      { toolCalls: [{ name: 'look', args: { q: 'tides' } }] },
      content('Look for the moon too.'),
      'Tides come twice.',
      content('Say why.'),
      'Tides come twice: the moon.',
      content('', true),
    ])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Tides?')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Tides come twice: the moon.' })
    model.assertConsumed()
    const prompts = model.calls.map(({ request }) => request.messages.at(-1)?.content ?? '')
    expect(prompts[1]).toContain('your last action and what came of it')
    expect(prompts[2]).toBe('Look for the moon too.')
    expect(prompts[3]).toContain('Criticise your answer')
    expect(prompts[4]).toBe('Say why.')
    expect(result.steps.length).toBe(3)
    expect(result.usage.totalTokens).toBe(6 * 15)

    const events = []
    for await (const event of run.events) events.push(event)
    const critiques = events.flatMap((event) => (event.type === 'critique' ? [event.payload] : []))
    expect(critiques).toEqual([
      { step: 1, satisfied: false, critique: 'Look for the moon too.' },
      { step: 2, satisfied: false, critique: 'Say why.' },
      { step: 3, satisfied: true, critique: '' },
    ])
    const said = events.flatMap((event) => (event.type === 'text-end' ? [event.payload.text] : []))
    expect(said).toEqual(['Tides come twice.', 'Tides come twice: the moon.'])
    expect((await troupe.replay(run.id)).events).toEqual(events)
  })

  test('at most so many critiques: then an answer stands as it is', async () => {
    const { model, agent } = thinker(['One.', content('More.'), 'Two.'], { maxCritiques: 1 })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Two.' })
    model.assertConsumed()
  })

  test('a critique lifts no cap', async () => {
    const { agent } = thinker(['One.', content('More.'), 'Last word.'], { maxSteps: 1 })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'Last word.',
    })
  })

  test('a critique that is none is asked for once more, then left out', async () => {
    const { model, agent } = thinker(['One.', 'I like it.', 'Really.'])
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'One.' })
    expect(model.calls[2]?.request.messages.at(-1)?.content).toContain('not a valid critique: it is not JSON')
    const errors = []
    for await (const event of run.events) if (event.type === 'error') errors.push(event.payload.error.code)
    expect(errors).toEqual(['INVALID_DECISION'])
  })

  test('its critiques are not streamed', async () => {
    const { agent } = thinker(['One.', content('', true)])
    let text = ''
    for await (const piece of agent.stream('Go').textStream) text += piece
    expect(text).toBe('One.')
  })

  test('a critique that is satisfied leaves no message', async () => {
    const { model, agent } = thinker([
      calls({ name: 'look', args: { q: 'tides' } }),
      content('Well done.', true),
      'Tides come twice.',
      content('', true),
    ])
    expect(await agent.generate('Tides?')).toMatchObject({ outcome: 'completed', text: 'Tides come twice.' })
    const [, , afterCritique] = model.calls
    expect(afterCritique?.request.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ])
  })
})

describe('a handoff of a reflexion agent', () => {
  const expert = () => worker('expert', ['The moon pulls.'])

  test('alone in its reply: it is not criticised', async () => {
    const { model, agent } = thinker([calls(transfer('expert'))], { handoffs: [expert().agent] })
    expect(await agent.generate('Tides?')).toMatchObject({
      outcome: 'completed',
      by: 'expert',
      text: 'The moon pulls.',
    })
    expect(model.calls).toHaveLength(1)
  })

  test('beside a call: the call comes first, and the step is not criticised', async () => {
    const { model, agent } = thinker([calls({ name: 'look', args: { q: 'tides' } }, transfer('expert'))], {
      handoffs: [expert().agent],
    })
    const run = agent.stream('Tides?')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      by: 'expert',
      text: 'The moon pulls.',
      handoffs: [{ from: 'thinker', to: 'expert' }],
    })
    expect(result.steps[0]?.toolResults.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'look succeeded',
      'transfer-to-expert handedOff',
    ])
    expect(model.calls).toHaveLength(1)
    expect(only(await allEvents(run), 'critique')).toEqual([])
  })

  test('at the cap of handoffs: the agent has the last word', async () => {
    const { agent } = worker('desk', [calls(transfer('thinker'))], {
      handoffs: [
        thinker([calls(transfer('expert')), 'I must end here.'], { handoffs: [expert().agent] }).agent,
      ],
      maxHandoffs: 1,
    })
    expect(await agent.generate('Tides?')).toMatchObject({
      outcome: 'exhausted',
      reason: 'handoffs',
      by: 'thinker',
      text: 'I must end here.',
    })
  })
})
