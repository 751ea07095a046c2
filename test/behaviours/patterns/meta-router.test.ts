/** BEHAVIOUR 31: the type of a task and its pattern are chosen from configuration, and another does it all. */
import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createMetaRouter,
  createTroupe,
  memoryStore,
  type PatternItem,
  type Troupe,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'

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
      'You are splitter.\n\nAnalyse across financial, reputational, legal and operational dimensions using structured analytic techniques.\n\nAbout the request: scope: four dimensions.',
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

  test('a request that names its type has its framing; the pattern is still chosen', async () => {
    const made = desk([pattern('supervisor')])
    const troupe = createTroupe({ agents: [made.agent] })
    const named = { taskType: 'risk-assessment', framing: 'Be brief.', signals: { urgency: 'high' } }
    const { result, event } = await selected(troupe, made, named)
    expect(result.decisions).toMatchObject([
      {
        subject: 'task-type',
        candidates: ['general', 'research', 'risk-assessment', 'summarisation'],
        choice: 'risk-assessment',
        criterion: 'named by the request',
      },
      { subject: 'pattern', choice: 'supervisor', criterion: 'model' },
    ])
    expect(event?.taskType).toBe('risk-assessment')
    const system = made.splitter.model.calls[0]?.request.messages[0]?.content
    expect(system).toMatch(
      /^You are splitter\.\n\nAnalyse across .* techniques\.\n\nBe brief\.\n\nAbout the request: urgency: high\.$/,
    )
  })

  test('a request that names type and pattern leaves no choice, also of a type that was configured meanwhile', async () => {
    const made = desk([])
    const troupe = createTroupe({ agents: [made.agent] })
    const haiku = {
      name: 'haiku',
      description: 'A poem',
      framing_prompt: 'In verse.',
      valid_patterns: ['react'],
    }
    await troupe.config.set('agent-task-type', 'haiku', haiku)
    const named = { taskType: 'haiku', pattern: 'plan-then-execute' }
    const { result } = await selected(troupe, made, named)
    expect(result.text).toBe('planner did it.')
    expect(result.decisions?.map(({ choice, criterion }) => [choice, criterion])).toEqual([
      ['haiku', 'named by the request'],
      ['plan-then-execute', 'named by the request'],
    ])
    expect(made.planner.model.calls[0]?.request.messages[0]?.content).toBe('You are planner.\n\nIn verse.')
  })

  test('a request that names a type that is not configured fails, and says which there are', async () => {
    const made = desk([])
    const run = await createTroupe({ agents: [made.agent] }).start(made.agent, 'Go', { taskType: 'reserch' })
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'UNKNOWN_TASK_TYPE', message: expect.stringContaining('"research"') },
    })
    expect(only(await allEvents(run), 'error')).toMatchObject([
      { payload: { error: { code: 'UNKNOWN_TASK_TYPE' } } },
    ])
  })

  test('the settings of a pattern take the place of the caps of its agent', async () => {
    const looking = worker('looking', [], { otherwise: calls({ name: 'nothing' }), maxSteps: 9 })
    const made = desk([], {
      agents: { react: looking.agent },
      pattern: 'react',
      taskType: 'general',
      patterns: [{ name: 'react', description: 'Acts.', settings: { maxSteps: 2 } }],
    })
    const troupe = createTroupe({ agents: [made.agent] })
    expect((await selected(troupe, made)).result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps' })
    expect(looking.model.calls).toHaveLength(3) // the final turn is the last
    const item = { name: 'react', description: 'Acts.', settings: { maxSteps: 4 } }
    await troupe.config.set('agent-pattern', 'react', item)
    await selected(troupe, made)
    expect(looking.model.calls).toHaveLength(3 + 5)
  })

  test.for([
    [{ settings: { maxStep: 2 } }, 'patterns[0].settings: there is no option "maxStep"'],
    [{ settings: { maxSteps: 0 } }, 'patterns[0].settings.maxSteps'],
    [{ settings: { maxGoals: 2 } }, 'patterns[0].settings.maxGoals: the agent "thinker" has no such option'],
  ] as const)('settings that are wrong are refused: %o', ([more, problem]) => {
    const patterns: PatternItem[] = [{ name: 'react', description: 'Acts.', ...(more as object) }]
    expect(() => desk([], { patterns })).toThrow(problem)
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

  test('a type that names an unknown pattern is told of the known ones, each once', async () => {
    const made = desk([type('odd')])
    const store = memoryStore()
    const troupe = createTroupe({ agents: [made.agent], store })
    const odd = { name: 'odd', description: 'Odd.', valid_patterns: ['reakt', 'supervisor'] }
    await store.config.set({ kind: 'agent-task-type', key: 'odd', value: odd }) // by a process with other agents
    const { result } = await selected(troupe, made)
    expect(result.decisions?.[0]?.ignored).toEqual([
      'agent-task-type "odd": there is no pattern "reakt"; did you mean "react"? Known: react, plan-then-execute, supervisor.',
    ])
  })

  test('the agent of the pattern is given the task once, as an input processor has left it', async () => {
    const made = desk([], {
      pattern: 'react',
      inputProcessors: [
        {
          id: 'mask',
          processInput: ({ messages }) =>
            messages.map((message) => ({
              ...message,
              content: textOf(message.content).replace('SECRET', '***'),
            })),
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

describe('what those who do the task are given', () => {
  const risk = { name: 'risk', description: 'Risk', framing_prompt: 'FRAMING', valid_patterns: ['react'] }
  const risks = [risk]

  test('framing, criteria of termination and signals reach every descendant, those of a meta-router above too', async () => {
    const scout = worker('scout', ['Found.'])
    const team = lead('team', [calls(to('scout', 'Look.')), 'Led.'], { agents: { scout: scout.agent } })
    const inner = desk([], {
      id: 'inner',
      description: 'Routes again.',
      agents: { react: team.agent },
      taskTypes: [{ ...risk, framing_prompt: 'INNER', termination_criteria: 'two sources agree' }],
    })
    const outer = desk([], { agents: { react: inner.agent }, taskTypes: risks, signals: { urgency: 'high' } })
    expect(await outer.agent.generate('Assess.')).toMatchObject({ outcome: 'completed', text: 'Led.' })
    const told =
      'FRAMING\n\nAbout the request: urgency: high.\n\nINNER\n\nThe task is done when this holds: two sources agree'
    expect(shown(team.model, 1)[0]?.content).toBe(`I am team.\n\n${told}`)
    expect(shown(scout.model, 1)[0]?.content).toBe(`I am scout.\n\n${told}`)
  })

  test('the task, once, as input processors have left it, after the conversation before it', async () => {
    const made = desk([], {
      taskTypes: risks,
      inputProcessors: [
        {
          id: 'mask',
          processInput: ({ messages }) =>
            messages.map((message) => ({
              ...message,
              content: textOf(message.content).replace('SECRET', '***'),
            })),
        },
      ],
    })
    await made.agent.generate('My SECRET.')
    await made.agent.generate([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Go on, SECRET.' },
    ])
    const conversations = made.thinker.model.calls.map(({ request }) =>
      request.messages.flatMap(({ role, content }) => (role === 'system' ? [] : [content])),
    )
    expect(conversations).toEqual([['My ***.'], ['Hello', 'Hi', 'Go on, ***.']])
  })
})

describe('what comes back', () => {
  const one = [{ name: 'one', description: 'One', valid_patterns: ['react'] }]

  test('text and object of the agent, unless a hook has put another text in their place', async () => {
    const counting = () =>
      worker('counter', ['{"count":7}'], { structuredOutput: { schema: z.object({ count: z.number() }) } })
    const plain = desk([], { agents: { react: counting().agent }, taskTypes: one })
    const result = await plain.agent.generate('Count.')
    expect(result).toMatchObject({ outcome: 'completed', object: { count: 7 } })
    const reworded = desk([], {
      agents: { react: counting().agent },
      taskTypes: one,
      delegation: { onDelegationComplete: () => ({ resultText: 'Seven.' }) },
    })
    const other = await reworded.agent.generate('Count.')
    expect(other).toMatchObject({ outcome: 'completed', text: 'Seven.' })
    expect(other.outcome === 'completed' && other.object).toBeUndefined()
  })

  test('it is a message of its own, and streams', async () => {
    const made = desk([], { taskTypes: one })
    const run = made.agent.stream('Go')
    let text = ''
    for await (const piece of run.textStream) text += piece
    expect(text).toBe('thinker did it.')
    const events = await allEvents(run)
    const own = only(events, 'text-end').filter(({ path }) => path === 'desk')
    expect(own.map(({ payload }) => payload.text)).toEqual(['thinker did it.'])
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, messageId: own[0]?.messageId })
  })

  test('a bail, a rejection, a cap', async () => {
    const bails = desk([], {
      taskTypes: one,
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    expect(await bails.agent.generate('Go')).toMatchObject({
      outcome: 'bailed',
      by: 'thinker',
      text: 'thinker did it.',
    })
    const rejects = desk([], {
      taskTypes: one,
      delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'Closed.' }) },
    })
    expect(await rejects.agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'DELEGATION_REJECTED', message: 'Delegation rejected: Closed.' },
    })
    const inner = desk([], { id: 'inner', description: 'Routes again.', taskTypes: one })
    const deep = desk([], { agents: { react: inner.agent }, taskTypes: one, maxDepth: 1 })
    expect(await deep.agent.generate('Go')).toMatchObject({ outcome: 'exhausted', reason: 'depth' })
    expect(inner.thinker.model.calls).toEqual([])
  })
})

describe('configuration', () => {
  test('the initial set is that of the specification', async () => {
    const made = desk([type('general'), pattern('supervisor')])
    const run = await createTroupe({ agents: [made.agent] }).start(made.agent, 'Go')
    await run.result
    const [types, patterns] = made.model.calls.map(({ request }) => request.messages.at(-1)?.content ?? '')
    expect(textOf(types ?? '').match(/^- .*$/gm)).toEqual([
      '- general: No specific domain. Whatever no other type fits',
      '- research: Open-ended investigation. Questions that need to be looked into',
      '- risk-assessment: Due Diligence / Risk Assessment. Multi-dimensional analysis requiring structured assessment',
      '- summarisation: Condense information. A text, or several, to be made shorter',
    ])
    expect(textOf(patterns ?? '').match(/^- [a-z-]+/gm)).toEqual([
      '- react',
      '- plan-then-execute',
      '- supervisor',
    ])
    // Of the trace it is the first: nobody works before it.
    const events = await allEvents(run)
    const order = events.map(({ type: name }) => name)
    expect(order.indexOf('pattern-selected')).toBeLessThan(order.indexOf('delegation-start'))
    expect(only(events, 'routing-decision', 'plan-created', 'fan-out')).toEqual([])
  })

  const valid: readonly (readonly [type: string, patterns: readonly string[]])[] = [
    ['general', ['react', 'plan-then-execute', 'supervisor']],
    ['research', ['react', 'plan-then-execute']],
    ['risk-assessment', ['supervisor', 'plan-then-execute', 'react']],
    ['summarisation', ['react']],
  ]
  test.each(valid)('the patterns of %s are %j', async (name, patterns) => {
    const made = desk([type(name), pattern('react')])
    const result = await made.agent.generate('Go')
    expect(result.decisions?.[1]).toMatchObject({ candidates: patterns, choice: 'react' })
    expect(made.model.calls).toHaveLength(patterns.length === 1 ? 1 : 2)
  })

  test('a pattern that a user registers is valid for general, where everything is', async () => {
    const poet = echo('poet')
    const made = desk([type('general'), pattern('poem')], {
      agents: { react: echo('thinker').agent, poem: poet.agent, unregistered: echo('nobody').agent },
    })
    const troupe = createTroupe({ agents: [made.agent] })
    await troupe.config.set('agent-pattern', 'poem', { name: 'poem', description: 'Line by line' })
    const { result } = await selected(troupe, made)
    expect(result).toMatchObject({ text: 'poet did it.' })
    expect(result.decisions?.[1]?.candidates).toEqual(['react', 'poem'])
  })

  test.each(['structuredOutput', 'outputProcessors', 'stopWhen', 'maxSteps', 'onExhausted', 'onStepFinish'])(
    '%s would mean nothing, and is refused',
    (name) => {
      expect(() => desk([], { [name]: undefined })).toThrow(
        `createMetaRouter("desk"): there is no option "${name}"`,
      )
    },
  )
})
