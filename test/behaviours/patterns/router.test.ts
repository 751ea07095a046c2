/** Behaviour 30: what a router may choose, what becomes of a wrong choice, and how its run ends. */
import {
  ConfigurationError,
  createAgent,
  createRouter,
  createScorer,
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  RetryableError,
  type AnyAgent,
  type IterationContext,
  type RouterConfig,
  type StepFinishContext,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import {
  allEvents,
  calls,
  everythingShown,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { done, router, toAgent, toTool, toWorkflow } from '../../support/agents/routing.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks a city up.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 4 }),
})

const shout = createWorkflow({
  id: 'shout',
  description: 'Says it loudly.',
  inputSchema: z.object({ text: z.string() }),
  logic: fromPromise(async ({ input }: { input: { text: string } }) => input.text.toUpperCase()),
})

/** Two agents, so that there is a choice. */
function team() {
  const finder = worker('finder', ['The facts.'])
  const writer = worker('writer', ['The article.'])
  return { finder, writer, agents: { finder: finder.agent, writer: writer.agent } }
}

describe('a run', () => {
  test('one decision after the other, each with its reason, until the router says that the task is done', async () => {
    const { finder, writer, agents } = team()
    const { agent, model } = router(
      'desk',
      [
        toAgent('finder', 'Find facts.'),
        toAgent('writer', 'Write: the facts.'),
        done('Here it is.', 'Written.'),
      ],
      { agents },
    )
    const run = agent.stream('An article, please.')
    const result = await run.result
    const events = await allEvents(run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Here it is.' })
    expect(shown(finder.model, 1).at(-1)?.content).toBe('Find facts.')
    expect(shown(writer.model, 1).at(-1)?.content).toBe('Write: the facts.')
    const candidates = [
      { primitiveId: 'finder', primitiveType: 'agent' },
      { primitiveId: 'writer', primitiveType: 'agent' },
      { primitiveId: 'none', primitiveType: 'none' },
    ]
    expect(only(events, 'routing-decision').map(({ agent: who, payload }) => ({ who, ...payload }))).toEqual([
      {
        who: 'desk',
        iteration: 1,
        candidates,
        primitiveId: 'finder',
        primitiveType: 'agent',
        prompt: 'Find facts.',
        selectionReason: 'finder fits.',
        criterion: 'model',
      },
      {
        who: 'desk',
        iteration: 2,
        candidates,
        primitiveId: 'writer',
        primitiveType: 'agent',
        prompt: 'Write: the facts.',
        selectionReason: 'writer fits.',
        criterion: 'model',
      },
      {
        who: 'desk',
        iteration: 3,
        candidates,
        primitiveId: 'none',
        primitiveType: 'none',
        prompt: 'Here it is.',
        selectionReason: 'Written.',
        criterion: 'model',
      },
    ])
    expect(result.delegations.map(({ id, agent: who, outcome, text }) => [id, who, outcome, text])).toEqual([
      ['desk/delegation:1.1', 'finder', 'succeeded', 'The facts.'],
      ['desk/delegation:2.1', 'writer', 'succeeded', 'The article.'],
    ])
    expect(
      result.steps.map(({ step, text, toolCalls }) => [step, text, toolCalls.map(({ name }) => name)]),
    ).toEqual([
      [1, 'The facts.', ['agent-finder']],
      [2, 'The article.', ['agent-writer']],
      [3, 'Here it is.', []],
    ])
    expect(result.usage).toMatchObject({
      totalTokens: 75,
      byAgent: { desk: { totalTokens: 45 }, finder: { totalTokens: 15 }, writer: { totalTokens: 15 } },
    })
    model.assertConsumed()
  })

  test('the model is asked for JSON of what is on offer, told what that is, and offered no tools', async () => {
    const { agents } = team()
    const { agent, model } = router('desk', [done('Hello.')], {
      agents,
      tools: { lookup },
      workflows: { shout },
    })
    await agent.generate('Hello')
    const { request } = model.calls[0] ?? {}
    expect(request?.tools).toEqual([])
    expect(request?.toolChoice).toBe('none')
    expect(request?.responseFormat?.schema).toMatchObject({
      required: ['primitiveId', 'primitiveType', 'prompt', 'selectionReason'],
      additionalProperties: false,
      properties: {
        primitiveId: { enum: ['finder', 'writer', 'lookup', 'shout', 'none'] },
        primitiveType: { enum: ['agent', 'tool', 'workflow', 'none'] },
      },
    })
    const messages = shown(model, 1)
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
    expect(messages[2]).toMatchObject({ internal: 'notice' })
    const notice = messages[2]?.content ?? ''
    expect(notice).toContain('Iteration 1 of at most 10.')
    expect(notice).toContain('- agent "finder": Does finder work.')
    expect(notice).toContain('- workflow "shout": Says it loudly. Its input fits {')
    expect(notice).toContain('- tool "lookup": Looks a city up. Its input fits {')
  })

  test('workflows and tools run with the input that the decision gives, and the router hears of what they gave', async () => {
    const { agents } = team()
    const { agent, model } = router(
      'desk',
      [toTool('lookup', { city: 'Oslo' }), toWorkflow('shout', { text: 'cold' }), done('COLD: 4.')],
      { agents, tools: { lookup }, workflows: { shout } },
    )
    const result = await agent.generate('How cold?')
    expect(result).toMatchObject({ outcome: 'completed', text: 'COLD: 4.' })
    expect(toldOfCalls(model, 3)).toEqual(['{"city":"Oslo","degrees":4}', 'COLD'])
    expect(result.steps.map(({ text }) => text)).toEqual(['{"city":"Oslo","degrees":4}', 'COLD', 'COLD: 4.'])
  })

  test('the kind of each primitive is in the event of its decision', async () => {
    const { agents } = team()
    const { agent } = router(
      'desk',
      [
        toTool('lookup', { city: 'Oslo' }),
        toWorkflow('shout', { text: 'cold' }),
        toAgent('finder', 'Find.'),
        done('Done.'),
      ],
      { agents, tools: { lookup }, workflows: { shout } },
    )
    const decisions = (await allEvents(agent.stream('Go'))).filter(({ type }) => type === 'routing-decision')
    expect(decisions.map(({ payload }) => payload)).toMatchObject([
      { primitiveType: 'tool' },
      { primitiveType: 'workflow' },
      { primitiveType: 'agent' },
      { primitiveType: 'none' },
    ])
  })

  test('the last result may stand as the answer, so that a model need not repeat it', async () => {
    const { agents } = team()
    const { agent, model } = router('desk', [toAgent('writer', 'Write.'), done('')], { agents })
    const run = agent.stream('An article, please.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'The article.' })
    expect(shown(model, 2).at(-1)?.content).toContain('leave it empty where the last result is the answer')
    expect((await allEvents(run)).filter(({ final }) => final)).toHaveLength(1)
  })

  test('a sentence that stands in for an answer is no result: it cannot be left to stand as the answer', async () => {
    const silent = worker('silent', [''], { maxSteps: 1, onExhausted: 'stop' })
    const { agent, model } = router('desk', [toAgent('silent', 'Speak.'), done(''), done('Nobody spoke.')], {
      agents: { silent: silent.agent, writer: worker('writer', []).agent },
    })
    const result = await agent.generate('Say it')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Nobody spoke.' })
    expect(result.delegations).toMatchObject([{ agent: 'silent', outcome: 'exhausted' }])
    expect(result.steps.map(({ text }) => text)).toEqual(['', 'Nobody spoke.'])
    expect(shown(model, 3).at(-1)?.content).toContain('prompt must hold the answer')
  })

  test('a task that needs nobody is answered at once', async () => {
    const { agents } = team()
    const { agent } = router('desk', [done('Hello!', 'A greeting.')], { agents })
    const result = await agent.generate('Hello')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Hello!', delegations: [] })
  })

  test('decisions are not words of the agent: what is streamed is the answer alone', async () => {
    const { agents } = team()
    const { agent } = router('desk', [toAgent('finder', 'Find.'), done('Here it is.')], { agents })
    const run = agent.stream('Go')
    let text = ''
    for await (const part of run.textStream) text += part
    expect(text).toBe('Here it is.')
    const events = await allEvents(run)
    const own = only(events, 'text-end').filter(({ path }) => path === 'desk')
    expect(own.map(({ payload }) => payload.text)).toEqual(['Here it is.'])
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'run-finish', final: true, messageId: own[0]?.messageId })
  })

  test('onStepFinish sees each decision as the call that it comes to, and what it throws changes nothing', async () => {
    const { agents } = team()
    const seen: StepFinishContext[] = []
    const { agent } = router('desk', [toAgent('finder', 'Find.'), done('Done.')], {
      agents,
      onStepFinish(step) {
        seen.push(step)
        throw new Error('no')
      },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(seen.map(({ step, text, toolCalls }) => ({ step, text, toolCalls }))).toMatchObject([
      { step: 1, text: '', toolCalls: [{ name: 'agent-finder', args: { prompt: 'Find.' } }] },
      { step: 2, text: 'Done.', toolCalls: [] },
    ])
  })

  test('it may stand below a supervisor, which can lower its cap', async () => {
    const { agents } = team()
    const desk = router(
      'desk',
      [toAgent('finder', 'A'), toAgent('writer', 'B'), toAgent('finder', 'C'), 'Cut.'],
      {
        agents: { ...agents, finder: worker('finder', ['Facts.', 'More facts.']).agent },
      },
    )
    const boss = lead('boss', [calls(to('desk', 'Go', { maxSteps: 3 })), 'Thanks.'], {
      agents: { desk: desk.agent },
    })
    const result = await boss.agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Thanks.' })
    expect(result.delegations).toMatchObject([{ agent: 'desk', outcome: 'exhausted', text: 'Cut.' }])
    desk.model.assertConsumed()
  })

  test('parts may be functions of the run, and are chosen from all the same', async () => {
    const { finder, agents } = team()
    const { agent } = router(
      'desk',
      [toTool('lookup', { city: 'Oslo' }), toAgent('finder', 'Find.'), done('Done.')],
      { agents: () => agents, tools: async () => ({ lookup }), workflows: () => ({ shout }) },
    )
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(finder.model.calls).toHaveLength(1)
    const [first] = only(await allEvents(run), 'routing-decision')
    expect(first?.payload.candidates).toContainEqual({ primitiveId: 'shout', primitiveType: 'workflow' })
  })
})

describe('30: the decision is checked before anything runs', () => {
  const wrong: readonly (readonly [name: string, reply: string, problem: string])[] = [
    ['no JSON', 'I take the finder.', 'it is not JSON'],
    ['a list', '[]', 'expected object'],
    ['no reason', '{"primitiveId":"finder","primitiveType":"agent","prompt":"Go"}', 'selectionReason'],
    ['a prompt that is no text', JSON.stringify({ ...JSON.parse(done('x')), prompt: 1 }), 'prompt'],
    [
      'an agent that does not exist',
      toAgent('ghost', 'Boo.'),
      'agent "ghost" is not on offer. On offer: agent "finder", agent "writer", tool "lookup", none "none"',
    ],
    ['another kind', toTool('finder', {}), 'tool "finder" is not on offer'],
    ['a name of the prototype', toAgent('__proto__', 'Boo.'), 'agent "__proto__" is not on offer'],
    ['an agent without a task', toAgent('finder', ''), 'Invalid arguments for "agent-finder"'],
    ['input that is no JSON', toTool('lookup', {}).replace('{}', 'Oslo'), 'JSON text of an object'],
    ['input that is no object', toTool('lookup', [1]), 'JSON text of an object'],
    ['input that does not fit', toTool('lookup', { town: 'Oslo' }), 'Invalid arguments for "lookup"'],
    ['no answer', done(' '), 'prompt must hold the answer'],
  ]

  test.each(wrong)('%s: one repair, with the problem in the prompt', async (_name, reply, problem) => {
    const { finder, agents } = team()
    const { agent, model } = router('desk', [reply, toAgent('finder', 'Find.'), done('Done.')], {
      agents,
      tools: { lookup },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    const repair = shown(model, 2)
    expect(repair.at(-2)).toEqual({ role: 'assistant', content: reply })
    expect(repair.at(-1)?.content).toContain('Your answer is not a valid routing decision:')
    expect(repair.at(-1)?.content).toContain(problem)
    expect(finder.model.calls).toHaveLength(1)
    expect(JSON.stringify(shown(model, 3))).not.toContain('not a valid routing decision')
  })

  test.each(wrong)('%s, twice: the run has failed, typed, and nothing ran', async (_name, reply, problem) => {
    const { finder, writer, agents } = team()
    const { agent, model } = router('desk', [reply, reply], { agents, tools: { lookup } })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'failed', text: '', error: { code: 'INVALID_DECISION' } })
    expect(result.outcome === 'failed' ? result.error.message : '').toContain(problem)
    expect(result.usage.totalTokens).toBe(30)
    expect([model.calls.length, finder.model.calls.length, writer.model.calls.length]).toEqual([2, 0, 0])
    const events = await allEvents(run)
    expect(only(events, 'error').map(({ payload }) => payload.error.code)).toEqual(['INVALID_DECISION'])
    expect(only(events, 'routing-decision', 'tool-call')).toEqual([])
  })

  test('a block of code is JSON too, and a blank input is an empty one', async () => {
    const now = createTool({
      id: 'now',
      description: 'Tells the time.',
      inputSchema: z.object({}),
      execute: () => 'noon',
    })
    const blank = toTool('now', {}).replace('{}', '')
    const { agent } = router('desk', [`\`\`\`json\n${blank}\n\`\`\``, done('Noon.')], { tools: { now } })
    const result = await agent.generate('What time is it?')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Noon.' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ name: 'now', outcome: 'succeeded', value: 'noon' }])
  })

  test('a schema that answers later is asked before the tool runs, and the router hears of it', async () => {
    const ran: unknown[] = []
    const later = createTool({
      id: 'later',
      description: 'Waits.',
      inputSchema: z.object({ q: z.string() }).refine(async ({ q }) => q === 'yes', 'it must be yes'),
      execute: (input) => {
        ran.push(input)
        return 'done'
      },
    })
    const { agent, model } = router(
      'desk',
      [toTool('later', { q: 'no' }), toTool('later', { q: 'yes' }), done('Done.')],
      { tools: { later } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual([{ q: 'yes' }])
    expect(toldOfCalls(model, 2)[0]).toContain('it must be yes')
  })

  test('the reason stands in the journal', async () => {
    const { agents } = team()
    const { agent } = router('desk', [toAgent('finder', 'Find.', 'Facts are missing.'), done('Done.')], {
      agents,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await run.result
    const entry = (await troupe.journal(run.id)).find(
      (one) => one.type === 'effect.settled' && one.kind === 'model',
    )
    expect(JSON.stringify(entry)).toContain('Facts are missing.')
  })

  test('a model that is busy is asked again; one that is down fails the run', async () => {
    const { agents } = team()
    const clock = virtualClock()
    const busy = router('desk', [{ error: new RetryableError('busy') }, done('Done.')], { agents })
    const run = await createTroupe({ agents: [busy.agent], clock }).start(busy.agent, 'Go')
    await clock.armed(1)
    clock.advance(60_000)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })

    const down = router('desk', [{ error: new Error('down') }], { agents })
    expect(await down.agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { message: 'down' } })
  })

  test('one agent alone: no model call, and the agent is shown the task once', async () => {
    const finder = worker('finder', ['The facts.'])
    const { agent, model } = router('desk', [done('')], { agents: { finder: finder.agent } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Which facts?', { threadId: 't', resourceId: 'u' })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'The facts.' })
    const decisions = only(await allEvents(run), 'routing-decision').map(({ payload }) => payload)
    expect(decisions[0]).toEqual({
      iteration: 1,
      candidates: [{ primitiveId: 'finder', primitiveType: 'agent' }],
      primitiveId: 'finder',
      primitiveType: 'agent',
      prompt: 'Which facts?',
      selectionReason: 'It is the only one on offer.',
      criterion: 'onlyCandidate',
    })
    expect(decisions[1]).toMatchObject({ criterion: 'model', primitiveType: 'none' })
    expect(model.calls).toHaveLength(1)
    expect(shown(finder.model, 1)).toEqual([
      { role: 'system', content: 'I am finder.' },
      { role: 'user', content: 'Which facts?' },
    ])
  })
})

describe('maxIterations', () => {
  const endless = (n: number) => Array.from({ length: n }, (_, i) => toAgent('finder', `Go ${i + 1}`))
  const many = (n: number) =>
    worker(
      'finder',
      Array.from({ length: n }, (_, i) => `Facts ${i + 1}.`),
    )

  test.each([1, 2, 3])('%i: exactly so many primitives, and then one last word', async (n) => {
    const finder = many(n)
    const { agent, model } = router('desk', [...endless(n), 'All that I have.'], {
      agents: { ...team().agents, finder: finder.agent },
      maxIterations: n,
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxIterations', text: 'All that I have.' })
    expect(finder.model.calls).toHaveLength(n)
    expect(result.steps).toHaveLength(n)
    model.assertConsumed()
    expect(shown(model, n + 1).at(-1)?.content).toContain('This is your last turn')
  })

  test('by default it is 10, and a smaller maxSteps holds', async () => {
    const finder = many(10)
    const agents = { ...team().agents, finder: finder.agent }
    const ten = router('desk', [...endless(10), 'Stop.'], { agents })
    expect(await ten.agent.generate('Go')).toMatchObject({ outcome: 'exhausted', reason: 'maxIterations' })
    expect(finder.model.calls).toHaveLength(10)
    const two = router('desk', [...endless(2), 'Stop.'], {
      agents: { ...agents, finder: many(2).agent },
    })
    const result = await two.agent.generate('Go', { maxSteps: 2, maxIterations: 7 })
    expect(result.steps).toHaveLength(2)
  })

  test('without a final turn, what the last primitive gave is the text', async () => {
    const { agent } = router('desk', endless(1), {
      agents: { ...team().agents, finder: many(1).agent },
      maxIterations: 1,
      onExhausted: 'stop',
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', text: 'Facts 1.' })
    let text = ''
    for await (const part of run.textStream) text += part
    expect(text).toBe('Facts 1.')
  })

  test('the same decision again and again is a loop, where that is capped', async () => {
    const { agent } = router('desk', [toAgent('finder', 'Go'), toAgent('finder', 'Go'), 'Stop.'], {
      agents: { ...team().agents, finder: many(3).agent },
      maxRepeatedCalls: 2,
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'loop', text: 'Stop.' })
    expect(result.delegations).toHaveLength(2)
  })

  test('a budget that is used up stops the routing, and the last word is had', async () => {
    const { agent } = router('desk', [toAgent('finder', 'Go'), 'That was all.'], {
      agents: { ...team().agents, finder: many(1).agent },
      budget: { modelCalls: 2 },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'That was all.' })
  })

  test('stopWhen is asked after each primitive, with what it gave', async () => {
    const texts: string[] = []
    const { agent } = router('desk', [toAgent('finder', 'Go')], {
      agents: { ...team().agents, finder: many(1).agent },
      stopWhen: ({ text }) => {
        texts.push(text)
        return true
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'stopped',
      reason: 'stopWhen',
      text: 'Facts 1.',
    })
    expect(texts).toEqual(['Facts 1.'])
  })
})

describe('a result that stands as the answer', () => {
  test('of a run that stopWhen ends: it is a message of the router, streamed and final', async () => {
    const { agent } = router('desk', [toAgent('finder', 'Find.')], {
      agents: team().agents,
      stopWhen: () => true,
    })
    const run = agent.stream('Go')
    let streamed = ''
    for await (const piece of run.textStream) streamed += piece
    expect(await run.result).toMatchObject({ outcome: 'stopped', text: 'The facts.' })
    expect(streamed).toBe('The facts.')
    const events = await allEvents(run)
    const spoken = only(events, 'text-end').filter(({ path }) => path === 'desk')
    expect(spoken.map(({ payload }) => payload.text)).toEqual(['The facts.'])
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', messageId: spoken[0]?.messageId })
  })

  test('of an agent whose tool results the model reads too: the text of the agent alone', async () => {
    const reader = worker('reader', [calls({ name: 'lookup', args: { city: 'Oslo' } }), 'Four degrees.'], {
      tools: { lookup },
    })
    const { agent, model } = router('desk', [toAgent('reader', 'Read.'), done('')], {
      agents: { ...team().agents, reader: reader.agent },
      delegation: { includeSubAgentToolResultsInModelContext: true },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Four degrees.' })
    expect(toldOfCalls(model, 2)[0]).toContain('"degrees":4')
  })
})

describe('what others see', () => {
  test('no decision, no reason, no notice, no feedback and no result of another reaches a subagent', async () => {
    const { finder, writer, agents } = team()
    const { agent } = router(
      'desk',
      [toAgent('finder', 'Find.', 'REASON-ONE'), toAgent('writer', 'Write.', 'REASON-TWO'), done('Done.')],
      {
        agents,
        onIterationComplete: ({ iteration }) => ({
          continue: true,
          ...(iteration === 1 ? { feedback: 'FEEDBACK' } : {}),
        }),
      },
    )
    await agent.generate('The task.')
    for (const { model } of [finder, writer]) {
      const seen = everythingShown(model)
      for (const secret of ['REASON', 'On offer', 'selectionReason', 'FEEDBACK', 'I am desk.'])
        expect(seen).not.toContain(secret)
    }
    expect(everythingShown(writer.model)).not.toContain('The facts.')
    expect(shown(writer.model, 1).map(({ content }) => content)).toEqual([
      'I am writer.',
      'The task.',
      'Write.',
    ])
  })

  test('decisions stay out even where internal messages are not filtered', async () => {
    const { writer, agents } = team()
    const { agent } = router(
      'desk',
      [toAgent('finder', 'Find.', 'REASON-ONE'), toAgent('writer', 'Write.', 'REASON-TWO'), done('Done.')],
      {
        agents,
        delegation: { filterInternalMessages: false },
        onIterationComplete: ({ iteration }) => ({
          continue: true,
          ...(iteration === 1 ? { feedback: 'FEEDBACK' } : {}),
        }),
      },
    )
    await agent.generate('The task.')
    expect(everythingShown(writer.model)).toContain('FEEDBACK')
    expect(everythingShown(writer.model)).not.toContain('REASON')
  })

  test('the history is limited, and can be filtered', async () => {
    const { finder, writer, agents } = team()
    const history = Array.from({ length: 30 }, (_, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Message ${i + 1}`,
    }))
    const { agent } = router(
      'desk',
      [toAgent('finder', 'Find.'), toAgent('writer', 'Write.'), done('Done.')],
      {
        agents,
        delegation: {
          messageFilter: ({ messages, agentName }) =>
            agentName === 'writer'
              ? messages.filter(({ content }) => content !== 'The task.')
              : messages.slice(-3),
        },
      },
    )
    await agent.generate([...history, { role: 'user', content: 'The task.' }])
    expect(shown(finder.model, 1).map(({ content }) => content)).toEqual([
      'I am finder.',
      'Message 29',
      'Message 30',
      'The task.',
      'Find.',
    ])
    expect(shown(writer.model, 1).map(({ content }) => content)).not.toContain('The task.')
  })

  test('what a subagent threw reaches the result, and not the model of the router', async () => {
    const broken = worker('broken', [{ error: new Error('SECRET') }])
    const { agent, model } = router('desk', [toAgent('broken', 'Go'), done('It did not work.')], {
      agents: { ...team().agents, broken: broken.agent },
    })
    const result = await agent.generate('Go')
    expect(result.delegations).toMatchObject([{ outcome: 'failed', error: { message: 'SECRET' } }])
    expect(everythingShown(model)).not.toContain('SECRET')
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"broken\\" failed."}'])
  })

  test('its thread keeps prompt and answer, and no decision; the next run is shown them', async () => {
    const { agents } = team()
    const { agent, model } = router(
      'desk',
      [toAgent('finder', 'Find.'), done('Facts.'), done('As I said: facts.')],
      { agents, memory: { lastMessages: 4 } },
    )
    const troupe = createTroupe({ agents: [agent] })
    for (const task of ['What?', 'Again?']) await (await troupe.start(agent, task, { threadId: 't' })).result
    expect((await troupe.memory.messages('t')).map(({ content }) => content)).toEqual([
      'What?',
      'Facts.',
      'Again?',
      'As I said: facts.',
    ])
    expect(
      shown(model, 3)
        .slice(0, 4)
        .map(({ content }) => content),
    ).toEqual(['I am desk.', 'What?', 'Facts.', 'Again?'])
  })
})

describe('review and scoring, by the states of the supervisor', () => {
  test('the hook sees what the primitive gave, and may end the run with it', async () => {
    const { agents } = team()
    const seen: IterationContext[] = []
    const { agent } = router('desk', [toAgent('finder', 'Find.'), toAgent('writer', 'Write.')], {
      agents,
      onIterationComplete(context) {
        seen.push(context)
        return { continue: !context.subAgentsInvoked.includes('writer') }
      },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({
      outcome: 'stopped',
      reason: 'onIterationComplete',
      text: 'The article.',
    })
    expect(
      seen.map(({ iteration, maxSteps, currentStep }) => [iteration, maxSteps, currentStep.text]),
    ).toEqual([
      [1, 10, 'The facts.'],
      [2, 10, 'The article.'],
    ])
    const ends = only(await allEvents(run), 'iteration-start', 'iteration-end')
    expect(ends.map(({ type, payload }) => [type, payload])).toEqual([
      ['iteration-start', { iteration: 1 }],
      ['iteration-end', { iteration: 1, continue: true }],
      ['iteration-start', { iteration: 2 }],
      ['iteration-end', { iteration: 2, continue: false }],
    ])
  })

  test('its feedback is in the very next decision, also after "done"; with continue: false it has one last word', async () => {
    const { agents } = team()
    const { agent, model } = router('desk', [done('Draft.'), done('Better.'), 'Final.'], {
      agents,
      onIterationComplete: ({ iteration }) =>
        iteration === 1
          ? { continue: true, feedback: 'Longer, please.' }
          : { continue: false, feedback: 'Enough.' },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'stopped', text: 'Final.' })
    expect(shown(model, 2).map(({ content }) => content)).toContain('Longer, please.')
    expect(shown(model, 3).at(-1)?.content).toBe('Enough.')
  })

  test('the scorers look at what each primitive gave; what passes is the answer, and no model is asked again', async () => {
    const { agents } = team()
    const outputs: string[] = []
    const judge = createScorer({
      id: 'judge',
      score({ output }) {
        outputs.push(output)
        return output === 'The article.' ? 1 : { score: 0, reason: 'Not written.' }
      },
    })
    const { agent, model } = router('desk', [toAgent('finder', 'Find.'), toAgent('writer', 'Write.')], {
      agents,
      completion: { scorers: [judge] },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'The article.' })
    expect(outputs).toEqual(['The facts.', 'The article.'])
    expect(result.scores.map(({ iteration, outcome }) => [iteration, outcome])).toEqual([
      [1, 'failed'],
      [2, 'passed'],
    ])
    expect(JSON.stringify(shown(model, 2))).toContain('Not written.')
    model.assertConsumed()
    let text = ''
    for await (const part of run.textStream) text += part
    expect(text).toBe('The article.')
    const last = (await allEvents(run)).at(-1)
    expect(last).toMatchObject({ final: true, messageId: expect.stringMatching(/^desk:m\d+$/) })
  })

  test('a pass on a primitive that gave nothing asks for the answer', async () => {
    const broken = worker('broken', [{ error: new Error('no') }])
    const { agent } = router('desk', [toAgent('broken', 'Go'), 'It could not be done.'], {
      agents: { ...team().agents, broken: broken.agent },
      completion: { scorers: [createScorer({ id: 'any', score: () => 1 })] },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'It could not be done.' })
  })

  test('scoreEvery: answer scores only what the router says is the answer', async () => {
    const { agents } = team()
    const outputs: string[] = []
    const judge = createScorer({ id: 'judge', score: ({ output }) => (outputs.push(output), 1) })
    const { agent } = router('desk', [toAgent('finder', 'Find.'), done('Done.')], {
      agents,
      scoreEvery: 'answer',
      completion: { scorers: [judge] },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(outputs).toEqual(['Done.'])
  })

  test('"done" does not lift the scorers: unmet at the cap it is exhausted, reason completion', async () => {
    const { agents } = team()
    const { agent } = router('desk', [done('Draft.'), done('Draft again.'), 'Last word.'], {
      agents,
      maxIterations: 2,
      completion: { scorers: [createScorer({ id: 'judge', score: () => 0 })] },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'completion', text: 'Last word.' })
    expect(result.scores).toHaveLength(2)
  })

  test('a bail ends the run with the text of the subagent, unreviewed and unscored', async () => {
    const { agents } = team()
    const asked: string[] = []
    const { agent, model } = router('desk', [toAgent('finder', 'Find.')], {
      agents,
      delegation: { onDelegationComplete: ({ bail }) => bail() },
      onIterationComplete: () => void asked.push('review'),
      completion: { scorers: [createScorer({ id: 'judge', score: () => (asked.push('score'), 0) })] },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'finder', text: 'The facts.' })
    expect(asked).toEqual([])
    expect(model.calls).toHaveLength(1)
    expect(only(await allEvents(run), 'delegation-bail')).toHaveLength(1)
  })

  test('a rejected delegation is told to the router, which goes on', async () => {
    const { finder, agents } = team()
    const { agent, model } = router('desk', [toAgent('finder', 'Find.'), done('Not today.')], {
      agents,
      delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'Closed.' }) },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'rejected' }] })
    expect(toldOfCalls(model, 2)[0]).toContain('Delegation rejected: Closed.')
    expect(finder.model.calls).toHaveLength(0)
  })
})

describe('an answer with a shape, or one that is looked at', () => {
  const shape = z.object({ city: z.string(), degrees: z.number() })

  test('"done" leads to one model call that writes it, and is repaired once', async () => {
    const { agents } = team()
    const { agent, model } = router(
      'desk',
      [toAgent('finder', 'Find.'), done(''), 'Oslo, 4', '{"city":"Oslo","degrees":4}'],
      {
        agents,
      },
    )
    const result = await agent.generate('How cold?', { structuredOutput: { schema: shape } })
    expect(result.outcome === 'completed' && result.object).toEqual({ city: 'Oslo', degrees: 4 })
    expect(result.steps).toHaveLength(2)
    expect(shown(model, 3).at(-1)?.content).toBe('The task is done. Give the final answer to the user now.')
    model.assertConsumed()
  })

  test('what the scorers pass is then written down in its shape, and scored as the answer', async () => {
    const { agents } = team()
    const outputs: string[] = []
    const { agent } = router('desk', [toAgent('finder', 'Find.'), '{"city":"Oslo","degrees":4}'], {
      agents,
      structuredOutput: { schema: shape },
      completion: {
        scorers: [createScorer({ id: 'all', score: ({ output }) => (outputs.push(output), 1) })],
      },
    })
    const result = await agent.generate('How cold?')
    expect(result.outcome === 'completed' && result.object).toEqual({ city: 'Oslo', degrees: 4 })
    expect(outputs).toEqual(['The facts.', '{"city":"Oslo","degrees":4}'])
    expect(result.steps.map(({ step }) => step)).toEqual([1, 2])
  })

  test('output processors see the answer, and never a decision', async () => {
    const { agents } = team()
    const seen: string[] = []
    const { agent } = router('desk', [done('SECRET', 'Because.'), 'The SECRET.'], {
      agents,
      outputProcessors: [
        {
          id: 'mask',
          processOutput({ text }) {
            seen.push(text)
            return text.replace('SECRET', '***')
          },
        },
      ],
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'The ***.' })
    expect(seen).toEqual(['The SECRET.'])
  })

  test('a model that calls a tool where it is to write the answer has given none', async () => {
    const { agents } = team()
    const { agent, model } = router(
      'desk',
      [done(''), calls(to('finder', 'Go')), done(''), '{"city":"Oslo","degrees":4}'],
      { agents, structuredOutput: { schema: shape } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    for (const { request } of model.calls)
      for (const message of request.messages)
        if (message.role === 'assistant') expect(message.toolCalls ?? []).toEqual([])
  })
})

describe('people, cancels', () => {
  const guarded = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ sum: z.number() }),
    requireApproval: true,
    execute: ({ sum }) => `Paid ${sum}.`,
  })

  test('a tool waits for approval at the root, also below a supervisor, and runs once', async () => {
    const desk = router('desk', [toTool('pay', { sum: 3 }), done('Paid.')], { tools: { pay: guarded } })
    const boss = lead('boss', [calls(to('desk', 'Pay 3')), 'All paid.'], { agents: { desk: desk.agent } })
    const run = boss.agent.stream('Go')
    const suspended = await run.whenIdle
    expect(suspended).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ type: 'approval', agent: 'desk', toolName: 'pay', args: { sum: 3 } }],
    })
    await run.approve(suspended.outcome === 'suspended' ? (suspended.awaiting[0]?.toolCallId ?? '') : '')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
    expect(toldOfCalls(desk.model, 2)).toEqual(['Paid 3.'])
  })

  test('the timeout of a delegation to it stands still until the answer, and then goes on', async () => {
    const paying = Promise.withResolvers<void>()
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ sum: z.number() }),
      requireApproval: true,
      execute: (_, { signal }) => {
        paying.resolve()
        return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('Too late.')))
      },
    })
    const desk = router('desk', [toTool('pay', { sum: 3 })], { tools: { pay } })
    const boss = lead('boss', [calls(to('desk', 'Pay 3')), 'Not paid.'], {
      agents: { desk: desk.agent },
      delegation: { timeout: 1_000 },
    })
    const clock = new ManualClock()
    const run = await createTroupe({ agents: [boss.agent], clock }).start(boss.agent, 'Go')
    await run.whenIdle
    expect(clock.due).toEqual([])
    clock.advance(5_000)
    await run.approve('boss/delegation:1.1/desk/call:1.1')
    await paying.promise
    expect(clock.due).toEqual([6_000])
    clock.advance(1_000)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Not paid.',
      delegations: [{ agent: 'desk', outcome: 'timedOut' }],
    })
    expect(only(await allEvents(run), 'suspended', 'resumed').map(({ type }) => type)).toEqual([
      'suspended',
      'resumed',
    ])
  })

  test('a denial is told to the router', async () => {
    const { agent, model } = router('desk', [toTool('pay', { sum: 3 }), done('Not paid.')], {
      tools: { pay: guarded },
    })
    const run = agent.stream('Go')
    const { payload } = await until(run, 'tool-call-approval')
    await run.deny(payload.toolCallId, 'Too much.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Not paid.' })
    expect(toldOfCalls(model, 2)[0]).toContain('denied')
  })

  test('a cancel while it decides aborts the model call', async () => {
    const { agent, model } = router('desk', [{ hang: true }], { agents: team().agents })
    const run = agent.stream('Go')
    await until(run, 'step-start')
    await new Promise((resolve) => setImmediate(resolve))
    await run.cancel('enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect(model.calls[0]?.signal.aborted).toBe(true)
  })

  test('a cancel while a subagent works waits for its outcome, and starts nothing more', async () => {
    const slow = worker('slow', [{ hang: true }])
    const { agent, model } = router('desk', [toAgent('slow', 'Go')], {
      agents: { ...team().agents, slow: slow.agent },
    })
    const run = agent.stream('Go')
    await until(run, 'delegation-start')
    await run.cancel()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', delegations: [{ outcome: 'cancelled' }] })
    expect(model.calls).toHaveLength(1)
  })
})

describe('configuration', () => {
  const common = { id: 'desk', instructions: 'Route.', model: scriptedModel([]) }
  const { agents } = team()
  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['no memory', { agents }, /createRouter\("desk"\): a router needs memory/],
    ['memory: false', { agents, memory: false }, /a router needs memory/],
    ['nothing to choose from', { memory: true }, /at least one of agents, workflows and tools/],
    [
      'maxIterations: 0',
      { agents, memory: true, maxIterations: 0 },
      /maxIterations must be a positive integer/,
    ],
    ['toolCallConcurrency', { agents, memory: true, toolCallConcurrency: 2 }, /toolCallConcurrency/],
    ['bailStrategy', { agents, memory: true, bailStrategy: 'last' }, /bailStrategy/],
    ['backgroundTasks', { agents, memory: true, backgroundTasks: {} }, /backgroundTasks/],
  ]

  test.each(wrong)('%s is refused', (_name, config, message) => {
    const make = (): AnyAgent => createRouter({ ...common, ...(config as Pick<RouterConfig, 'memory'>) })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })

  test('a run cannot take its memory away', async () => {
    const { agent } = router('desk', [], { agents })
    const options = { memory: false } as object
    await expect(agent.generate('Go', options)).rejects.toThrow(/a router needs memory/)
  })

  test('where each run brings its own, nothing need be there before; then there is only the end', async () => {
    const { agent } = router('desk', [toAgent('finder', 'Go'), done('There is nobody.')], {
      agents: () => ({}),
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'There is nobody.' })
  })

  test('it may stand wherever an agent may', () => {
    const { agent } = router('desk', [], { agents })
    expect(agent.pattern).toBe('router')
    expect(() =>
      createTroupe({ agents: [agent, createAgent({ ...common, id: 'other' })], store: memoryStore() }),
    ).not.toThrow()
  })
})
