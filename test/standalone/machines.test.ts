/** The machines of `troupe/machines` under plain XState: no engine, and outcomes that the test feeds. */
import { createActor, fromPromise, toPromise, type AnyActorRef, type AnyStateMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  ConfigurationError,
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  type AnyAgent,
  type ChatModel,
  type ErrorData,
} from 'troupe'
import * as machines from 'troupe/machines'
import { scriptedModel } from 'troupe/testing'

const { inputOf, pendingEffects, settleEffect } = machines

/** A call of it would fail a test. */
const model: ChatModel = {
  provider: 'none',
  modelId: 'none',
  generate: () => Promise.reject(new Error('The model was called.')),
}

const calls = { count: 0 }
const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: () => ++calls.count,
})
const publish = createTool({
  id: 'publish',
  description: 'Publishes.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => ++calls.count,
})
const finder = createAgent({ id: 'finder', description: 'Finds facts.', instructions: 'Find.', model })
const writer = createAgent({ id: 'writer', description: 'Writes.', instructions: 'Write.', model })
const agents = { finder, writer }
const base = { instructions: 'Work.', model }
const lead = createSupervisor({ id: 'lead', ...base, agents, tools: { lookup, publish } })

function started(machine: AnyStateMachine, agent: AnyAgent, prompt = 'Write about snow.'): AnyActorRef {
  const actor = createActor(machine, { input: inputOf(agent, prompt) })
  actor.subscribe({ error: () => undefined })
  actor.start()
  return actor
}

const keysOf = (actor: AnyActorRef): string[] => pendingEffects(actor).map(({ key }) => key)
const delegate = (agent: string, id = 'c1') => ({ id, name: `agent-${agent}`, args: { prompt: 'Snow?' } })

describe('a supervisor', () => {
  test('is driven through delegation and tool call to its answer', () => {
    const actor = started(machines.supervisorMachine(), lead)
    const emitted: string[] = []
    actor.on('*', ({ type }) => emitted.push(type))
    expect(keysOf(actor)).toEqual(['model'])

    const look = { id: 'c2', name: 'lookup', args: { q: 'snow' } }
    settleEffect(actor, 'model', { value: { toolCalls: [delegate('finder'), look] } })
    expect(actor.getSnapshot().value).toEqual({ acting: 'working' })
    expect(keysOf(actor)).toEqual(['delegation:1.1/finder', 'call:1.2/tool'])
    expect(pendingEffects(actor)).toMatchObject([
      { kind: 'agent', input: { agent: 'finder', task: 'Snow?' } },
      { kind: 'tool', input: { tool: 'lookup', args: { q: 'snow' } } },
    ])

    settleEffect(actor, 'call:1.2/tool', { value: { type: 'returned', value: 7 } })
    settleEffect(actor, 'delegation:1.1/finder', { value: { outcome: 'completed', text: 'Ice.' } })
    expect(keysOf(actor)).toEqual(['model'])
    settleEffect(actor, 'model', { value: { text: 'Snow is ice.' } })
    expect(actor.getSnapshot()).toMatchObject({
      status: 'done',
      value: 'completed',
      output: {
        outcome: 'completed',
        text: 'Snow is ice.',
        delegations: [{ agent: 'finder', text: 'Ice.' }],
      },
    })
    expect(emitted).toContain('step-finish')
    expect(pendingEffects(actor)).toEqual([])
    expect(calls.count).toBe(0)
  })

  test('waits for a person, and is denied', () => {
    const actor = started(machines.supervisorMachine(), lead)
    settleEffect(actor, 'model', { value: { toolCalls: [{ id: 'c1', name: 'publish', args: {} }] } })
    expect(keysOf(actor)).toEqual(['call:1.1/signal:approval'])
    settleEffect(actor, 'call:1.1/signal:approval', { value: { approved: false, reason: 'no' } })
    settleEffect(actor, 'model', { value: { text: 'It was denied.' } })
    const { output } = actor.getSnapshot()
    expect(output.steps[0].toolResults).toMatchObject([{ name: 'publish', outcome: 'denied' }])
  })

  test('retries after an error that may pass, when its timer fires', () => {
    const actor = started(machines.supervisorMachine(), lead)
    const error: ErrorData = { name: 'Error', code: 'DOWN', message: 'no answer' }
    settleEffect(actor, 'model', { error: { ...error, retryable: true } })
    expect(keysOf(actor)).toEqual(['timer:backoff'])
    settleEffect(actor, 'timer:backoff', { value: null })
    settleEffect(actor, 'model', { error })
    expect(actor.getSnapshot()).toMatchObject({ value: 'failed', output: { error: { code: 'DOWN' } } })
  })

  test('is cancelled: its delegation reports first', () => {
    const actor = started(machines.supervisorMachine(), lead)
    settleEffect(actor, 'model', { value: { toolCalls: [delegate('finder')] } })
    actor.send({ type: 'cancel', cause: 'cancel', reason: 'enough' })
    expect(actor.getSnapshot().value).toBe('cancelling')
    settleEffect(actor, 'delegation:1.1/finder', { value: { outcome: 'cancelled', text: '' } })
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { outcome: 'cancelled' } })
  })

  test('is scored, by its scorers as effects', () => {
    const scorers = [createScorer({ id: 'good', score: () => 1 })]
    const scored = createSupervisor({ id: 'scored', ...base, completion: { scorers } })
    const actor = started(machines.supervisorMachine(), scored)
    settleEffect(actor, 'model', { value: { text: 'Snow.' } })
    const key = keysOf(actor).find((one) => one.includes('scorer')) ?? ''
    expect(pendingEffects(actor).find((effect) => effect.key === key)?.kind).toBe('scorer')
    settleEffect(actor, key, { value: { score: 1 } })
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { outcome: 'completed' } })
  })

  test('takes logic of the caller in place of an effect', async () => {
    const answers = fromPromise(() =>
      Promise.resolve({
        text: 'By promise.',
        toolCalls: [],
        finishReason: 'stop',
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      }),
    )
    const machine: AnyStateMachine = machines.supervisorMachine()
    const actor = started(machine.provide({ actors: { model: answers } }), lead)
    expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'By promise.' })
  })
})

