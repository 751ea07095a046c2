/** Messages of people to a run that is under way: who reads them, when they are refused, and what becomes of the rest. */
import {
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  SignalError,
  textOf,
  type Run,
  type RunResult,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, until, worker } from '../../support/agents/agents.ts'
import { transfer } from '../../support/agents/handoffs.ts'
import { done, router } from '../../support/agents/routing.ts'

const inputSchema = z.object({})

const guarded = createTool({
  id: 'guarded',
  description: 'Must be allowed.',
  inputSchema,
  requireApproval: true,
  execute: () => 'allowed',
})

/** A tool that is at work until it is told to end. */
function heldTool() {
  const gate = Promise.withResolvers<string>()
  const held = createTool({ id: 'held', description: 'Holds.', inputSchema, execute: () => gate.promise })
  return { held, release: () => gate.resolve('at last') }
}

async function codeOf(saying: Promise<void>): Promise<string> {
  try {
    await saying
  } catch (error) {
    if (error instanceof SignalError) return error.code
    throw error
  }
  return 'taken'
}

/** The last messages of a request that came from a user. */
function asked(model: Parameters<typeof shown>[0], call: number): readonly string[] {
  return shown(model, call).flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []))
}

const callId = 'solo/call:1.1'

describe('the model reads a message with its next request', () => {
  test('while a tool is at work: after its result', async () => {
    const { held, release } = heldTool()
    const { agent, model } = worker('solo', [calls({ name: 'held', args: {} }), 'Done.'], { tools: { held } })
    const run = agent.stream('Go')
    await until(run, 'tool-call')
    await run.say('Be brief.', { by: 'ann' })
    release()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result).not.toHaveProperty('unheard')
    expect(shown(model, 2).slice(-2)).toMatchObject([
      { role: 'tool', content: 'at last' },
      { role: 'user', content: 'Be brief.', internal: 'said' },
    ])
    const events = only(await allEvents(run), 'said', 'heard')
    expect(events.map(({ type }) => type)).toEqual(['said', 'heard'])
    expect(events[0]?.payload).toMatchObject({ message: 'Be brief.', by: 'ann' })
    expect(events[1]?.payload.id).toBe(events[0]?.payload.id)
  })

  test('an answer that was given meanwhile is not the end', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model } = worker('solo', ['Too early.', 'Now with that.'], {
      onStepFinish: () => gate.promise,
    })
    const run = agent.stream('Go')
    await until(run, 'step-start')
    await run.say('Add a title.')
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Now with that.' })
    expect(asked(model, 2)).toEqual(['Go', 'Add a title.'])
  })

  test('a supervisor that is reviewed and scored goes on too', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model } = lead('lead', ['Too early.', 'Now with that.'], {
      onStepFinish: () => gate.promise,
      agents: { helper: worker('helper', []).agent },
      onIterationComplete: () => undefined,
      completion: { scorers: [createScorer({ id: 'good', score: () => 1 })] },
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { threadId: 't' })
    await until(run, 'step-start')
    await run.say('Add a title.')
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Now with that.' })
    expect(asked(model, 2)).toEqual(['Go', 'Add a title.'])
    const thread = await troupe.memory.messages('t')
    expect(thread.map(({ content }) => content)).toEqual(['Go', 'Add a title.', 'Now with that.'])
    await troupe.close()
  })

  test('at a cap the final turn reads it', async () => {
    const { held, release } = heldTool()
    const { agent, model } = worker('solo', [calls({ name: 'held', args: {} }), 'In short.'], {
      tools: { held },
      maxSteps: 1,
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call')
    await run.say('Be brief.')
    release()
    expect(await run.result).toMatchObject({ outcome: 'exhausted', text: 'In short.' })
    expect(asked(model, 2).at(-1)).toBe('Be brief.')
  })

  test('a suspended run keeps it, also when it has left memory and its process', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], {
      tools: { guarded },
    })
    const store = memoryStore()
    const first = createTroupe({ agents: [agent], store, passivateAfter: 0 })
    const run = await first.start(agent, 'Go')
    expect((await run.whenIdle).outcome).toBe('suspended')
    await run.say('Be brief.')
    expect((await run.whenIdle).outcome).toBe('suspended')
    await run.say('And kind.')
    await first.close()
    const second = createTroupe({ agents: [agent], store })
    await second.signal(run.id, { type: 'say', message: 'And soon.', by: 'ann' })
    await second.signal(run.id, { type: 'approve', toolCallId: callId })
    expect(await (await second.resume(run.id)).result).toMatchObject({ outcome: 'completed' })
    expect(asked(model, 2)).toEqual(['Go', 'Be brief.', 'And kind.', 'And soon.'])
    expect((await second.history(run.id)).filter(({ message }) => message !== undefined)).toMatchObject([
      { message: 'Be brief.' },
      { message: 'And kind.' },
      { message: 'And soon.', by: 'ann' },
    ])
    expect((await second.replay(run.id)).result).toMatchObject({ outcome: 'completed' })
    await second.close()
  })

  test('an agent that waits for the background is roused, also where a person holds it', async () => {
    const slow = createTool({
      id: 'slow',
      description: 'Asks first.',
      inputSchema,
      requireApproval: true,
      background: true,
      execute: () => 'slow result',
    })
    const { agent, model } = worker(
      'solo',
      [calls({ name: 'slow', args: {} }), 'Nothing yet.', 'I heard you.', 'All done.'],
      { tools: { slow } },
    )
    const run = agent.stream('Go')
    expect((await run.whenIdle).outcome).toBe('suspended')
    await run.say('Hello?')
    await until(run, 'heard')
    await expect.poll(() => model.calls.length).toBe(3)
    expect(asked(model, 3).at(-1)).toBe('Hello?')
    await run.approve(callId)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
    const events = await allEvents(run)
    expect(only(events, 'resumed')[0]?.payload.sayId).toBe(only(events, 'said')[0]?.payload.id)
  })

  test('after a handoff the successor reads it', async () => {
    const gate = Promise.withResolvers<void>()
    const successor = worker('clerk', ['Done.'])
    const { agent } = worker('desk', [calls(transfer('clerk'))], {
      handoffs: { clerk: successor.agent },
      onStepFinish: () => gate.promise,
    })
    const run = agent.stream('Go')
    await until(run, 'step-start')
    await run.say('Be brief.')
    gate.resolve()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result).not.toHaveProperty('unheard')
    expect(asked(successor.model, 1).at(-1)).toBe('Be brief.')
  })

  test('a subagent reads it where it is given the conversation', async () => {
    const { held, release } = heldTool()
    const helper = worker('helper', ['Helped.'])
    const { agent } = lead(
      'lead',
      [calls({ name: 'held', args: {} }), calls(to('helper', 'Help.')), 'Done.'],
      {
        tools: { held },
        agents: { helper: helper.agent },
      },
    )
    const run = agent.stream('Go')
    await until(run, 'tool-call')
    await run.say('Be brief.')
    release()
    await run.result
    expect(asked(helper.model, 1)).toContain('Be brief.')
  })

  test('from a troupe that does not have the run', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], {
      tools: { guarded },
    })
    const store = memoryStore()
    const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: Infinity })
    const other = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    await other.signal(run.id, { type: 'say', message: 'Be brief.' })
    await until(run, 'said')
    await run.approve(callId)
    await run.result
    expect(asked(model, 2)).toEqual(['Go', 'Be brief.'])
    expect(await codeOf(other.signal(run.id, { type: 'say', message: 'More.' }))).toBe('SIGNAL_TOO_LATE')
    await Promise.all([owner.close(), other.close()])
  })
})

