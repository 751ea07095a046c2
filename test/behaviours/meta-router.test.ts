import { describe, expect, test } from 'vitest'
import { createAgent, createMetaRouter, createTroupe, memoryStore, type Troupe } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'

function echo(id: string) {
  const model = scriptedModel([], { otherwise: () => `${id} did it.` })
  return {
    model,
    agent: createAgent({ id, description: `Is ${id}.`, instructions: `You are ${id}.`, model }),
  }
}

function desk(steps: readonly ScriptedStep[], more: Partial<Parameters<typeof createMetaRouter>[0]> = {}) {
  const model = scriptedModel(steps)
  const thinker = echo('thinker')
  const planner = echo('planner')
  const splitter = echo('splitter')
  const agents = { react: thinker.agent, 'plan-then-execute': planner.agent, supervisor: splitter.agent }
  const agent = createMetaRouter({ id: 'desk', instructions: 'Route.', model, agents, ...more })
  return { agent, model, thinker, planner, splitter }
}

const type = (taskType: string) => JSON.stringify({ taskType, rationale: `it is ${taskType}` })
const pattern = (name: string) => JSON.stringify({ pattern: name, rationale: `best by ${name}` })

async function selected(troupe: Troupe, made: ReturnType<typeof desk>, options: object = {}) {
  const run = await troupe.start(made.agent, 'Assess the risk of Company X.', options)
  const result = await run.result
  const events = []
  for await (const event of run.events) if (event.type === 'pattern-selected') events.push(event.payload)
  expect(events.length).toBe(1)
  expect((await troupe.replay(run.id)).result).toEqual(result)
  return { result, event: events[0], run }
}

