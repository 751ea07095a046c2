/** Processors: what they may change and refuse, of what goes to a model and of what comes from it, in both modes. */
import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  type ChatModel,
  type InputProcessor,
  type Message,
  type ModelReply,
  type OutputProcessor,
  type Run,
  type RunEvent,
  textOf,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'
import {
  allEvents,
  calls,
  everythingShown,
  lead,
  only,
  shown,
  to,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { unrecorded } from '../../support/without-program.ts'

const input = (id: string, processInput: InputProcessor['processInput']): InputProcessor => ({
  id,
  processInput,
})
const output = (id: string, processOutput: OutputProcessor['processOutput']): OutputProcessor => ({
  id,
  processOutput,
})
const stream = (
  id: string,
  processOutputStream: OutputProcessor['processOutputStream'],
): OutputProcessor => ({
  id,
  processOutputStream,
})

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `found ${q}`,
})

const shout = output('shout', ({ text }) => text.toUpperCase())
const noSecrets = output('no-secrets', ({ text, abort }) => {
  if (text.includes('secret')) abort('it tells a secret')
})
const retried = (id = 'strict') =>
  output(id, ({ text, abort }) => {
    if (text.includes('bad')) abort('it is bad', { retry: true })
  })

/** The text of each complete message, and what a reader was given of it in deltas, by message. */
function messages(events: readonly RunEvent[]) {
  const deltas = new Map<string, string>()
  for (const event of only(events, 'text-delta')) {
    const id = String(event.messageId)
    deltas.set(id, (deltas.get(id) ?? '') + event.payload.text)
  }
  const complete = only(events, 'text-end').filter(({ payload }) => payload.status === 'complete')
  const ended = complete.map((event) => ({
    id: event.messageId,
    text: event.payload.text,
    deltas: deltas.get(String(event.messageId)),
  }))
  return { ended, deltas }
}

async function texts(run: Run): Promise<string[]> {
  const seen: string[] = []
  for await (const text of run.textStream) seen.push(text)
  return seen
}

/** Reads a run while it goes on: what was streamed is in it. */
async function live(run: Run) {
  const [events, result] = await Promise.all([allEvents(run), run.result])
  return { events, result, ...messages(events) }
}