describe('every pattern', () => {
  const scheme = { id: 'a', ...base, agents }
  const router = createRouter({ ...scheme, memory: true })
  const panel = createMetaRouter({ id: 'a', ...base, agents: { react: finder } })
  test.for<[string, () => AnyStateMachine, AnyAgent, string]>([
    ['react', machines.reactMachine, createAgent({ id: 'a', ...base }), 'model'],
    ['supervisor', machines.supervisorMachine, lead, 'model'],
    ['router', machines.routerMachine, router, 'memory:recall'],
    ['dispatch', machines.dispatchMachine, createDispatcher(scheme), 'decision:2/model'],
    ['plan-then-execute', machines.planThenExecuteMachine, createPlanner(scheme), 'decision:1/model'],
    ['fan-out', machines.fanOutMachine, createFanOut(scheme), 'decision:1/model'],
    ['reflexion', machines.reflexionMachine, createReflexion({ id: 'a', ...base }), 'model'],
    ['debate', machines.debateMachine, createDebate(scheme), 'delegation:1.1/finder'],
    ['meta-router', machines.metaRouterMachine, panel, 'config'],
  ])('%s starts, and waits for an effect', ([id, machine, agent, key]) => {
    const actor = started(machine(), agent)
    expect(machine().id).toBe(id)
    expect(actor.getSnapshot().status).toBe('active')
    expect(keysOf(actor)).toContain(key)
    actor.stop()
  })
})

describe('what is wrong', () => {
  const errorOf = (machine: AnyStateMachine, input: unknown): unknown => {
    const actor = createActor(machine, { input })
    actor.subscribe({ error: () => undefined })
    return (actor.getSnapshot() as { readonly error: unknown }).error
  }

  test.for([{}, undefined, null, 'text', { profile: {} }])('the input %j names inputOf', (input) => {
    for (const machine of [lead.chart(), machines.supervisorMachine(), machines.metaRouterMachine()]) {
      const error = errorOf(machine, input)
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(String(error)).toContain('inputOf(agent, prompt)')
    }
  })

  test('the chart of an agent has no effects outside of a run', () => {
    const actor = started(lead.chart(), lead)
    expect(actor.getSnapshot()).toMatchObject({ value: 'failed' })
    expect(String(actor.getSnapshot().output.error.message)).toContain('troupe/machines')
  })

  test('an input that cannot be made', () => {
    expect(() => inputOf(lead, ' ')).toThrow(ConfigurationError)
    expect(() => inputOf(lead, 'Go', { maxSteps: 0 })).toThrow(ConfigurationError)
    const none: object = {}
    expect(() => inputOf(none as AnyAgent, 'Go')).toThrow('inputOf takes an agent')
  })

  test('an effect that does not wait, and a value that it cannot have', () => {
    const actor = started(machines.supervisorMachine(), lead)
    expect(() => settleEffect(actor, 'tool', { value: 1 })).toThrow(
      'settleEffect: no effect "tool" waits. These wait: model.',
    )
    expect(() => settleEffect(actor, 'model', { value: 1 })).toThrow(ConfigurationError)
    expect(() => settleEffect(actor, 'model', { value: 1 })).toThrow('is no outcome of a model')
    const none: object = {}
    expect(() => settleEffect(actor, 'model', none as never)).toThrow('is { value } or { error:')
    expect(keysOf(actor)).toEqual(['model'])
    actor.stop()
    expect(() => settleEffect(actor, 'model', { value: { text: 'Late.' } })).toThrow('These wait: none.')
  })
})

test('the options of a run are in the input', () => {
  const input = inputOf(lead, [{ role: 'user', content: 'Hi' }], { maxSteps: 2, runId: 'r', threadId: 't' })
  expect(input).toMatchObject({ runId: 'r', threadId: 't', task: 'Hi', maxSteps: 2, path: 'lead' })
  expect(input.messages.toArray().map(({ role }) => role)).toEqual(['system', 'user'])
})

test('a run of a troupe is as it was: the machines are not changed', async () => {
  const agent = createSupervisor({ id: 'lead', instructions: '', model: scriptedModel(['Done.']) })
  started(machines.supervisorMachine(), agent).stop()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await troupe.close()
})
