/** Input processors see messages of people before a model does: they change them, or refuse them. */
import {
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  SignalError,
  textOf,
  type InputProcessor,
  type RunEvent,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, until, worker } from '../../support/agents/agents.ts'
import { guarded } from '../../support/agents/guarded.ts'
import { transfer } from '../../support/agents/handoffs.ts'

const callId = 'solo/call:1.1'
const asks = calls({ name: 'guarded', args: {} })

/** Replaces names, and refuses passwords. The prompt is no message of a person in mid-run. */
function guard(): { readonly processor: InputProcessor; readonly seen: string[] } {
  const seen: string[] = []
  const processor: InputProcessor = {
    id: 'guard',
    processInput({ messages, abort }) {
      seen.push(messages.map(({ content }) => textOf(content)).join(' | '))
      if (JSON.stringify(messages).includes('password')) abort('no passwords')
      return messages.map((message) =>
        message.role === 'user'
          ? { role: 'user', content: textOf(message.content).replaceAll('Ann', 'Bea') }
          : message,
      )
    },
  }
  return { processor, seen }
}

function said(model: Parameters<typeof shown>[0], call: number): readonly string[] {
  return shown(model, call).flatMap((message) =>
    message.role === 'user' && message.internal === 'said' ? [textOf(message.content)] : [],
  )
}

const story = (events: readonly RunEvent[]) =>
  only(events, 'said', 'heard', 'say-refused').map(({ type, payload }) => [
    type,
    payload.id,
    'reason' in payload ? payload.reason : undefined,
  ])

test('a message is read as processors have changed it, and not at all where one refuses it', async () => {
  const { processor, seen } = guard()
  const { agent, model } = worker('solo', [asks, 'Done.'], {
    tools: { guarded },
    inputProcessors: [processor],
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'tool-call-approval')
  await run.say('Write to Ann.', { id: 'm1' })
  await run.say('The password is x.', { id: 'm2' })
  await run.say('Be brief.', { id: 'm3' })
  await run.approve(callId)
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(result).not.toHaveProperty('unheard')
  expect(said(model, 2)).toEqual(['Write to Bea.', 'Be brief.'])
  expect(seen.slice(1)).toEqual(['Write to Ann.', 'The password is x.', 'Be brief.'])
  expect(story(await allEvents(run))).toEqual([
    ['said', 'm1', undefined],
    ['said', 'm2', undefined],
    ['said', 'm3', undefined],
    ['say-refused', 'm2', 'no passwords'],
    ['heard', 'm1', undefined],
    ['heard', 'm3', undefined],
  ])
  await expect(run.say('The password is x.', { id: 'm2' })).rejects.toThrow(SignalError)
  expect((await troupe.replay(run.id)).result).toEqual(result)
  await troupe.close()
})

test.each([
  ['an agent', worker],
  ['a supervisor', lead],
])('%s: an answer stands where the message that came meanwhile is refused', async (_, make) => {
  const { processor } = guard()
  const gate = Promise.withResolvers<void>()
  const { agent, model } = make('solo', ['The answer.', 'Another.'], {
    inputProcessors: [processor],
    onStepFinish: () => gate.promise,
  })
  const run = agent.stream('Go')
  await until(run, 'step-start')
  await run.say('The password is x.')
  gate.resolve()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'The answer.' })
  expect(model.calls).toHaveLength(1)
})

test('an answer that scorers have accepted stands where the message that came meanwhile is refused', async () => {
  const { processor } = guard()
  const gate = Promise.withResolvers<void>()
  const { agent, model } = lead('solo', ['The answer.', 'Another.'], {
    inputProcessors: [processor],
    completion: { scorers: [createScorer({ id: 'judge', score: () => 1 })] },
    onStepFinish: () => gate.promise,
  })
  const run = agent.stream('Go')
  await until(run, 'step-start')
  await run.say('The password is x.')
  gate.resolve()
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'The answer.' })
  expect(result.scores).toHaveLength(1)
  expect(model.calls).toHaveLength(1)
})

test('a message that comes while a stop condition is asked is checked before the model is called for it', async () => {
  const { processor } = guard()
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<boolean>()
  const slow = createTool({
    id: 'slow',
    description: 'Asks first.',
    inputSchema: z.object({}),
    requireApproval: true,
    background: true,
    execute: () => 'slow result',
  })
  const { agent, model } = worker('solo', [calls({ name: 'slow', args: {} }), 'Nothing yet.', 'All done.'], {
    tools: { slow },
    inputProcessors: [processor],
    stopWhen: ({ stepCount }) => {
      if (stepCount < 2) return false
      asked.resolve()
      return gate.promise
    },
  })
  const run = agent.stream('Go')
  await asked.promise
  await run.say('The password is x.')
  gate.resolve(false)
  await until(run, 'say-refused')
  await expect.poll(async () => (await run.whenIdle).outcome).toBe('suspended')
  expect(model.calls).toHaveLength(2)
  await run.approve(callId)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
  expect(model.calls).toHaveLength(3)
})