describe('input processors', () => {
  test('each sees the result of the former, and the model what the last one made', async () => {
    const seen: (readonly Message[])[] = []
    const { agent, model } = worker('solo', ['Done.'], {
      inputProcessors: [
        input('first', ({ messages }) => {
          seen.push(messages)
          return messages.map((message) => ({
            ...message,
            content: textOf(message.content).replace('4111', '****'),
          }))
        }),
        input('looks-on', () => undefined),
        input('second', async ({ messages, task, agentId, runId }) => {
          seen.push(messages)
          const content = `${agentId} ${task} ${runId.length > 0}`
          return [...messages, { role: 'user', content }]
        }),
      ],
    })
    const result = await agent.generate('Pay with 4111')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    const system = { role: 'system', content: 'I am solo.' }
    expect(seen).toEqual([
      [system, { role: 'user', content: 'Pay with 4111' }],
      [system, { role: 'user', content: 'Pay with ****' }],
    ])
    expect(shown(model, 1)).toEqual([
      system,
      { role: 'user', content: 'Pay with ****' },
      { role: 'user', content: 'solo Pay with 4111 true' },
    ])
  })

  test('an abort ends the agent as tripped, before its model is called; those after it are not asked', async () => {
    let asked = 0
    const finished: string[] = []
    const { agent, model } = worker('solo', ['Done.'], {
      inputProcessors: [
        input('guard', ({ abort }) => abort('no politics')),
        input('after', () => void asked++),
      ],
      onFinish: ({ outcome, reason }) => void finished.push(`${outcome}: ${reason}`),
    })
    const run = agent.stream('Who should win?')
    const { result, events } = await live(run)
    expect(result).toMatchObject({ outcome: 'tripped', reason: 'no politics', text: '', steps: [] })
    expect(model.calls).toHaveLength(0)
    expect(asked).toBe(0)
    expect(finished).toEqual(['tripped: no politics'])
    expect(only(events, 'error').map(({ payload }) => payload)).toEqual([
      {
        error: {
          name: 'TrippedError',
          code: 'TRIPPED',
          message: 'The processor "guard" refused: no politics',
        },
        willRetry: false,
      },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'run-finish',
      payload: { outcome: 'tripped', reason: 'no politics' },
    })
  })

  test('an abort that the processor itself catches has aborted', async () => {
    const { agent, model } = worker('solo', ['Done.'], {
      inputProcessors: [
        input('guard', ({ abort, messages }) => {
          try {
            return abort('caught')
          } catch {
            return messages
          }
        }),
      ],
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'tripped', reason: 'caught' })
    expect(model.calls).toHaveLength(0)
  })

  test('one that throws fails the run with its error', async () => {
    const { agent, model } = worker('solo', ['Done.'], {
      inputProcessors: [
        input('broken', () => {
          throw Object.assign(new Error('the classifier is down'), { code: 'DOWN' })
        }),
      ],
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'DOWN', message: 'the classifier is down' },
    })
    expect(model.calls).toHaveLength(0)
  })

  test('under hookErrors "ignore" it counts as absent: the others are asked all the same', async () => {
    const asked: string[] = []
    const { agent, model } = worker('solo', ['Done.'], {
      hookErrors: 'ignore',
      inputProcessors: [
        input('first', ({ messages }) => {
          asked.push('first')
          return [...messages, { role: 'user', content: 'one' }]
        }),
        input('broken', async () => {
          asked.push('broken')
          throw new Error('down')
        }),
        input('last', ({ messages }) => {
          asked.push('last')
          return [...messages, { role: 'user', content: 'two' }]
        }),
      ],
    })
    const { result, events } = await live(agent.stream('Go'))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(asked).toEqual(['first', 'broken', 'last'])
    expect(shown(model, 1).map(({ content }) => content)).toEqual(['I am solo.', 'Go', 'one', 'two'])
    expect(only(events, 'error').map(({ payload }) => payload)).toEqual([
      { error: { name: 'Error', code: 'HOOK_FAILED', message: 'down' }, willRetry: false },
    ])
  })

  test.each<[string, unknown, string]>([
    ['a text', 'Go', 'its answer'],
    ['no message at all', [], 'at least one message is expected'],
    ['a message without a role', [{ content: 'Go' }], '0.role: '],
  ])('%s is no answer of theirs', async (_what, answer, problem) => {
    const { agent, model } = worker('solo', ['Done.'], {
      inputProcessors: [input('odd', () => answer as readonly Message[])],
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_HOOK_RESULT' } })
    const message = result.outcome === 'failed' ? result.error.message : ''
    expect(message).toContain('processInput of "odd"')
    expect(message).toContain(problem)
    expect(model.calls).toHaveLength(0)
  })

  test('a change in place does not pass silently for one that was made', async () => {
    const { agent } = worker('solo', ['Done.'], {
      inputProcessors: [
        input('in-place', ({ messages }) => {
          Object.assign(messages[0] ?? {}, { content: 'changed' })
        }),
      ],
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { name: 'TypeError' } })
  })

  test('a subagent has its own; that it tripped is a failed delegation, told without the reason', async () => {
    const child = worker('child', ['Never.'], {
      inputProcessors: [input('guard', ({ abort }) => abort('SECRET REASON'))],
    })
    const { agent, model } = lead('lead', [calls(to('child', 'Go')), 'Done without.'], {
      agents: { child: child.agent },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Done without.',
      delegations: [{ agent: 'child', outcome: 'failed', text: '', error: { code: 'TRIPPED' } }],
    })
    expect(result.delegations[0]?.error?.message).toContain('SECRET REASON')
    expect(everythingShown(model)).not.toContain('SECRET REASON')
    expect(child.model.calls).toHaveLength(0)
  })
})

describe.each([
  ['in one piece', false],
  ['streamed', true],
])('output processors, %s', (_mode, streams) => {
  const options = { stream: streams }

  test('each sees the text of the former; the last text is in messages, record, events and result', async () => {
    const seen: string[] = []
    const { agent, model } = worker(
      'solo',
      [{ ...calls({ name: 'lookup', args: { q: 'x' } }), text: 'let me see' }, 'it is x'],
      {
        tools: { lookup },
        outputProcessors: [
          shout,
          output('looks-on', ({ text, step, toolCalls, messages, agentId }) => {
            seen.push(
              `${agentId} ${step}: ${text}, ${toolCalls.map(({ name }) => name).join()}, ${messages.length}`,
            )
          }),
          output('dot', async ({ text }) => `${text}.`),
        ],
        onStepFinish: ({ step, text }) => void seen.push(`onStepFinish ${step}: ${text}`),
      },
    )
    const { result, ended } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({ outcome: 'completed', text: 'IT IS X.' })
    expect(result.steps.map(({ text }) => text)).toEqual(['LET ME SEE.', 'IT IS X.'])
    expect(seen).toEqual([
      'solo 1: LET ME SEE, lookup, 2',
      'onStepFinish 1: LET ME SEE.',
      'solo 2: IT IS X, , 4',
      'onStepFinish 2: IT IS X.',
    ])
    expect(shown(model, 2)[2]).toMatchObject({ role: 'assistant', content: 'LET ME SEE.' })
    expect(ended.map(({ text, deltas }) => [text, deltas])).toEqual([
      ['LET ME SEE.', 'LET ME SEE.'],
      ['IT IS X.', 'IT IS X.'],
    ])
  })

  test('an abort ends the agent as tripped: nothing of the reply is kept but what it cost', async () => {
    const { agent, model } = worker('solo', ['The secret is swordfish.'], { outputProcessors: [noSecrets] })
    const run = agent.stream('Go', options)
    const [seen, { result, events, ended, deltas }] = await Promise.all([texts(run), live(run)])
    expect(result).toMatchObject({ outcome: 'tripped', reason: 'it tells a secret', text: '' })
    expect(result.steps).toMatchObject([{ step: 1, text: '', toolCalls: [], finishReason: 'stop' }])
    expect(result.usage.totalTokens).toBe(15)
    expect([ended, [...deltas], seen]).toEqual([[], [], []])
    expect(JSON.stringify(events)).not.toContain('swordfish')
    expect(events.map(({ type }) => type)).toEqual([
      'run-start',
      'step-start',
      'error',
      'step-finish',
      'run-finish',
    ])
    expect(model.calls).toHaveLength(1)
  })

  test('calls of a refused reply never run', async () => {
    let ran = 0
    const act = createTool({
      id: 'act',
      description: 'Acts.',
      inputSchema: z.object({}),
      execute: () => ++ran,
    })
    const { agent } = worker('solo', [calls({ name: 'act' })], {
      tools: { act },
      outputProcessors: [
        output('no-acts', ({ toolCalls, abort }) => {
          if (toolCalls.some(({ name }) => name === 'act')) abort('it must not act')
        }),
      ],
    })
    expect(await agent.generate('Go', options)).toMatchObject({
      outcome: 'tripped',
      reason: 'it must not act',
    })
    expect(ran).toBe(0)
  })

  test('a retry asks the model again in the same step, with the reason and without the draft', async () => {
    const { agent, model } = worker('solo', ['bad draft', 'good answer'], { outputProcessors: [retried()] })
    const { result, events, ended } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({ outcome: 'completed', text: 'good answer' })
    expect(result.steps).toHaveLength(1)
    expect(result.usage.totalTokens).toBe(30)
    expect(shown(model, 2)).toEqual([
      { role: 'system', content: 'I am solo.' },
      { role: 'user', content: 'Go' },
      {
        role: 'user',
        content: 'Your last reply was not accepted: it is bad\nReply again.',
        internal: 'notice',
      },
    ])
    expect(ended).toEqual([{ id: 'solo:m2', text: 'good answer', deltas: 'good answer' }])
    expect(JSON.stringify(events)).not.toContain('bad draft')
    expect(only(events, 'error').map(({ payload }) => payload)).toMatchObject([
      { error: { code: 'TRIPPED' }, willRetry: true, failures: 1 },
    ])
    expect(only(events, 'step-start')).toHaveLength(1)
  })

  test.each([
    ['3 by default', {}, 3],
    ['as many as maxProcessorRetries says', { maxProcessorRetries: 1 }, 1],
    ['none with 0', { maxProcessorRetries: 0 }, 0],
  ])('retries are bounded: %s', async (_name, more, retries) => {
    const { agent, model } = worker('solo', [], { otherwise: 'bad', outputProcessors: [retried()], ...more })
    const result = await agent.generate('Go', options)
    expect(result).toMatchObject({ outcome: 'tripped', reason: 'it is bad', text: '' })
    expect(model.calls).toHaveLength(1 + retries)
    expect(result.usage.totalTokens).toBe(15 * (1 + retries))
  })

  test('the count of retries begins anew with each step', async () => {
    const look = calls({ name: 'lookup', args: { q: 'x' } })
    const { agent, model } = worker('solo', ['bad', look, 'bad', 'good'], {
      tools: { lookup },
      outputProcessors: [retried()],
      maxProcessorRetries: 1,
    })
    expect(await agent.generate('Go', options)).toMatchObject({ outcome: 'completed', text: 'good' })
    expect(model.calls).toHaveLength(4)
  })

  test('the reply of a final turn is looked at too, and a retry asked for there trips', async () => {
    const look = calls({ name: 'lookup', args: { q: 'x' } })
    const config = { tools: { lookup }, maxSteps: 1, outputProcessors: [retried(), shout] }
    const changed = worker('solo', [look, 'good'], config)
    expect(await changed.agent.generate('Go', options)).toMatchObject({ outcome: 'exhausted', text: 'GOOD' })

    const refused = worker('solo', [look, 'bad'], config)
    const { result, ended } = await live(refused.agent.stream('Go', options))
    expect(result).toMatchObject({ outcome: 'tripped', reason: 'it is bad', text: '' })
    expect(ended).toEqual([])
    expect(refused.model.calls).toHaveLength(2)
    expect(result.usage.totalTokens).toBe(30)
  })

  test.for([
    ['the model gives none', '', shout],
    ['a processor takes it away', 'Done.', output('silence', () => '')],
  ] as const)(
    'a final turn without a text, where %s: work that is scored complete fails',
    async ([, said, one]) => {
      const { agent } = lead('lead', [calls({ name: 'lookup', args: { q: 'x' } }), said], {
        tools: { lookup },
        scoreEvery: 'iteration',
        completion: { scorers: [createScorer({ id: 'judge', score: () => 1 })] },
        outputProcessors: [one],
      })
      expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { code: 'NO_ANSWER' } })
    },
  )

  test('one that throws fails the run with its error, and nothing of the reply is told', async () => {
    const { agent } = worker('solo', ['The answer is swordfish.'], {
      outputProcessors: [
        output('broken', () => {
          throw new Error('the filter is down')
        }),
      ],
    })
    const { result, events } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({
      outcome: 'failed',
      text: '',
      error: { code: 'HOOK_FAILED', message: 'the filter is down' },
      steps: [{ text: '' }],
    })
    expect(JSON.stringify(events)).not.toContain('swordfish')
  })

  test('a RetryableError of a processor is not tried again: it is no failure of the model', async () => {
    const broken = () => {
      throw new RetryableError('busy')
    }
    for (const processor of [output('broken', broken), stream('broken', broken)]) {
      const { agent, model } = worker('solo', ['Answer.'], { outputProcessors: [processor] })
      expect(await agent.generate('Go', options)).toMatchObject({
        outcome: 'failed',
        error: { code: 'RETRYABLE', message: 'busy' },
      })
      expect(model.calls).toHaveLength(1)
    }
  })

  test('under hookErrors "ignore" it counts as absent: the others are asked all the same', async () => {
    const { agent } = worker('solo', ['the answer'], {
      hookErrors: 'ignore',
      outputProcessors: [
        shout,
        output('broken', () => {
          throw new Error('down')
        }),
        output('dot', ({ text }) => `${text}.`),
      ],
    })
    const { result, events, ended } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({ outcome: 'completed', text: 'THE ANSWER.' })
    expect(ended.map(({ text, deltas }) => [text, deltas])).toEqual([['THE ANSWER.', 'THE ANSWER.']])
    expect(only(events, 'error').map(({ payload }) => payload.error.message)).toEqual(['down'])
  })

  test.each([
    ['processOutput', { id: 'odd', processOutput: () => 7 as never }],
    ['processOutputStream', { id: 'odd', processOutputStream: () => 7 as never }],
    ['processOutputStream', { id: 'odd', processOutputStream: (async () => 'x') as never }],
  ])('an answer of %s that is no text fails closed', async (name, processor) => {
    const { agent } = worker('solo', ['Answer.'], { outputProcessors: [processor] })
    const result = await agent.generate('Go', options)
    expect(result).toMatchObject({ outcome: 'failed', text: '', error: { code: 'INVALID_HOOK_RESULT' } })
    expect(result.outcome === 'failed' ? result.error.message : '').toContain(`${name} of "odd"`)
  })

  test('a shape is checked on the text that the processors left', async () => {
    const schema = z.object({ n: z.number() })
    const { agent, model } = worker('solo', ['The number is {"n":1}', '{"n":2} it is'], {
      structuredOutput: { schema },
      outputProcessors: [
        output('strip', ({ text }) => /\{.*\}/.exec(text)?.[0].replace('1', '"one"') ?? text),
      ],
    })
    const result = await agent.generate('Go', options)
    expect(result).toMatchObject({ outcome: 'completed', text: '{"n":2}', object: { n: 2 } })
    expect(shown(model, 2)[2]).toMatchObject({ role: 'assistant', content: '{"n":"one"}' })
  })

  test('a text that was taken away is an empty reply, and the model is asked for an answer', async () => {
    const { agent, model } = worker('solo', ['hm', 'Answer.'], {
      outputProcessors: [output('no-hm', ({ text }) => (text === 'hm' ? '' : undefined))],
    })
    expect(await agent.generate('Go', options)).toMatchObject({ outcome: 'completed', text: 'Answer.' })
    expect(model.calls).toHaveLength(2)
  })

  test('a supervisor: a changed text is scored, shared and shown; a refused one reaches no subagent', async () => {
    const child = worker('child', ['child text'])
    const reviewed: string[] = []
    const { agent } = lead(
      'lead',
      [
        { ...calls(to('child', 'Go')), text: 'bad start' },
        { ...calls(to('child', 'Go')), text: 'good start' },
        'good end',
      ],
      {
        agents: { child: child.agent },
        outputProcessors: [retried(), shout],
        onIterationComplete: ({ currentStep }) => void reviewed.push(currentStep.text),
      },
    )
    const { result, events } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({ outcome: 'completed', text: 'GOOD END' })
    expect(reviewed).toEqual(['GOOD START', 'GOOD END'])
    expect(child.model.calls).toHaveLength(1)
    expect(shown(child.model, 1).map(({ content }) => content)).toEqual([
      'I am child.',
      'Go',
      'GOOD START',
      'Go',
    ])
    expect(only(events, 'iteration-start')).toHaveLength(2)
  })

  test('a tripped supervisor ends its iteration; a tripped subagent is a failed delegation', async () => {
    const child = worker('child', ['a secret'], { outputProcessors: [noSecrets] })
    const nested = lead('nested', [calls(to('child', 'Go')), 'another secret'], {
      agents: { child: child.agent },
      outputProcessors: [noSecrets],
    })
    const { agent } = lead('lead', [calls(to('nested', 'Go')), 'Done.'], { agents: { nested: nested.agent } })
    const { result, events } = await live(agent.stream('Go', options))
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ agent: 'nested', outcome: 'failed', error: { code: 'TRIPPED' } }],
    })
    const ended = only(events, 'delegation-end').map(({ payload }) => [payload.agentId, payload.outcome])
    expect(ended).toEqual([
      ['child', 'failed'],
      ['nested', 'failed'],
    ])
    const iterations = only(events, 'iteration-start', 'iteration-end')
      .filter((event) => event.agent === 'nested')
      .map(({ type, payload }) => [type, payload])
    expect(iterations).toEqual([
      ['iteration-start', { iteration: 1 }],
      ['iteration-end', { iteration: 1, continue: true }],
      ['iteration-start', { iteration: 2 }],
      ['iteration-end', { iteration: 2, continue: false }],
    ])
    expect(JSON.stringify(events)).not.toContain('another secret')
  })

  test('given for one run they take the place of the definition’s; an empty list takes them away', async () => {
    const { agent } = worker('solo', [], {
      otherwise: 'answer',
      outputProcessors: [shout],
      inputProcessors: [input('guard', ({ abort }) => abort('never'))],
    })
    const dot = output('dot', ({ text }) => `${text}.`)
    expect(await agent.generate('Go', { ...options, inputProcessors: [] })).toMatchObject({ text: 'ANSWER' })
    expect(
      await agent.generate('Go', { ...options, inputProcessors: [], outputProcessors: [dot] }),
    ).toMatchObject({ text: 'answer.' })
    expect(
      await agent.generate('Go', { ...options, inputProcessors: [], outputProcessors: [] }),
    ).toMatchObject({ text: 'answer' })
    expect(await agent.generate('Go', options)).toMatchObject({ outcome: 'tripped', reason: 'never' })
  })

  test('a replay has the same events and result, and asks nobody', async () => {
    let asked = 0
    const count = () => void asked++
    const child = worker('child', ['bad', 'a good one'], {
      outputProcessors: [retried(), stream('counts', count)],
    })
    const { agent } = lead('lead', [calls(to('child', 'Go')), 'tell it'], {
      agents: { child: child.agent },
      hookErrors: 'ignore',
      inputProcessors: [
        input('counts', count),
        input('adds', ({ messages }) => [...messages, { role: 'user', content: 'Be brief.' }]),
      ],
      outputProcessors: [
        output('broken', () => {
          asked++
          throw new Error('down')
        }),
        shout,
      ],
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', options)
    const result = await run.result
    const recorded = await allEvents(run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'TELL IT' })
    const before = [asked, child.model.calls.length]
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(recorded)
    expect([asked, child.model.calls.length]).toEqual(before)
  })

  test('a replay with other processors tells the difference where the journal has no agents, and a resume is refused', async () => {
    const { agent } = worker('solo', ['answer'], { outputProcessors: [shout] })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', options)
    await run.result
    const journal = (await troupe.journal(run.id)).map(unrecorded)
    const changed = worker('solo', [], { outputProcessors: [output('whisper', () => 'hush')] })
    const other = createTroupe({
      agents: [changed.agent],
      store: { ...memoryStore(), read: async () => journal },
    })
    expect((await other.replay(run.id)).diverged).toMatchObject({ field: 'digest of the input' })
    await expect(other.resume(run.id)).rejects.toMatchObject({ code: 'JOURNAL_MISMATCH' })
  })

  test('a cancel while a processor is at work ends the run; what it answers then changes nothing', async () => {
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<string>()
    const { agent, model } = worker('solo', ['answer'], {
      outputProcessors: [
        output('slow', () => {
          entered.resolve()
          return gate.promise
        }),
      ],
    })
    const run = agent.stream('Go', options)
    await entered.promise
    await run.cancel('enough')
    const result = await run.result
    gate.resolve('late')
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'enough', text: '' })
    expect(messages(await allEvents(run)).ended).toEqual([])
    expect(model.calls).toHaveLength(1)
  })

  test('parts may be replaced, held back and given out later: the message is what was given out', async () => {
    /** Gives out whole sentences, and masks digits. */
    const sentences = stream('sentences', ({ part, state }) => {
      const before = state['held']
      const held = (typeof before === 'string' ? before : '') + part.text
      const end = held.lastIndexOf('.') + 1
      state['held'] = held.slice(end)
      return end === 0 ? null : held.slice(0, end)
    })
    const mask = stream('mask', ({ part }) => part.text.replaceAll(/\d/g, '#'))
    const { agent } = worker('solo', ['It is 42. Or 43. And so'], { outputProcessors: [sentences, mask] })
    const run = agent.stream('Go', options)
    const [seen, { result, ended }] = await Promise.all([texts(run), live(run)])
    expect(result).toMatchObject({ outcome: 'completed', text: 'It is ##. Or ##.' })
    expect(ended).toEqual([{ id: 'solo:m1', text: 'It is ##. Or ##.', deltas: 'It is ##. Or ##.' }])
    expect(seen.join('')).toBe('It is ##. Or ##.')
  })

  test('the reasoning of a model goes the same way, with a text of its own', async () => {
    const seen: string[] = []
    const { agent } = worker('solo', [{ reasoning: 'I think of 7.', text: 'Seven: 7.' }], {
      outputProcessors: [
        stream('mask', ({ part, text }) => {
          seen.push(`${part.type} ${text}`)
          return part.text.replaceAll('7', '#')
        }),
      ],
    })
    const { events, result } = await live(agent.stream('Go', options))
    expect(result.text).toBe('Seven: #.')
    expect(only(events, 'reasoning-end').map(({ payload }) => payload.text)).toEqual(['I think of #.'])
    expect(
      only(events, 'reasoning-delta')
        .map(({ payload }) => payload.text)
        .join(''),
    ).toBe('I think of #.')
    expect(seen.filter((one) => one.startsWith('reasoning')).at(-1)).toBe('reasoning I think of 7.')
    expect(seen.filter((one) => one.startsWith('text')).at(-1)).toBe('text Seven: 7.')
  })

  test('an abort of a part trips, or asks again', async () => {
    const guard = (retry: boolean) =>
      stream('guard', ({ text, abort }) => {
        if (text.includes('bad')) abort('it is bad', { retry })
      })
    const tripped = worker('solo', ['this is bad stuff'], { outputProcessors: [guard(false)] })
    const one = await live(tripped.agent.stream('Go', options))
    expect(one.result).toMatchObject({ outcome: 'tripped', reason: 'it is bad', text: '' })
    expect(one.result.usage.totalTokens).toBe(15)
    expect(one.ended).toEqual([])
    expect(JSON.stringify(one.events)).not.toContain('stuff')

    const again = worker('solo', ['this is bad stuff', 'this is good'], { outputProcessors: [guard(true)] })
    const two = await live(again.agent.stream('Go', options))
    expect(two.result).toMatchObject({ outcome: 'completed', text: 'this is good' })
    expect(two.ended).toEqual([{ id: 'solo:m2', text: 'this is good', deltas: 'this is good' }])
    expect(shown(again.model, 2).at(-1)?.content).toContain('it is bad')
  })

  test('each message has a state of its own', async () => {
    const { agent } = worker('solo', [{ ...calls({ name: 'lookup', args: { q: 'x' } }), text: 'a' }, 'b'], {
      tools: { lookup },
      outputProcessors: [
        stream('count', ({ part, state }) => {
          state['parts'] = Number(state['parts'] ?? 0) + 1
          return `${part.text}${String(state['parts'])}`
        }),
      ],
    })
    const result = await agent.generate('Go', options)
    expect(result.steps.map(({ text }) => text)).toEqual(['a1', 'b1'])
  })

  test('a part processor that throws fails closed; ignored, it is absent for the rest of the reply', async () => {
    const broken = stream('broken', ({ text }) => {
      if (text.includes('swordfish')) throw new Error('down')
    })
    const failed = worker('solo', ['It is swordfish for sure.'], { outputProcessors: [broken] })
    const one = await live(failed.agent.stream('Go', options))
    expect(one.result).toMatchObject({ outcome: 'failed', error: { message: 'down' }, text: '' })
    expect(JSON.stringify(one.events)).not.toContain('swordfish')

    const ignored = worker('solo', ['It is swordfish for sure.'], {
      outputProcessors: [broken, stream('dash', ({ part }) => part.text.replaceAll(' ', '-'))],
      hookErrors: 'ignore',
    })
    const two = await live(ignored.agent.stream('Go', options))
    expect(two.result).toMatchObject({ outcome: 'completed', text: 'It-is-swordfish-for-sure.' })
    expect(two.ended.map(({ deltas }) => deltas)).toEqual(['It-is-swordfish-for-sure.'])
    expect(only(two.events, 'error').map(({ payload }) => payload.error.message)).toEqual(['down'])
  })

  test('parts come before the whole, whatever the order of the list', async () => {
    const order: string[] = []
    const { agent } = worker('solo', ['one'], {
      outputProcessors: [
        output('whole', ({ text }) => void order.push(`whole ${text}`)),
        {
          id: 'both',
          processOutputStream: ({ part }) => part.text.toUpperCase(),
          processOutput: ({ text }) => void order.push(`both ${text}`),
        },
      ],
    })
    expect(await agent.generate('Go', options)).toMatchObject({ text: 'ONE' })
    expect(order).toEqual(['whole ONE', 'both ONE'])
  })

  test('a text that is changed after it may have been streamed is another message, whole for every reader', async () => {
    const { agent } = worker('solo', ['one two'], {
      outputProcessors: [{ id: 'both', processOutputStream: () => undefined, processOutput: () => 'three' }],
    })
    const { result, ended } = await live(agent.stream('Go', options))
    expect(result.text).toBe('three')
    expect(ended).toEqual([{ id: 'solo:m2', text: 'three', deltas: 'three' }])
  })
})

