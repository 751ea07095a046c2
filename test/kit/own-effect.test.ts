/** Agents of a chart, and effects of adapters: a journal keeps their outcomes, and a crash repeats none that is settled. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { assign, setup } from 'xstate'
import { createSupervisor, createTroupe, memoryStore, type RunStore } from 'troupe'
import { defineChartAgent, defineEffect, readRun, type EffectCall } from 'troupe/kit'
import { explore, scriptedModel } from 'troupe/testing'

interface Asked {
  readonly symbol: string
}

/** An agent that asks for a price, and then orders. */
function broker({
  price = () => ({ euros: 42 }),
  order = () => 'ordered',
  once = false,
}: {
  readonly price?: (asked: Asked, call: EffectCall) => Promise<{ euros: number }> | { euros: number }
  readonly order?: (asked: Asked, call: EffectCall) => unknown
  readonly once?: boolean
} = {}) {
  const effects = {
    quote: defineEffect({ name: 'quote', perform: price }),
    order: once
      ? defineEffect({ name: 'order', perform: order, once: true })
      : defineEffect({ name: 'order', perform: order }),
  }
  const chart = setup({
    types: {
      input: {} as { readonly task: string },
      context: {} as { readonly symbol: string; readonly text: string },
    },
    actors: effects,
  }).createMachine({
    context: ({ input }) => ({ symbol: input.task, text: '' }),
    initial: 'quoting',
    states: {
      quoting: {
        invoke: {
          id: 'quote',
          src: 'quote',
          input: ({ context }) => ({ symbol: context.symbol }),
          onDone: {
            target: 'ordering',
            actions: assign(({ context, event }) => ({ text: `${context.symbol} at ${event.output.euros}` })),
          },
        },
      },
      ordering: {
        invoke: {
          id: 'order',
          src: 'order',
          input: ({ context }) => ({ symbol: context.symbol }),
          onDone: {
            target: 'done',
            actions: assign(({ context, event }) => ({
              text: `${context.text}: ${typeof event.output === 'string' ? event.output : JSON.stringify(event.output)}`,
            })),
          },
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => ({ text: context.text }),
  })
  return defineChartAgent({ id: 'broker', description: 'Buys.', chart: () => chart })
}

async function entriesOf(store: RunStore, runId: string) {
  return (await store.read(runId)) ?? []
}

describe('an agent of a chart', () => {
  test('answers with the output of its chart, and its journal has the outcomes of its effects', async () => {
    const store = memoryStore()
    const agent = broker()
    const troupe = createTroupe({ agents: [agent], store })
    const result = await (await troupe.start(agent, 'ACME', { runId: 'r' })).result
    expect(result).toMatchObject({ outcome: 'completed', text: 'ACME at 42: ordered', steps: [{ step: 1 }] })
    const entries = await entriesOf(store, 'r')
    expect(entries.map((entry) => ('key' in entry ? `${entry.type} ${entry.key}` : entry.type))).toEqual([
      'run.started',
      'effect.settled broker/chart:1/quote#1',
      'effect.settled broker/chart:1/order#1',
      'run.settled',
    ])
    await expect(troupe.replay('r')).resolves.toMatchObject({ result: { text: 'ACME at 42: ordered' } })
    const state = readRun([agent], entries)
    expect(state.output?.text).toBe('ACME at 42: ordered')
    expect(state.recorder.log.toArray().map(({ type }) => type)).toContain('run-finish')
  })

  test('stands as a subagent', async () => {
    const agent = createSupervisor({
      id: 'lead',
      model: scriptedModel([{ toolCalls: [{ name: 'agent-broker', args: { prompt: 'ACME' } }] }, 'Bought.']),
      agents: { broker: broker() },
    })
    const result = await createTroupe({ agents: [agent] })
      .start(agent, 'Buy.')
      .then((run) => run.result)
    expect(result.delegations).toMatchObject([
      { agent: 'broker', outcome: 'succeeded', text: 'ACME at 42: ordered' },
    ])
  })

  test.each([
    ['throws', () => Promise.reject(new Error('closed')), 'EFFECT_FAILED'],
    ['answers with what is no JSON', () => ({ euros: 1n as unknown as number }), 'NOT_SERIALISABLE'],
  ])('fails with the error of an effect that %s, and reports it', async (_, price, code) => {
    const problems: string[] = []
    const agent = broker({ price })
    const troupe = createTroupe({ agents: [agent], onError: ({ message }) => void problems.push(message) })
    const result = await (await troupe.start(agent, 'ACME')).result
    expect([result.outcome, result.errors.at(-1)?.error.code]).toEqual(['failed', code])
    expect(problems).toEqual([expect.stringContaining('the custom "quote" of the agent "broker"')])
  })

  test('is stopped with its effects by a cancel, and by the end of its time', async () => {
    const aborted: string[] = []
    const hanging = (_: Asked, { signal }: EffectCall) =>
      new Promise<{ euros: number }>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push('aborted')
          reject(signal.reason as Error)
        }),
      )
    const agent = broker({ price: hanging })
    const troupe = createTroupe({ agents: [agent] })
    const cancelled = await troupe.start(agent, 'ACME')
    await cancelled.cancel('enough')
    expect(await cancelled.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    const late = await troupe.start(agent, 'ACME', { budget: { wallClock: 20 } })
    expect(await late.result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    expect(aborted).toEqual(['aborted', 'aborted'])
  })

  test('is explored in every order, with its own functions', async () => {
    const report = await explore(broker(), { task: 'ACME', adversary: { crash: true } })
    expect(report.violations).toEqual([])
  })
})

describe('a crash', () => {
  /** A store whose process ends when `order` is performed; another one goes on. */
  async function afterCrash(once: boolean) {
    const store = memoryStore()
    const calls: string[] = []
    const dying = broker({
      once,
      price: (_, { idempotencyKey }) => {
        calls.push(`quote ${idempotencyKey}`)
        return { euros: 42 }
      },
      order: (_, { idempotencyKey }) => {
        calls.push(`order ${idempotencyKey}`)
        return new Promise(() => undefined)
      },
    })
    const first = createTroupe({ agents: [dying], store })
    await first.start(dying, 'ACME', { runId: 'r' })
    await expect.poll(() => calls.length).toBe(2)
    await first.close()
    const second = createTroupe({
      agents: [
        broker({
          once,
          price: () => {
            calls.push('quote again')
            return { euros: 0 }
          },
          order: (_, { idempotencyKey }) => {
            calls.push(`order ${idempotencyKey}`)
            return 'ordered'
          },
        }),
      ],
      store,
    })
    const result = await (await second.resume('r')).result
    return { result, calls }
  }

  test('repeats an effect with the same key, and none that is settled', async () => {
    const { result, calls } = await afterCrash(false)
    expect(result.text).toBe('ACME at 42: ordered')
    expect(calls).toEqual([
      'quote r/broker/chart:1/quote#1',
      'order r/broker/chart:1/order#1',
      'order r/broker/chart:1/order#1',
    ])
  })

  test('does not repeat an effect that is made once: its chart decides', async () => {
    const { result, calls } = await afterCrash(true)
    expect(result.text).toBe('ACME at 42: {"type":"interrupted"}')
    expect(calls).toEqual(['quote r/broker/chart:1/quote#1', 'order r/broker/chart:1/order#1'])
  })
})

test('an effect of a machine within the chart is that of the agent, and runs in the context of whoever started the run', async () => {
  const user = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const look = defineEffect({
    name: 'look',
    perform: (_: null, { agent, path }) => {
      seen.push([user.getStore(), agent, path])
      throw new Error('closed')
    },
  })
  const inner = setup({ actors: { look } }).createMachine({
    initial: 'looking',
    states: {
      looking: { invoke: { id: 'look', src: 'look', input: null, onError: 'blind' } },
      blind: { type: 'final' },
    },
  })
  const chart = setup({ actors: { inner } }).createMachine({
    initial: 'working',
    states: { working: { invoke: { id: 'inner', src: 'inner', onDone: 'done' } }, done: { type: 'final' } },
    output: 'Nothing was seen.',
  })
  const agent = defineChartAgent({ id: 'looker', chart: () => chart })
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const run = await user.run('ann', () => troupe.start(agent, 'Look.'))
  const { text, errors } = await user.run('bob', () => run.result)
  expect(text).toBe('Nothing was seen.')
  expect(seen).toEqual([['ann', 'looker', 'looker/chart:1/inner']])
  expect(errors).toMatchObject([{ agent: 'looker', error: { code: 'EFFECT_FAILED', message: 'closed' } }])
})

test('wrong options are named', () => {
  expect(() => defineEffect({ name: '', perform: () => 1 })).toThrow('defineEffect("")')
  expect(() => defineEffect({ name: 'x' } as never)).toThrow('perform')
  expect(() => defineChartAgent({ id: 'a' } as never)).toThrow('defineChartAgent("a")')
  expect(() => defineChartAgent({ id: 'a', chart: () => broker().chart(), memory: true } as never)).toThrow(
    'memory',
  )
})
