/** Behaviours 18 to 22: iterations, their review, caps, stop conditions, and the final turn. */
import { createAgent, createTool, type IterationContext, type StopContext } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({}),
  execute: () => 'found',
})
const tools = { lookup }
const callsLookup = calls({ name: 'lookup' })

const noAnswer = 'The agent stopped before it reached an answer.'
const lastTurnNotice = {
  role: 'user',
  content: 'This is your last turn and no tools are available. Give the best answer that you can now.',
  internal: 'notice',
}

describe('18: iterations', () => {
  test('a tool step and then a text step are iterations 1 and 2', async () => {
    const seen: IterationContext[] = []
    const { agent } = lead('lead', [callsLookup, 'Done.'], {
      tools,
      onIterationComplete: (context) => {
        seen.push(context)
      },
    })
    const run = agent.stream('Go', { threadId: 'thread', resourceId: 'user' })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(seen.map((context) => context.iteration)).toEqual([1, 2])
    expect(seen[0]).toMatchObject({
      runId: run.id,
      agentId: 'lead',
      maxSteps: 5,
      originalTask: 'Go',
      subAgentsInvoked: [],
      threadId: 'thread',
      resourceId: 'user',
      currentStep: {
        text: '',
        finishReason: 'tool-calls',
        toolCalls: [{ id: 'lead/call:1.1', name: 'lookup', args: {} }],
        toolResults: [{ id: 'lead/call:1.1', name: 'lookup', outcome: 'succeeded', value: 'found' }],
      },
    })
    expect(seen[1]?.currentStep).toEqual({
      text: 'Done.',
      toolCalls: [],
      toolResults: [],
      finishReason: 'stop',
    })
    expect(seen.map((context) => context.allSteps.length)).toEqual([1, 2])
    expect(seen[1]?.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    const events = await allEvents(run)
    expect(only(events, 'iteration-start').map((event) => event.payload.iteration)).toEqual([1, 2])
    expect(only(events, 'iteration-end').map((event) => event.payload)).toEqual([
      { iteration: 1, continue: true },
      { iteration: 2, continue: false },
    ])
  })

  test('the hook is told which subagents were invoked, once each', async () => {
    const seen: (readonly string[])[] = []
    const { agent } = lead('lead', [calls(to('a', 'x'), to('b', 'y')), calls(to('a', 'z')), 'Done.'], {
      agents: {
        a: worker('alpha', [], { otherwise: 'A.' }).agent,
        b: worker('beta', [], { otherwise: 'B.' }).agent,
      },
      onIterationComplete: ({ subAgentsInvoked }) => {
        seen.push(subAgentsInvoked)
      },
    })
    await agent.generate('Go')
    expect(seen.map((ids) => ids.toSorted())).toEqual([
      ['alpha', 'beta'],
      ['alpha', 'beta'],
      ['alpha', 'beta'],
    ])
  })

  test('`continue: false` at 2 ends at 2, with what there is', async () => {
    const { agent, model } = lead('lead', [{ text: 'A first idea.', ...callsLookup }, callsLookup], {
      tools,
      onIterationComplete: ({ iteration }) => ({ continue: iteration < 2 }),
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({
      outcome: 'stopped',
      reason: 'onIterationComplete',
      text: 'A first idea.',
    })
    expect(model.calls).toHaveLength(2)
    expect(only(await allEvents(run), 'iteration-end').map((event) => event.payload)).toEqual([
      { iteration: 1, continue: true },
      { iteration: 2, continue: false },
    ])
  })

  test('an agent without review has steps and no iterations', async () => {
    const { agent } = worker('solo', [callsLookup, 'Done.'], { tools })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result.steps.map(({ step, text }) => [step, text])).toEqual([
      [1, ''],
      [2, 'Done.'],
    ])
    const events = await allEvents(run)
    expect(only(events, 'step-start').map((event) => event.payload.step)).toEqual([1, 2])
    expect(only(events, 'iteration-start', 'iteration-end')).toEqual([])
  })
})

describe('19: `continue: false` with feedback', () => {
  test('exactly one more model call, with tools off, whose text is the result', async () => {
    let reviews = 0
    const steps: number[] = []
    const { agent, model } = lead('lead', [callsLookup, 'Summary.'], {
      tools,
      agents: { helper: worker('helper', []).agent },
      onStepFinish: ({ step }) => {
        steps.push(step)
      },
      onIterationComplete: () => {
        reviews++
        return { continue: false, feedback: 'Wrap it up.' }
      },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'stopped', reason: 'onIterationComplete', text: 'Summary.' })
    expect(model.calls).toHaveLength(2)
    expect(model.calls[1]?.request).toMatchObject({ tools: [], toolChoice: 'none' })
    expect(shown(model, 2).at(-1)).toEqual({ role: 'user', content: 'Wrap it up.', internal: 'feedback' })
    // Not counted, not reviewed.
    expect(result.steps).toHaveLength(1)
    expect(reviews).toBe(1)
    expect(steps).toEqual([1])
    // But paid for.
    expect(result.usage.totalTokens).toBe(30)
    expect(only(await allEvents(run), 'iteration-feedback').map((event) => event.payload)).toEqual([
      { iteration: 1, message: 'Wrap it up.' },
    ])
  })

  test('also after a text answer, and empty feedback is none', async () => {
    const withFeedback = lead('lead', ['A draft.', 'Polished.'], {
      onIterationComplete: () => ({ continue: false, feedback: 'Polish it.' }),
    })
    expect(await withFeedback.agent.generate('Go')).toMatchObject({ outcome: 'stopped', text: 'Polished.' })
    const without = lead('lead', ['A draft.'], {
      onIterationComplete: () => ({ continue: false, feedback: '' }),
    })
    expect(await without.agent.generate('Go')).toMatchObject({ outcome: 'stopped', text: 'A draft.' })
    expect(without.model.calls).toHaveLength(1)
  })
})

describe('20: `continue: true`', () => {
  test('with feedback after a final answer: one more iteration, whose prompt holds the feedback', async () => {
    const { agent, model } = lead('lead', ['A draft.', 'Better.'], {
      onIterationComplete: ({ iteration }) =>
        iteration === 1 ? { continue: true, feedback: 'Cite your sources.' } : { continue: true },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Better.' })
    expect(model.calls).toHaveLength(2)
    expect(shown(model, 2)).toEqual([
      { role: 'system', content: 'I am lead.' },
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'A draft.' },
      { role: 'user', content: 'Cite your sources.', internal: 'feedback' },
    ])
    expect(only(await allEvents(run), 'iteration-feedback').map((event) => event.payload)).toEqual([
      { iteration: 1, message: 'Cite your sources.' },
    ])
  })

  test('after a tool step: the feedback stands behind the results, in the very next prompt', async () => {
    const { agent, model } = lead('lead', [callsLookup, 'Done.'], {
      tools,
      onIterationComplete: ({ iteration }) =>
        iteration === 1 ? { continue: true, feedback: 'Look closer.' } : undefined,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(shown(model, 2).slice(-2)).toMatchObject([
      { role: 'tool', content: 'found' },
      { role: 'user', content: 'Look closer.', internal: 'feedback' },
    ])
  })

  test('without feedback it forces nothing: the run completes', async () => {
    const { agent, model } = lead('lead', ['An answer.'], { onIterationComplete: () => ({ continue: true }) })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'An answer.' })
    expect(model.calls).toHaveLength(1)
  })

  test('feedback lifts no cap: the run is exhausted where it would have ended', async () => {
    const { agent, model } = lead('lead', ['One.', 'Two.', 'Last word.'], {
      maxSteps: 2,
      onIterationComplete: () => ({ continue: true, feedback: 'Once more.' }),
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'Last word.' })
    expect(model.calls).toHaveLength(3)
    expect(shown(model, 3).slice(-2)).toEqual([
      { role: 'user', content: 'Once more.', internal: 'feedback' },
      lastTurnNotice,
    ])
  })

  test('feedback lifts no stop condition', async () => {
    const { agent, model } = lead('lead', ['One.'], {
      stopWhen: ({ stepCount }) => stepCount >= 1,
      onIterationComplete: () => ({ continue: true, feedback: 'Once more.' }),
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'stopped', reason: 'stopWhen', text: 'One.' })
    expect(model.calls).toHaveLength(1)
  })

  test('a run given its own hook uses that one in place of the definition', async () => {
    const { agent } = lead('lead', ['An answer.'], { onIterationComplete: () => ({ continue: true }) })
    expect(await agent.generate('Go', { onIterationComplete: () => ({ continue: false }) })).toMatchObject({
      outcome: 'stopped',
    })
  })
})

describe('21: caps and stop conditions', () => {
  test('an always-tool-calling model is exhausted at maxSteps, with a text from the final turn', async () => {
    const { agent, model } = lead('lead', [callsLookup, callsLookup, callsLookup, 'What I have so far.'], {
      tools,
      maxSteps: 3,
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'What I have so far.' })
    expect(result.steps.map((step) => step.step)).toEqual([1, 2, 3])
    expect(model.calls.map((call) => [call.request.toolChoice, call.request.tools.length])).toEqual([
      ['auto', 1],
      ['auto', 1],
      ['auto', 1],
      ['none', 0],
    ])
    expect(shown(model, 4).at(-1)).toEqual(lastTurnNotice)
    const events = await allEvents(run)
    expect(events.at(-1)).toMatchObject({
      type: 'run-finish',
      payload: { outcome: 'exhausted', reason: 'maxSteps', text: 'What I have so far.' },
      messageId: 'lead:m4',
      final: true,
    })
    expect(only(events, 'step-start')).toHaveLength(3)
  })

  test('the default cap is 5, and a run may set another', async () => {
    const { agent, model } = worker('solo', [], { tools, otherwise: callsLookup })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps' })
    expect(model.calls).toHaveLength(6)
    expect(await agent.generate('Go', { maxSteps: 1 })).toMatchObject({ outcome: 'exhausted' })
    expect(model.calls).toHaveLength(8)
  })

  test('an answer at the cap is an answer', async () => {
    const { agent, model } = lead('lead', [callsLookup, 'Just in time.'], { tools, maxSteps: 2 })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Just in time.' })
    expect(model.calls).toHaveLength(2)
  })

  test.each([
    { stopAt: 2, maxSteps: 4, outcome: 'stopped', reason: 'stopWhen', modelCalls: 2 },
    { stopAt: 4, maxSteps: 2, outcome: 'exhausted', reason: 'maxSteps', modelCalls: 3 },
    { stopAt: 2, maxSteps: 2, outcome: 'stopped', reason: 'stopWhen', modelCalls: 2 },
  ])(
    'stopWhen at $stopAt and maxSteps $maxSteps: whichever holds first, so $outcome',
    async ({ stopAt, maxSteps, outcome, reason, modelCalls }) => {
      const { agent, model } = worker('solo', [], {
        tools,
        otherwise: callsLookup,
        maxSteps,
        stopWhen: ({ stepCount }) => stepCount >= stopAt,
      })
      expect(await agent.generate('Go')).toMatchObject({ outcome, reason })
      expect(model.calls).toHaveLength(modelCalls)
    },
  )

  test('stopWhen is given text, count and steps, and is not asked about an accepted answer', async () => {
    const seen: StopContext[] = []
    const { agent } = worker('solo', [{ text: 'Thinking.', ...callsLookup }, 'Done.'], {
      tools,
      stopWhen: (context) => {
        seen.push(context)
        return false
      },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(seen).toMatchObject([{ text: 'Thinking.', stepCount: 1, steps: [{ step: 1, text: 'Thinking.' }] }])
    expect(seen).toHaveLength(1)
  })

  test('several stop conditions: one is enough, promises too, and the last text is kept', async () => {
    const { agent, model } = worker('solo', [{ text: 'Half an answer.', ...callsLookup }], {
      tools,
      stopWhen: [() => false, async () => true],
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'stopped', reason: 'stopWhen', text: 'Half an answer.' })
    expect(model.calls).toHaveLength(1)
  })
})

describe('the final turn', () => {
  test('a blank last word: the last text that was not blank is the result', async () => {
    const { agent } = worker('solo', [{ text: 'A thought.', ...callsLookup }, callsLookup, '  '], {
      tools,
      maxSteps: 2,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'exhausted', text: 'A thought.' })
  })

  test('nothing was ever said: a fixed sentence is the result', async () => {
    const { agent } = worker('solo', [callsLookup, ''], { tools, maxSteps: 1 })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'exhausted', text: noAnswer })
  })

  test('calls that it makes all the same are not run', async () => {
    let ran = 0
    const counted = createTool({
      id: 'counted',
      description: 'Counts.',
      inputSchema: z.object({}),
      execute: () => ++ran,
    })
    const { agent, model } = worker('solo', [], {
      tools: { counted },
      otherwise: calls({ name: 'counted' }),
      maxSteps: 1,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'exhausted', text: noAnswer })
    expect(ran).toBe(1)
    expect(model.calls).toHaveLength(2)
  })

  test('its failure, though it may pass, is not repaired: announced, and what there is stands', async () => {
    const { agent, model } = worker(
      'solo',
      [
        { text: 'A thought.', ...callsLookup },
        { error: Object.assign(new Error('busy'), { code: 'RATE_LIMITED', retryable: true }) },
      ],
      { tools, maxSteps: 1 },
    )
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'A thought.' })
    expect(model.calls).toHaveLength(2)
    expect(only(await allEvents(run), 'error').map((event) => event.payload)).toEqual([
      {
        error: { name: 'Error', code: 'RATE_LIMITED', message: 'busy', retryable: true },
        willRetry: false,
      },
    ])
  })

  test("onExhausted 'stop': no last word", async () => {
    const said = worker('solo', [{ text: 'A thought.', ...callsLookup }], {
      tools,
      maxSteps: 1,
      onExhausted: 'stop',
    })
    expect(await said.agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'A thought.',
    })
    expect(said.model.calls).toHaveLength(1)
    const silent = lead('lead', [callsLookup], { tools, maxSteps: 1, onExhausted: 'stop' })
    expect(await silent.agent.generate('Go')).toMatchObject({ outcome: 'exhausted', text: noAnswer })
    expect(silent.model.calls).toHaveLength(1)
  })

  test('of a reply with calls that was cut off the whole calls are carried out, and the agent goes on', async () => {
    const { agent, model } = worker(
      'solo',
      [
        {
          ...calls({ name: 'lookup' }, { name: 'lookup', malformed: '{"q": "ab' }),
          text: 'I look',
          finishReason: 'length',
        },
        'Done.',
      ],
      { tools },
    )
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.steps[0]).toMatchObject({
      finishReason: 'length',
      toolResults: [{ outcome: 'succeeded' }, { outcome: 'failed', error: { code: 'INVALID_TOOL_CALL' } }],
    })
    expect(shown(model, 2).at(-1)?.content).toContain('not a JSON object')
  })

  test('a text that was cut off is exhausted by length, and may be finished', async () => {
    const { agent, model } = lead('lead', [
      { text: 'It all began wh', finishReason: 'length' },
      'In short: it began.',
    ])
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'length',
      text: 'In short: it began.',
    })
    expect(model.calls[1]?.request.toolChoice).toBe('none')
  })
})