describe('streaming', () => {
  const reply = (text: string): ModelReply => ({
    text,
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  })

  function solo(model: ChatModel, outputProcessors: readonly OutputProcessor[]) {
    return createAgent({ id: 'solo', instructions: '', model, outputProcessors })
  }

  test('parts are shown as they come when every output processor looks at parts', async () => {
    const gate = Promise.withResolvers<void>()
    const model: ChatModel = {
      provider: 'test',
      modelId: 'slow',
      async generate(_request, { onDelta }) {
        onDelta?.({ type: 'text', text: 'one ' })
        await gate.promise
        onDelta?.({ type: 'text', text: 'two' })
        return reply('one two')
      },
    }
    const run = solo(model, [stream('shout', ({ part }) => part.text.toUpperCase())]).stream('Go')
    const first = await until(run, 'text-delta')
    expect(first).toMatchObject({ payload: { text: 'ONE ' }, messageId: 'solo:m1' })
    gate.resolve()
    expect(await run.result).toMatchObject({ text: 'ONE TWO' })
  })

  test('nothing is shown before the whole has passed when one looks at whole replies alone', async () => {
    const gate = Promise.withResolvers<void>()
    const streamed = Promise.withResolvers<void>()
    const model: ChatModel = {
      provider: 'test',
      modelId: 'slow',
      async generate(_request, { onDelta }) {
        onDelta?.({ type: 'reasoning', text: 'hm' })
        onDelta?.({ type: 'text', text: 'one ' })
        streamed.resolve()
        await gate.promise
        return { ...reply('one two'), reasoning: 'hm' }
      },
    }
    const run = solo(model, [stream('passes', () => undefined), shout]).stream('Go')
    const seen: string[] = []
    const reading = (async () => {
      for await (const event of run.events) seen.push(event.type)
    })()
    await streamed.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual(['run-start', 'step-start'])
    gate.resolve()
    await reading
    expect(seen.filter((type) => type.endsWith('delta'))).toEqual(['reasoning-delta', 'text-delta'])
    expect(await run.result).toMatchObject({ text: 'ONE TWO' })
  })

  test('an abort in mid-stream aborts the call of the model, and no further part is shown', async () => {
    let signal: AbortSignal | undefined
    const model: ChatModel = {
      provider: 'test',
      modelId: 'endless',
      async generate(_request, options) {
        signal = options.signal
        for (const text of ['this ', 'is ', 'bad ', 'indeed ']) options.onDelta?.({ type: 'text', text })
        return new Promise<ModelReply>((_, reject) => {
          options.signal.addEventListener('abort', () => reject(new Error('aborted by the guard')))
        })
      },
    }
    const guard = stream('guard', ({ part, abort }) => {
      if (part.text === 'bad ') abort('it is bad')
    })
    const { result, deltas, ended, events } = await live(solo(model, [guard]).stream('Go'))
    expect(result).toMatchObject({ outcome: 'tripped', reason: 'it is bad', text: '' })
    expect(signal?.aborted).toBe(true)
    expect([...deltas]).toEqual([['solo:m1', 'this is ']])
    expect(ended).toEqual([])
    expect(JSON.stringify(events)).not.toContain('aborted by the guard')
  })

  test('a model that does not heed its signal does not hold the run', async () => {
    const model: ChatModel = {
      provider: 'test',
      modelId: 'deaf',
      async generate(_request, { onDelta }) {
        onDelta?.({ type: 'text', text: 'bad' })
        return new Promise<ModelReply>(() => undefined)
      },
    }
    const guard = stream('guard', ({ abort }) => abort('it is bad'))
    expect(await solo(model, [guard]).stream('Go').result).toMatchObject({ outcome: 'tripped' })
  })

  test('a cancel aborts the call of a model whose parts are looked at', async () => {
    const called = Promise.withResolvers<AbortSignal>()
    const model: ChatModel = {
      provider: 'test',
      modelId: 'hangs',
      generate(_request, { signal }) {
        called.resolve(signal)
        return new Promise<ModelReply>(() => undefined)
      },
    }
    const run = solo(model, [stream('passes', () => undefined)]).stream('Go')
    const signal = await called.promise
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(signal.aborted).toBe(true)
  })

  test('what a model gives only at the end, or fails with, goes the same way as without processors', async () => {
    const passes = [stream('shout', ({ part }) => part.text.toUpperCase())]
    const silent = { provider: 'test', modelId: 'silent', generate: async () => reply('whole') }
    expect(await solo(silent, passes).stream('Go').result).toMatchObject({ text: 'WHOLE' })

    const model = scriptedModel([{ error: new RetryableError('busy') }, 'then'])
    expect(await solo(model, passes).stream('Go').result).toMatchObject({
      outcome: 'completed',
      text: 'THEN',
    })

    const broken = { provider: 'test', modelId: 'broken', generate: async () => 7 as never }
    expect(await solo(broken, passes).stream('Go').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'MODEL_REPLY_INVALID' },
    })
  })

  test('one who reads afterwards sees what one who read along saw, as one delta', async () => {
    const { agent } = worker('solo', ['one two three'], {
      outputProcessors: [stream('no-two', ({ part }) => (part.text === 'two ' ? null : undefined))],
    })
    const run = agent.stream('Go')
    const along = await live(run)
    const afterwards = messages(await allEvents(run))
    expect(along.ended).toEqual([{ id: 'solo:m1', text: 'one three', deltas: 'one three' }])
    expect(afterwards.ended).toEqual(along.ended)
    expect(only(along.events, 'text-delta').every(({ seq }) => seq === undefined)).toBe(true)
  })
})

