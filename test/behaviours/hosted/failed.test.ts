/** An agent in somebody else's app whose run fails: done with a result that says so, or an error; and the lint that finds what was meant. */
import { createAgent, createTroupe, memoryStore, TroupeError, type Troupe } from 'troupe'
import { lintMachine, scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { assign, createActor, createMachine, fromPromise, setup, waitFor, type AnyActorLogic } from 'xstate'
import { worker } from '../../support/agents/agents.ts'

const down = Object.assign(new Error('It is down.'), { code: 'MODEL_DOWN' })

/** An agent whose model is down, and one whose model answers. */
function house() {
  const broken = createAgent({
    id: 'broken',
    description: 'd',
    model: scriptedModel([{ error: down }]),
    retries: 0,
  })
  const writer = worker('writer', ['Done.', 'Done.']).agent
  const store = memoryStore()
  return { broken, writer, store, troupe: createTroupe({ agents: { broken, writer }, store }) }
}

/** An app that confirms an order where its agent is done. */
const orderOf = (clerk: AnyActorLogic) =>
  setup({ types: { context: {} as { told: unknown } }, actors: { clerk } }).createMachine({
    id: 'order',
    context: { told: undefined },
    initial: 'checking',
    states: {
      checking: {
        invoke: {
          src: 'clerk',
          id: 'clerk',
          input: { prompt: 'Go', onError: () => undefined },
          onDone: { target: 'confirmed', actions: assign({ told: ({ event }) => event.output as unknown }) },
          onError: { target: 'refused', actions: assign({ told: ({ event }) => event.error }) },
        },
      },
      confirmed: { type: 'final' },
      refused: { type: 'final' },
    },
  })

async function ending(clerk: AnyActorLogic): Promise<{ value: unknown; told: unknown }> {
  const app = createActor(orderOf(clerk)).start()
  const { value, context } = await waitFor(app, ({ status }) => status === 'done')
  return { value, told: context.told }
}

describe('a run that fails', () => {
  test('is a result by default', async () => {
    const { broken, troupe } = house()
    const { value, told } = await ending(troupe.logic(broken))
    expect([value, told]).toEqual(['confirmed', expect.objectContaining({ outcome: 'failed' })])
  })

  test("is an error under failed: 'error', with the code and the id of the run", async () => {
    const { broken, troupe } = house()
    const { value, told } = await ending(troupe.logic(broken, { failed: 'error' }))
    expect(value).toBe('refused')
    expect(told).toBeInstanceOf(TroupeError)
    const [run] = (await troupe.runs()).items
    expect(told).toMatchObject({ code: 'MODEL_DOWN', message: 'It is down.', runId: run?.runId })
    expect(run).toMatchObject({ status: 'settled', outcome: 'failed' })
  })

  test('restored after the end of its run, it fails with the same error', async () => {
    const { broken, writer, store, troupe } = house()
    const first = createActor(troupe.logic(broken, { failed: 'error' }), {
      input: { prompt: 'Go', runId: 'r1' },
    })
    const snapshot = first.getPersistedSnapshot()
    first.start()
    await expect(waitFor(first, ({ status }) => status !== 'active')).rejects.toMatchObject({
      code: 'MODEL_DOWN',
    })
    await troupe.close()
    const later = createTroupe({ agents: { broken, writer }, store })
    const again = createActor(later.logic(broken, { failed: 'error' }), {
      snapshot,
      input: { prompt: 'Go', runId: 'r1' },
    })
    again.start()
    await expect(waitFor(again, ({ status }) => status !== 'active')).rejects.toMatchObject({
      code: 'MODEL_DOWN',
      runId: 'r1',
    })
  })
})

describe("other outcomes under failed: 'error'", () => {
  test('an answer is one', async () => {
    const { writer, troupe } = house()
    const { value, told } = await ending(troupe.logic(writer, { failed: 'error' }))
    expect([value, told]).toEqual(['confirmed', expect.objectContaining({ outcome: 'completed' })])
  })

  test('so is a cancel', async () => {
    const held = scriptedModel([{ hang: true }])
    const slow = createAgent({ id: 'slow', model: held })
    const actor = createActor(createTroupe({ agents: [slow] }).logic(slow, { failed: 'error' }), {
      input: { prompt: 'Go' },
    })
    actor.start()
    actor.send({ type: 'cancel' })
    const { output } = await waitFor(actor, ({ status }) => status === 'done')
    expect(output?.outcome).toBe('cancelled')
  })
})

describe('lintMachine', () => {
  const path = 'order.checking.clerk'
  const of = (troupe: Troupe, clerk: AnyActorLogic) => lintMachine(orderOf(clerk)).map((found) => found.path)

  test('finds an agent whose onDone has no guard, and not one that fails with its run', () => {
    const { broken, troupe } = house()
    expect(of(troupe, troupe.logic(broken))).toEqual([path])
    expect(of(troupe, troupe.logic(broken, { failed: 'error' }))).toEqual([])
    expect(
      of(
        troupe,
        fromPromise(async () => 1),
      ),
    ).toEqual([])
  })

  test('finds it within nested states and as inline logic, and takes a guard, no onDone and an exception', () => {
    const { broken, troupe } = house()
    const logic = troupe.logic(broken)
    const nested = (invoke: never) =>
      createMachine({
        id: 'app',
        initial: 'a',
        states: { a: { initial: 'b', states: { b: { invoke }, c: {} } } },
      })
    const found = (invoke: object, accept: string[] = []) =>
      lintMachine(nested(invoke as never), { accept: accept.map((one) => ({ path: one, reason: 'r' })) }).map(
        (one) => one.path,
      )
    expect(found({ src: logic, id: 'x', onDone: 'c' })).toEqual(['app.a.b.x'])
    expect(found({ src: logic, id: 'x', onDone: 'c' }, ['app.a.b.x'])).toEqual([])
    expect(
      found({ src: logic, id: 'x', onDone: [{ guard: () => true, target: 'c' }, { target: 'c' }] }),
    ).toEqual([])
    expect(found({ src: logic, id: 'x' })).toEqual([])
  })

  test('refuses what is no machine', () => {
    expect(() => lintMachine({} as never)).toThrow('lintMachine: the machine must be a machine of XState')
  })
})