describe('a meta-router', () => {
  test('chooses the type, then one of its patterns; candidates, choice, criterion and rationale are on record', async () => {
    const made = desk([type('risk-assessment'), pattern('supervisor')])
    const troupe = createTroupe({ agents: [made.agent] })
    const { result, event } = await selected(troupe, made, { signals: { scope: 'four dimensions' } })
    expect(result).toMatchObject({ outcome: 'completed', text: 'splitter did it.' })
    expect(result.decisions).toEqual([
      {
        subject: 'task-type',
        candidates: ['general', 'research', 'risk-assessment', 'summarisation'],
        choice: 'risk-assessment',
        criterion: 'model',
        rationale: 'it is risk-assessment',
      },
      {
        subject: 'pattern',
        candidates: ['supervisor', 'plan-then-execute', 'react'],
        choice: 'supervisor',
        criterion: 'model',
        rationale: 'best by supervisor',
      },
    ])
    expect(event).toEqual({
      taskType: 'risk-assessment',
      pattern: 'supervisor',
      signals: { scope: 'four dimensions' },
      decisions: result.decisions,
    })
    expect(made.model.calls[1]?.request.messages.at(-1)?.content).toContain('scope: four dimensions')
    const system = made.splitter.model.calls[0]?.request.messages[0]?.content
    expect(system).toBe(
      'You are splitter.\n\nAnalyse across financial, reputational, legal and operational dimensions using structured analytic techniques.',
    )
    expect(result.usage.totalTokens).toBe(3 * 15)
  })

  test('one type and one valid pattern: no model call', async () => {
    const made = desk([], {
      taskTypes: [{ name: 'only', description: 'All there is', valid_patterns: ['react'] }],
    })
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(result.text).toBe('thinker did it.')
    expect(made.model.calls).toEqual([])
    expect(result.decisions?.map(({ criterion }) => criterion)).toEqual(['only candidate', 'only candidate'])
  })

  test('an unknown type is repaired once, then it is general; a pattern that is not allowed falls back too', async () => {
    const made = desk([type('magic'), type('sorcery'), pattern('magic'), pattern('sorcery')])
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(made.model.calls[1]?.request.messages.at(-1)?.content).toContain('"magic" is none of "general"')
    expect(result.decisions).toMatchObject([
      { choice: 'general', criterion: 'fallback', fallback: expect.stringContaining('"sorcery" is none of') },
      { choice: 'react', criterion: 'fallback' },
    ])
    expect(result.text).toBe('thinker did it.')
  })

  test('the fallback is the first valid pattern where react is not valid', async () => {
    const made = desk([pattern('x'), pattern('y')], {
      taskTypes: [{ name: 'big', description: 'Big', valid_patterns: ['supervisor', 'plan-then-execute'] }],
    })
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(result.decisions?.at(-1)).toMatchObject({ choice: 'supervisor', criterion: 'fallback' })
  })

  test('a model that is down: the same fallbacks, recorded as such', async () => {
    const down = { error: new Error('the model is down') }
    const made = desk([down, down])
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(result.decisions).toMatchObject([
      { choice: 'general', fallback: 'the model is down' },
      { choice: 'react', fallback: 'the model is down' },
    ])
    expect(result.outcome).toBe('completed')
  })

  test('nothing configured: general and react', async () => {
    const made = desk([], { taskTypes: [], patterns: [] })
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(result.decisions).toMatchObject([
      { choice: 'general', fallback: 'no task type is configured' },
      { choice: 'react', criterion: 'only candidate' },
    ])
  })

  test('a request that names its pattern, or goes on with a conversation, is past the choice', async () => {
    const made = desk([])
    const troupe = createTroupe({ agents: [made.agent] })
    const named = await selected(troupe, made, { pattern: 'plan-then-execute' })
    expect(named.result.text).toBe('planner did it.')
    expect(named.result.decisions).toMatchObject([
      {
        subject: 'pattern',
        candidates: ['react', 'plan-then-execute', 'supervisor'],
        choice: 'plan-then-execute',
        criterion: 'named by the request',
      },
    ])
    const run = await troupe.start(made.agent, [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Go on' },
    ])
    expect(await run.result).toMatchObject({
      text: 'thinker did it.',
      decisions: [{ choice: 'react', criterion: 'goes on with a conversation' }],
    })
    await expect(troupe.start(made.agent, 'x', { pattern: 'magic' })).rejects.toThrow(
      'no agent stands for the pattern "magic". There are: react, plan-then-execute, supervisor.',
    )
  })

  test('types and patterns are configuration: what is set while the troupe runs is chosen from by the next run', async () => {
    const haiku = echo('poet')
    const made = desk([type('haiku'), type('research'), pattern('react')], {
      agents: { react: echo('thinker').agent, 'plan-then-execute': echo('planner').agent, poem: haiku.agent },
    })
    const troupe = createTroupe({ agents: [made.agent] })
    await troupe.config.load({
      'agent-pattern': { poem: { name: 'poem', description: 'A poem, line by line' } },
      'agent-task-type': {
        haiku: {
          name: 'haiku',
          description: 'A short poem',
          valid_patterns: ['poem'],
          termination_criteria: '17 syllables',
        },
      },
    })
    const { result, event } = await selected(troupe, made)
    expect(result.text).toBe('poet did it.')
    expect(result.decisions?.[0]?.candidates).toContain('haiku')
    expect(event).toMatchObject({ taskType: 'haiku', pattern: 'poem', terminationCriteria: '17 syllables' })
    await troupe.config.delete('agent-task-type', 'haiku')
    const again = await selected(troupe, made)
    expect(again.result.decisions?.[0]?.candidates).not.toContain('haiku')
  })

  test('items that are wrong are refused where they are set, and left out where a store holds them', async () => {
    const store = memoryStore()
    const made = desk([type('general'), pattern('react')])
    const troupe = createTroupe({ agents: [made.agent], store })
    await expect(
      troupe.config.set('agent-task-type', 'bad', { name: 'bad', description: 'x', valid_patterns: [] }),
    ).rejects.toThrow('config: agent-task-type "bad".valid_patterns')
    await expect(troupe.config.load([])).rejects.toThrow('expected { kind: { key: value } }')
    await store.config.set({ kind: 'agent-task-type', key: 'bad', value: { name: 1 } })
    const { result } = await selected(troupe, made)
    expect(result.decisions?.[0]?.candidates).toEqual([
      'general',
      'research',
      'risk-assessment',
      'summarisation',
    ])
  })

  test('the agent of the pattern is given the task once, as an input processor has left it', async () => {
    const made = desk([], {
      pattern: 'react',
      inputProcessors: [
        {
          id: 'mask',
          processInput: ({ messages }) =>
            messages.map((message) => ({ ...message, content: message.content.replace('SECRET', '***') })),
        },
      ],
    })
    await made.agent.generate([
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Look into SECRET.' },
    ])
    expect(made.thinker.model.calls[0]?.request.messages.map(({ content }) => content)).toEqual([
      'You are thinker.',
      'Hello.',
      'Hello!',
      'Look into ***.',
    ])
  })

  test.each<object>([
    { maxSteps: 3 },
    { onExhausted: 'stop' },
    { onStepFinish: () => undefined },
    { outputProcessors: [] },
  ])('it has no loop and no words of its own: %o is refused', async (option) => {
    const [name] = Object.keys(option)
    expect(() => desk([], option)).toThrow(`createMetaRouter("desk"): there is no option "${name}"`)
    const { agent } = desk([])
    await expect(createTroupe({ agents: [agent] }).start(agent, 'Go', option)).rejects.toThrow(
      `there is no option "${name}"`,
    )
  })

  test('the answer is a message of its own: streamed, and the final one', async () => {
    const { agent } = desk([], { pattern: 'react' })
    const run = agent.stream('Go')
    let text = ''
    for await (const piece of run.textStream) text += piece
    expect(text).toBe('thinker did it.')
    const events = []
    for await (const event of run.events) events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, messageId: 'desk:m1' })
    expect(events.flatMap((event) => (event.type === 'text-end' ? [event.messageId] : []))).toEqual([
      'desk/delegation:1.1/thinker:m1',
      'desk:m1',
    ])
  })

  test('the object of its answer comes along, unless a hook puts another text in its place', async () => {
    const priced = () =>
      createAgent({
        id: 'priced',
        description: 'Knows prices.',
        instructions: '',
        model: scriptedModel(['{"price":3}']),
        structuredOutput: { schema: z.object({ price: z.number() }) },
      })
    const made = desk([], { agents: { react: priced() }, pattern: 'react' })
    const { result } = await selected(createTroupe({ agents: [made.agent] }), made)
    expect(result.outcome === 'completed' && result.object).toEqual({ price: 3 })
    const changed = desk([], {
      agents: { react: priced() },
      pattern: 'react',
      delegation: { onDelegationComplete: () => ({ resultText: 'Ask later.' }) },
    })
    const other = await changed.agent.generate('How much?')
    expect(other).toMatchObject({ outcome: 'completed', text: 'Ask later.' })
    expect(other.outcome === 'completed' && other.object).toBeUndefined()
  })

  test('what the agent of the pattern ends with is what it ends with', async () => {
    const failing = createAgent({
      id: 'failing',
      description: 'Fails.',
      instructions: '',
      model: scriptedModel([{ error: new Error('no luck') }]),
    })
    const made = desk([], { agents: { react: failing }, pattern: 'react' })
    expect(await made.agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { message: 'no luck' },
    })
  })

  test('cut after any entry and resumed elsewhere, it chooses alike', async () => {
    const store = memoryStore()
    const whole = desk([type('risk-assessment'), pattern('supervisor')])
    const first = createTroupe({ agents: [whole.agent], store })
    const run = await first.start(whole.agent, 'Assess.')
    const expected = await run.result
    const journal = await first.journal(run.id)
    for (let at = 1; at < journal.length; at++) {
      const decided = journal
        .slice(0, at)
        .filter((entry) => 'key' in entry && entry.key.includes('decision:')).length
      const rest = desk([type('risk-assessment'), pattern('supervisor')].slice(decided))
      const fork = await createTroupe({ agents: [rest.agent], store }).fork(run.id, { at })
      expect(await fork.result).toMatchObject({ text: expected.text, decisions: expected.decisions })
    }
  })
})