describe('bad options', () => {
  const model = scriptedModel([])
  const define = (options: object) => () => createAgent({ id: 'a', instructions: '', model, ...options })

  test.each<[string, object, string]>([
    ['no list', { inputProcessors: shout }, 'inputProcessors must be a list of processors'],
    [
      'a processor that is none',
      { outputProcessors: ['x'] },
      'outputProcessors[0] must be a processor, not "x"',
    ],
    ['no id', { inputProcessors: [{ processInput: () => undefined }] }, 'the id undefined is not allowed'],
    ['an id twice', { outputProcessors: [shout, shout] }, 'the id "shout" stands twice'],
    ['no function', { inputProcessors: [{ id: 'x' }] }, 'the processor "x" needs processInput'],
    [
      'neither function',
      { outputProcessors: [{ id: 'x' }] },
      'the processor "x" needs processOutput or processOutputStream',
    ],
    [
      'a function that is none',
      { outputProcessors: [{ id: 'x', processOutput: 'y' }] },
      'outputProcessors[0].processOutput must be a function, not "y"',
    ],
    [
      'a negative count',
      { maxProcessorRetries: -1 },
      'maxProcessorRetries must be 0 or a positive integer, not -1',
    ],
  ])('%s is refused', (_what, options, problem) => {
    expect(define(options)).toThrow(problem)
    expect(define(options)).toThrow('createAgent("a")')
  })

  test('also for one run, and on supervisors', async () => {
    const agent = createSupervisor({ id: 'a', instructions: '', model })
    await expect(agent.generate('Go', { outputProcessors: [shout, shout] })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})