describe('a message is refused', () => {
  test('from the end on, and while the end is being noted', async () => {
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('solo', ['Done.'], {
      onFinish: async () => {
        reached.resolve()
        await gate.promise
      },
    })
    const run = agent.stream('Go')
    await reached.promise
    expect(await codeOf(run.say('Wait!'))).toBe('SIGNAL_TOO_LATE')
    gate.resolve()
    await run.result
    expect(await codeOf(run.say('Wait!'))).toBe('SIGNAL_TOO_LATE')
    expect(only(await allEvents(run), 'say-refused').map(({ payload }) => payload.code)).toEqual([
      'SIGNAL_TOO_LATE',
    ])
  })

  test('while the last entry before the end is being written', async () => {
    const finished = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const store = memoryStore()
    const append = store.append.bind(store)
    Object.assign(store, {
      append: async (...given: Parameters<typeof append>) => {
        if (JSON.stringify(given).includes('onStepFinish#1')) {
          reached.resolve()
          await gate.promise
        }
        return append(...given)
      },
    })
    const { agent } = worker('solo', ['Done.'], { onStepFinish: () => finished.promise })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    finished.resolve()
    await reached.promise
    const code = codeOf(run.say('Wait!'))
    gate.resolve()
    expect(await code).toBe('SIGNAL_TOO_LATE')
    expect((await run.result).outcome).toBe('completed')
    await troupe.close()
  })

  test('by a pattern without a loop of its model', async () => {
    const helper = worker('helper', ['Helped.'])
    const routing = router('router', [done('No need.')], { agents: { helper: helper.agent } })
    const gate = Promise.withResolvers<void>()
    const troupe = createTroupe({ agents: [routing.agent] })
    const run = await troupe.start(routing.agent, 'Go', {
      threadId: 't',
      inputProcessors: [
        {
          id: 'wait',
          processInput: async ({ messages }) => {
            await gate.promise
            return messages
          },
        },
      ],
    })
    await until(run, 'run-start')
    expect(await codeOf(run.say('Hello?'))).toBe('SIGNAL_NOT_SUPPORTED')
    gate.resolve()
    expect((await run.result).outcome).toBe('completed')
    await troupe.close()
  })

  test('while eight wait', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], {
      tools: { guarded },
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    const codes = await Promise.all(Array.from({ length: 9 }, (_, index) => codeOf(run.say(`And ${index}.`))))
    expect(codes).toEqual([...Array.from({ length: 8 }, () => 'taken'), 'SIGNAL_TOO_MANY'])
    await run.approve(callId)
    await run.result
    expect(asked(model, 2)).toHaveLength(9)
  })

  test.each([
    ['an empty message', { type: 'say', message: '' }, 'message must be a text that is not empty'],
    ['an unknown field', { type: 'say', message: 'x', bye: 'ann' }, 'did you mean "by"?'],
  ])('%s', async (_, signal, problem) => {
    const { agent } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await expect(run.signal(signal as never)).rejects.toThrow(problem)
    await run.approve(callId)
    await run.result
  })
})