describe('replies that are no answer', () => {
  test.for<readonly [string, object, string]>([
    ['without tools', {}, 'Your last reply was empty. Answer the task.'],
    ['with tools', { tools }, 'Your last reply was empty. Answer the task, or call one of your tools.'],
  ])('an empty reply counts as a step, and the model is asked again: %s', async ([, more, content]) => {
    const { agent, model } = lead('lead', ['', 'Done.'], more)
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.steps.map((step) => step.text)).toEqual(['', 'Done.'])
    expect(shown(model, 2).at(-1)).toEqual({ role: 'user', content, internal: 'notice' })
  })

  test('a model that is silent for good is exhausted', async () => {
    const { agent, model } = worker('solo', [], { otherwise: ' \n', maxSteps: 2 })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: noAnswer,
    })
    expect(model.calls).toHaveLength(3)
  })

  test.each([
    { finishReason: 'refusal', text: 'I will not.', code: 'MODEL_REFUSED', message: 'I will not.' },
    { finishReason: 'refusal', text: '', code: 'MODEL_REFUSED', message: 'The model refused.' },
    {
      finishReason: 'content-filter',
      text: 'Once upon',
      code: 'CONTENT_FILTERED',
      message: 'The provider filtered the reply of the model.',
    },
  ] as const)(
    '$finishReason "$text" fails the run with $code',
    async ({ finishReason, text, code, message }) => {
      const { agent, model } = lead('lead', [{ text, finishReason, ...callsLookup }], { tools })
      expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { code, message } })
      expect(model.calls).toHaveLength(1)
    },
  )
})

describe('22: the text of the result', () => {
  test('is the final answer alone, not the drafts joined', async () => {
    const { agent } = lead(
      'lead',
      [{ text: 'I will look that up.', ...callsLookup }, 'A draft.', 'The answer.'],
      {
        tools,
        onIterationComplete: ({ iteration }) =>
          iteration === 2 ? { continue: true, feedback: 'Shorter.' } : undefined,
      },
    )
    const result = await agent.generate('Go')
    expect(result.text).toBe('The answer.')
    expect(result.steps.map((step) => step.text)).toEqual(['I will look that up.', 'A draft.', 'The answer.'])
  })

  test('also of an agent whose instructions are empty', async () => {
    const model = scriptedModel(['Hi.'])
    const agent = createAgent({ id: 'bare', instructions: '', model })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(shown(model, 1)).toEqual([{ role: 'user', content: 'Go' }])
  })
})
