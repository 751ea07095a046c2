/** Which interpreter takes the steps of a run, and of all that reads its journal. */
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from 'vitest'
import { createTool, createTroupe, memoryStore, type Run, type Troupe, type TroupeConfig } from 'troupe'
import { createActor, toPromise } from 'xstate'
import { z } from 'zod'
import { tableInterpreter } from '../../../src/runtime/interpreter/interpreter.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

let beginnings: MockInstance<typeof tableInterpreter.getInitialSnapshot>
let steps: MockInstance<typeof tableInterpreter.transition>

beforeEach(() => {
  beginnings = vi.spyOn(tableInterpreter, 'getInitialSnapshot')
  steps = vi.spyOn(tableInterpreter, 'transition')
})

afterEach(() => {
  beginnings.mockRestore()
  steps.mockRestore()
})

/** Whether the tables were used since the last question. */
function areTablesUsed(): boolean {
  const isUsed = beginnings.mock.calls.length + steps.mock.calls.length > 0
  beginnings.mockClear()
  steps.mockClear()
  return isUsed
}

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'Paid.',
})

function troupeOf(options: Partial<TroupeConfig> = {}) {
  const helper = worker('helper', [calls({ name: 'pay' }), 'Paid.'], { tools: { pay } })
  const { agent } = lead('boss', [calls(to('helper', 'Pay'))], {
    agents: { helper: helper.agent },
    otherwise: 'Done.',
  })
  return { agent, troupe: createTroupe({ agents: [agent], ...options }) }
}

/** Runs to the question whether the tool may run. */
async function asked({ agent, troupe }: ReturnType<typeof troupeOf>): Promise<Run> {
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  return run
}

async function approve(troupe: Troupe, run: Run): Promise<void> {
  const [question] = (await troupe.awaiting()).items
  await troupe.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId as string })
}

describe('without an option', () => {
  test('the tables take the steps of a run, its replays and its watches', async () => {
    const store = memoryStore()
    const first = troupeOf({ store })
    const run = await asked(first)
    expect(areTablesUsed()).toBe(true)
    await approve(first.troupe, run)
    await run.result
    areTablesUsed()
    await first.troupe.replay(run.id)
    expect(areTablesUsed()).toBe(true)
    for await (const _event of troupeOf({ store }).troupe.watch(run.id));
    expect(areTablesUsed()).toBe(true)
  })

  test('XState takes those of a trail and of an inspected replay', async () => {
    const own = troupeOf()
    const run = await asked(own)
    areTablesUsed()
    const { entries } = await own.troupe.trail(run.id)
    await own.troupe.replay(run.id, { inspect: () => undefined })
    expect(areTablesUsed()).toBe(false)
    expect(entries.flatMap(({ transitions }) => transitions).length).toBeGreaterThan(10)
  })

  test('XState takes those of a run in the system of an app, which has no inspector', async () => {
    const { agent, troupe } = troupeOf()
    const actor = createActor(troupe.logic(agent), { input: { prompt: 'Go' } }).start()
    await vi.waitFor(async () => expect((await troupe.awaiting()).items).toHaveLength(1))
    const { runId } = actor.getSnapshot()
    await troupe.cancel(runId)
    await toPromise(actor)
    expect(areTablesUsed()).toBe(false)
  })
})

test("'xstate' turns the tables off for runs, answers from elsewhere, replays, watches and forks", async () => {
  const store = memoryStore()
  const options = { store, interpreter: 'xstate', passivateAfter: 0 } as const
  const own = troupeOf(options)
  const other = troupeOf(options)
  const run = await asked(own)
  const watched = (async () => {
    for await (const _event of other.troupe.watch(run.id));
  })()
  await approve(other.troupe, run)
  await run.result
  await watched
  await own.troupe.replay(run.id)
  const forked = await own.troupe.fork(run.id, { at: 2 })
  await forked.whenIdle
  await forked.cancel()
  expect(areTablesUsed()).toBe(false)
})