describe('a message that no model reads is in the result', () => {
  async function spoken(run: Run): Promise<RunResult> {
    await until(run, 'tool-call-approval')
    await run.say('Be brief.')
    const { toolCallId } = (await until(run, 'tool-call-approval')).payload
    await run.approve(toolCallId)
    return run.result
  }

  test('after a stop condition', async () => {
    const { agent } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], {
      tools: { guarded },
      stopWhen: () => true,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await spoken(run)
    expect(result).toMatchObject({ outcome: 'stopped', unheard: [{ message: 'Be brief.' }] })
    expect(only(await allEvents(run), 'run-finish')[0]?.payload.unheard).toMatchObject([
      { message: 'Be brief.' },
    ])
    expect((await troupe.replay(run.id)).result).toMatchObject({ unheard: [{ message: 'Be brief.' }] })
    await troupe.close()
  })

  test('after a bail', async () => {
    const helper = worker('helper', [calls({ name: 'guarded', args: {} }), 'Helped.'], { tools: { guarded } })
    const { agent } = lead('lead', [calls(to('helper', 'Help.')), 'Done.'], {
      agents: { helper: helper.agent },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    expect(await spoken(agent.stream('Go'))).toMatchObject({
      outcome: 'bailed',
      unheard: [{ message: 'Be brief.' }],
    })
  })

  test('after a cancel', async () => {
    const { agent } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded } })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.say('Be brief.')
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled', unheard: [{ message: 'Be brief.' }] })
  })
})