test('a refused message does not rouse an agent that waits for the background', async () => {
  const { processor } = guard()
  const slow = createTool({
    id: 'slow',
    description: 'Asks first.',
    inputSchema: z.object({}),
    requireApproval: true,
    background: true,
    execute: () => 'slow result',
  })
  const { agent, model } = worker(
    'solo',
    [calls({ name: 'slow', args: {} }), 'Nothing yet.', 'I heard you.', 'All done.'],
    { tools: { slow }, inputProcessors: [processor] },
  )
  const run = agent.stream('Go')
  expect((await run.whenIdle).outcome).toBe('suspended')
  await run.say('The password is x.')
  await until(run, 'say-refused')
  await expect.poll(async () => (await run.whenIdle).outcome).toBe('suspended')
  expect(model.calls).toHaveLength(2)
  await run.say('Hello, Ann?')
  await until(run, 'heard')
  await expect.poll(() => model.calls.length).toBe(3)
  expect(said(model, 3)).toEqual(['Hello, Bea?'])
  await run.approve(callId)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
})

describe('a processor that throws', () => {
  const broken: InputProcessor = {
    id: 'broken',
    processInput({ messages }) {
      if (messages.some((message) => message.role === 'user' && message.internal === 'said')) {
        throw new Error('The list is down.')
      }
    },
  }

  test.each([
    ['fail', [], [['say-refused', 'm1', 'The message could not be checked: HOOK_FAILED.']]],
    ['ignore', ['Be brief.'], [['heard', 'm1', undefined]]],
  ] as const)('hookErrors: %s', async (hookErrors, heard, end) => {
    const { agent, model } = worker('solo', [asks, 'Done.'], {
      tools: { guarded },
      inputProcessors: [broken],
      hookErrors,
    })
    const run = agent.stream('Go', { onError: () => undefined })
    await until(run, 'tool-call-approval')
    await run.say('Be brief.', { id: 'm1' })
    await run.approve(callId)
    expect((await run.result).outcome).toBe('completed')
    expect(said(model, 2)).toEqual(heard)
    const events = await allEvents(run)
    expect(story(events)).toEqual([['said', 'm1', undefined], ...end])
    expect(only(events, 'error').map(({ payload }) => payload.error.message)).toEqual(['The list is down.'])
  })
})

test('the processors of the successor see what was said before a handoff', async () => {
  const { processor } = guard()
  const gate = Promise.withResolvers<void>()
  const clerk = worker('clerk', ['Done.'], { inputProcessors: [processor] })
  const { agent } = worker('desk', [calls(transfer('clerk'))], {
    handoffs: { clerk: clerk.agent },
    onStepFinish: () => gate.promise,
  })
  const run = agent.stream('Go')
  await until(run, 'step-start')
  await run.say('Write to Ann.')
  gate.resolve()
  await run.result
  expect(said(clerk.model, 1)).toEqual(['Write to Bea.'])
})

test('a message that is being checked when the process ends is checked by the next one, once', async () => {
  const reached = Promise.withResolvers<void>()
  let isDown = true
  const slow: InputProcessor = {
    id: 'slow',
    async processInput({ messages }) {
      if (isDown && messages.some((message) => message.role === 'user' && message.internal === 'said')) {
        reached.resolve()
        await new Promise(() => undefined)
      }
      return messages.map((message) =>
        message.role === 'user' ? { ...message, content: `${textOf(message.content)} (checked)` } : message,
      )
    },
  }
  const { agent, model } = worker('solo', [asks, 'Done.'], { tools: { guarded }, inputProcessors: [slow] })
  const store = memoryStore()
  const first = createTroupe({ agents: [agent], store })
  const run = await first.start(agent, 'Go')
  await until(run, 'tool-call-approval')
  await run.say('Be brief.')
  await run.approve(callId)
  await reached.promise
  await first.close()
  isDown = false
  const second = createTroupe({ agents: [agent], store })
  expect(await (await second.resume(run.id)).result).toMatchObject({ outcome: 'completed' })
  expect(said(model, 2)).toEqual(['Be brief. (checked)'])
  await second.close()
})
