/** Behaviour 51: `budget.wallClock` bounds the whole run. All last turns together have half of it, whatever hangs. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type ChatModel,
  type Run,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { allEvents, calls, lead, only, to, until } from '../../support/agents/agents.ts'
import { virtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'

const budget = { wallClock: 1_000 }
const spent = { outcome: 'exhausted', reason: 'budget' } as const
const hangs: ChatModel = { provider: 'test', modelId: 'hangs', generate: () => new Promise(() => undefined) }
const slow = (options: object = {}) =>
  createAgent({ id: 'slow', description: 'Waits.', instructions: 'Wait.', model: hangs, budget, ...options })

async function started<Options extends object>(agent: AgentDefinition<Options>, clock: VirtualClock) {
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], clock, store })
  return { store, troupe, run: await troupe.start(agent, 'Go') }
}

async function codesOf(run: Run): Promise<readonly unknown[]> {
  return only(await allEvents(run), 'error').map(({ payload }) => payload.error.code)
}

/** Moves the clock on by small steps until the run has ended. Returns the time that it took. */
async function timeOf(run: Run, clock: VirtualClock, atMost = 5_000): Promise<number> {
  const from = clock.now()
  const state = { hasEnded: false }
  void run.result.then(() => (state.hasEnded = true))
  while (!state.hasEnded && clock.now() - from < atMost) await clock.elapse(50)
  return clock.now() - from
}

describe('a model that hangs', () => {
  test('in its last turn too: the run ends after half of the limit', async () => {
    const clock = virtualClock()
    const { run, troupe } = await started(slow(), clock)
    await until(run, 'step-start')
    expect(await timeOf(run, clock)).toBeLessThanOrEqual(1_600)
    expect(await run.result).toMatchObject(spent)
    expect(await codesOf(run)).toEqual(['BUDGET_EXCEEDED', 'MODEL_TIMEOUT'])
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(await run.result)
    expect(replay.events).toEqual(await allEvents(run))
  })

  test('has at most the timeout of its model', async () => {
    const clock = virtualClock()
    const { run } = await started(slow({ modelTimeout: 100, retries: 50 }), clock)
    await until(run, 'step-start')
    expect(await timeOf(run, clock)).toBeLessThanOrEqual(1_200)
  })

  test('in the last turn of another limit: it has its share, from when the time is up', async () => {
    const clock = virtualClock()
    const { run } = await started(
      slow({ budget: { ...budget, modelCalls: 1 }, retries: 1, modelTimeout: 10_000 }),
      clock,
    )
    await until(run, 'step-start')
    expect(await timeOf(run, clock)).toBeLessThanOrEqual(1_600)
  })

  test('below a supervisor: it has half of the rest, and the supervisor still answers', async () => {
    const clock = virtualClock()
    const { agent } = lead('lead', [calls(to('slow', 'Wait'))], {
      agents: { slow: slow() },
      budget,
      otherwise: 'Last.',
    })
    const { run } = await started(agent, clock)
    await until(run, 'delegation-start')
    expect(await timeOf(run, clock)).toBeLessThanOrEqual(1_350)
    expect(await run.result).toMatchObject({ ...spent, text: 'Last.' })
  })

  test('three levels deep: nothing holds the run beyond half of its limit', async () => {
    const clock = virtualClock()
    const called: ChatModel = {
      provider: 'test',
      modelId: 'delegates',
      generate: ({ toolChoice }) =>
        toolChoice === 'none'
          ? new Promise(() => undefined)
          : Promise.resolve({
              text: '',
              toolCalls: [{ id: 'c1', name: 'agent-next', args: { prompt: 'Wait' } }],
              finishReason: 'tool-calls',
              usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
            }),
    }
    const parts = { instructions: 'Lead.', description: 'Leads.', model: called, budget }
    const middle = createSupervisor({ id: 'middle', ...parts, agents: { next: slow() } })
    const agent = createSupervisor({ id: 'top', ...parts, agents: { next: middle } })
    const { run } = await started(agent, clock)
    await until(run, 'delegation-start')
    expect(await timeOf(run, clock)).toBeLessThanOrEqual(1_600)
    expect(await run.result).toMatchObject(spent)
  })

  test('in its last turn, in a process that ends: the next one holds it to the share too', async () => {
    const clock = virtualClock()
    const { run, troupe, store } = await started(slow(), clock)
    await until(run, 'step-start')
    await clock.elapse(1_100)
    await troupe.close()
    const next = createTroupe({ agents: [slow()], clock, store })
    const resumed = await next.resume(run.id)
    expect(await timeOf(resumed, clock)).toBeLessThanOrEqual(600)
    expect(await resumed.result).toMatchObject(spent)
    await next.close()
  })
})
