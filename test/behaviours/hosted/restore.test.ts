/** An app that is persisted and restored by its own XState snapshot: its agent goes on from the journal of its run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createTool,
  createTroupe,
  memoryStore,
  RunNotFoundError,
  type FinalResult,
  type Store,
  type Troupe,
  type TroupeConfig,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import type { ScriptedStep } from 'troupe/testing'
import { createActor, toPromise, waitFor, type Snapshot, type SnapshotFrom } from 'xstate'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker, type Cast } from '../../support/agents/agents.ts'
import { appMachine, deskOf, heard, heardFrom, served, stored, typesOf } from '../../support/hosting.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { withoutRunId } from '../../support/without-run-id.ts'

const input = { prompt: 'Get it signed.' }
const clock = virtualClock()

/** What was done in the outside world, by both processes. */
interface World {
  readonly done: string[]
  /** What never answers, until it is undefined. */
  hangsAt: string | undefined
  reached: PromiseWithResolvers<void>
}

function world(hangsAt?: string): World {
  return { done: [], hangsAt, reached: Promise.withResolvers() }
}

/** A troupe as a process makes it at its start: a boss, a writer, a tool, and one that a person must approve. */
function processOf(
  world: World,
  store: Store,
  more: Partial<TroupeConfig> = {},
): { troupe: Troupe; boss: Cast<object> } {
  const at = async (place: string): Promise<void> => {
    world.done.push(place)
    if (world.hangsAt !== place) return
    world.reached.resolve()
    await new Promise(() => undefined)
  }
  /** Speaks by how often it has spoken in the conversation: a restarted process begins where the conversation is. */
  const says =
    (id: string, ...steps: readonly ScriptedStep[]): ScriptedStep =>
    ({ messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const step = steps[turn]
      if (step === undefined || typeof step === 'function') throw new Error(`${id} has no step ${turn}.`)
      return { ...(typeof step === 'string' ? { text: step } : step), until: at(`${id} ${turn + 1}`) }
    }
  const note = createTool({
    id: 'note',
    description: 'Notes.',
    inputSchema: z.object({}),
    execute: async () => at('note'),
  })
  const sign = createTool({
    id: 'sign',
    description: 'Signs.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: async () => at('sign'),
  })
  const writer = worker('writer', [], {
    tools: { note },
    otherwise: says('writer', calls({ name: 'note' }), 'The letter.'),
  })
  const boss = lead('boss', [], {
    agents: { writer: writer.agent },
    tools: { sign },
    otherwise: says('boss', calls(to('writer', 'Write')), calls({ name: 'sign' }), 'It is signed.'),
  })
  const troupe = createTroupe({ agents: [boss.agent, writer.agent], store, clock, pollInterval: 5, ...more })
  return { troupe, boss }
}

/** Starts the app of a process, or restores it, and approves what it is asked for. */
function appOf({ troupe, boss }: ReturnType<typeof processOf>, snapshot?: Snapshot<unknown>) {
  const machine = appMachine(troupe.logic(boss.agent))
  const app = createActor(machine, { input, ...(snapshot && { snapshot }) })
  return app
}

function approves(app: ReturnType<typeof appOf>): typeof app {
  const desk = deskOf(app)
  desk.on('suspended', ({ payload }) => {
    for (const { toolCallId } of payload.awaiting) desk.send({ type: 'approve', toolCallId })
  })
  return app
}

/** But for the id of the run. */
function comparable(result: FinalResult | undefined): unknown {
  return result === undefined ? undefined : withoutRunId(result)
}

async function uninterrupted(): Promise<{ result: unknown; done: readonly string[] }> {
  const here = world()
  const app = approves(appOf(processOf(here, memoryStore()))).start()
  const { context } = await served(app)
  expect(context.result?.outcome).toBe('completed')
  return { result: comparable(context.result), done: here.done }
}

describe('persisted, closed, restored in a new process', () => {
  test.each(['boss 1', 'writer 1', 'note', 'writer 2', 'boss 2', 'sign', 'boss 3'])(
    'in the middle of "%s": that alone is done again, and all ends as if nothing had happened',
    async (place) => {
      const expected = await uninterrupted()
      const there = world(place)
      const store = memoryStore()
      const first = processOf(there, store)
      const app = approves(appOf(first)).start()
      const { runId } = deskOf(app).getSnapshot()
      await there.reached.promise
      const persisted = stored(app)
      await first.troupe.close()
      app.stop()

      there.hangsAt = undefined
      const second = processOf(there, store)
      const restored = approves(appOf(second, persisted))
      const events = heardFrom(deskOf(restored))
      restored.start()
      const { value, context } = await served(restored)
      expect(value).toBe('served')
      expect(context.result?.runId).toBe(runId)
      expect(comparable(context.result)).toEqual(expected.result)
      expect(there.done).toEqual(expected.done.flatMap((done) => (done === place ? [done, done] : [done])))
      // whoever listens to the new actor hears all of it
      expect(typesOf(events).at(0)).toBe('run-start')
      expect(typesOf(events).at(-1)).toBe('run-finish')
      expect(typesOf(events).filter((type) => type === 'run-start')).toHaveLength(1)
      expect((await second.troupe.replay(runId)).result).toEqual(context.result)
    },
  )

  test.each([false, true])(
    'on a store on disk, closed and opened again (in a worker: %s)',
    async (inWorker) => {
      const expected = await uninterrupted()
      const folder = mkdtempSync(join(tmpdir(), 'hosted-'))
      const opened = () => sqliteStore(join(folder, 'runs.db'), { worker: inWorker })
      const there = world('boss 2')
      const monday = opened()
      const first = processOf(there, monday)
      const app = appOf(first).start()
      await there.reached.promise
      const persisted = stored(app)
      await first.troupe.close()
      await monday.close()
      app.stop()

      there.hangsAt = undefined
      const tuesday = opened()
      const restored = approves(appOf(processOf(there, tuesday), persisted)).start()
      expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
      expect(there.done.filter((done) => done !== 'boss 2')).toEqual(
        expected.done.filter((done) => done !== 'boss 2'),
      )
      await tuesday.close()
      rmSync(folder, { recursive: true })
    },
  )

  test('before its beginning was on record: it begins, under the id that it had', async () => {
    const expected = await uninterrupted()
    const there = world()
    const first = processOf(there, memoryStore())
    const app = appOf(first).start()
    const { runId } = deskOf(app).getSnapshot()
    const persisted = stored(app)
    await first.troupe.close()
    app.stop()
    there.done.length = 0

    const second = processOf(there, memoryStore()) // the store of the first came to nothing
    const restored = approves(appOf(second, persisted)).start()
    const { context } = await served(restored)
    expect(context.result?.runId).toBe(runId)
    expect(comparable(context.result)).toEqual(expected.result)
    expect(there.done).toEqual(expected.done)
  })

  test('persisted before its beginning was on record, and it came to be: it goes on', async () => {
    const expected = await uninterrupted()
    const there = world()
    const store = memoryStore()
    const first = processOf(there, store)
    const app = appOf(first).start()
    const persisted = stored(app)
    await waitFor(deskOf(app), ({ awaiting }) => awaiting.length === 1)
    await first.troupe.close()
    app.stop()

    const restored = approves(appOf(processOf(there, store), persisted)).start()
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
    expect(there.done).toEqual(expected.done)
  })

  test('while a person is waited for: the question stands again, and is answered there', async () => {
    const expected = await uninterrupted()
    const there = world()
    const store = memoryStore()
    const first = processOf(there, store)
    const app = appOf(first).start()
    const { awaiting } = await waitFor(deskOf(app), (snapshot) => snapshot.awaiting.length === 1)
    const persisted = stored(app)
    await first.troupe.close()
    app.stop()

    const restored = appOf(processOf(there, store), persisted).start()
    const desk = deskOf(restored)
    const again = await waitFor(desk, (snapshot) => snapshot.awaiting.length === 1)
    expect(again.awaiting).toEqual(awaiting)
    expect(there.done).not.toContain('sign')
    desk.send({ type: 'approve', toolCallId: again.awaiting[0]?.toolCallId ?? '' })
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
    expect(there.done).toEqual(expected.done)
  })

  test('after its end, in an app that has moved on: nothing is done', async () => {
    const there = world()
    const store = memoryStore()
    const first = processOf(there, store)
    const app = approves(appOf(first)).start()
    const { context } = await served(app)
    const done = [...there.done]
    const persisted = stored(app)
    await first.troupe.close()
    const restored = appOf(processOf(there, store), persisted).start()
    expect(restored.getSnapshot().value).toBe('served')
    expect(restored.getSnapshot().context.result).toEqual(JSON.parse(JSON.stringify(context.result)))
    expect(there.done).toEqual(done)
  })

  test('after its end, which the app had not heard of: it hears the result', async () => {
    const there = world()
    const store = memoryStore()
    const first = processOf(there, store)
    const app = approves(appOf(first)).start()
    const persisted = stored(app)
    const { context } = await served(app)
    const done = [...there.done]
    await first.troupe.close()
    const restored = appOf(processOf(there, store), persisted).start()
    expect((await served(restored)).context.result).toEqual(context.result)
    expect(there.done).toEqual(done)
  })

  test('a root by itself, when it is done: its snapshot holds the result', async () => {
    const solo = worker('solo', ['Done.'])
    const troupe = createTroupe({ agents: [solo.agent] })
    const actor = createActor(troupe.logic(solo.agent), { input }).start()
    const { output } = await waitFor(actor, ({ status }) => status === 'done')
    const restored = createActor(troupe.logic(solo.agent), { input, snapshot: stored(actor) }).start()
    expect(restored.getSnapshot()).toMatchObject({ status: 'done', output: { text: 'Done.' } })
    expect(restored.getSnapshot().output).toEqual(output)
    expect(solo.model.calls).toHaveLength(1)
  })

  test('what an app persists of a run does not grow with it', async () => {
    const there = world('boss 3')
    const app = approves(appOf(processOf(there, memoryStore()))).start()
    await there.reached.promise
    const { runId } = deskOf(app).getSnapshot()
    expect(stored(app)).toMatchObject({ children: { desk: { src: 'desk' } } })
    const { children } = stored(app) as Snapshot<unknown> & { children: { desk: { snapshot: object } } }
    expect(children.desk.snapshot).toEqual({ status: 'active', runId })
  })
})

describe('what cannot be restored reaches onError', () => {
  async function persisted(store: Store, prompt: object = input) {
    const { troupe, boss } = processOf(world('boss 1'), store)
    const app = createActor(appMachine(troupe.logic(boss.agent)), { input: { ...input, ...prompt } }).start()
    await heard(deskOf(app), 'step-start')
    const snapshot = stored(app)
    await troupe.close()
    app.stop()
    return snapshot
  }

  test('a journal that is gone', async () => {
    const snapshot = await persisted(memoryStore())
    const app = appOf(processOf(world(), memoryStore()), snapshot).start()
    const { value, context } = await served(app)
    expect(value).toBe('broken')
    expect(context.error).toBeInstanceOf(RunNotFoundError)
  })

  test('functions that were given with the input', async () => {
    const store = memoryStore()
    const snapshot = await persisted(store, { onStepFinish: () => undefined })
    const app = appOf(processOf(world(), store), snapshot).start()
    expect((await served(app)).context.error).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('onStepFinish') as string,
    })
  })

  test('functions that were given with the input, before the beginning was on record', async () => {
    const { troupe, boss } = processOf(world(), memoryStore())
    const withHook = { ...input, onStepFinish: () => undefined }
    const app = createActor(appMachine(troupe.logic(boss.agent)), { input: withHook }).start()
    const snapshot = stored(app)
    await troupe.close()
    const restored = appOf(processOf(world(), memoryStore()), snapshot).start()
    expect((await served(restored)).context.error).toMatchObject({
      message: expect.stringContaining('onStepFinish') as string,
    })
  })

  test('a run of another agent', async () => {
    const store = memoryStore()
    const snapshot = await persisted(store)
    const { troupe, boss } = processOf(world(), store)
    const { agent: other } = worker('other', [])
    const both = createTroupe({ agents: [boss.agent, other], store, pollInterval: 5 })
    const app = createActor(appMachine(both.logic(other)), { input, snapshot }).start()
    expect((await served(app)).context.error).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('is one of the agent "boss"') as string,
    })
    await troupe.close()
  })

  test('agents that have changed; a troupe with the right ones may go on at once', async () => {
    const expected = await uninterrupted()
    const there = world('boss 2')
    const store = memoryStore()
    const first = processOf(there, store)
    const app = appOf(first).start()
    await there.reached.promise
    const snapshot = stored(app)
    await first.troupe.close()
    app.stop()
    const changed = lead('boss', [], { instructions: 'I am another.' })
    const second = createTroupe({ agents: [changed.agent], store })
    const refused = createActor(appMachine(second.logic(changed.agent)), { input, snapshot }).start()
    expect((await served(refused)).context.error).toMatchObject({ code: 'JOURNAL_MISMATCH' })
    there.hangsAt = undefined
    const restored = approves(appOf(processOf(there, store), snapshot)).start()
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
  })

  test('a troupe that was closed', async () => {
    const store = memoryStore()
    const snapshot = await persisted(store)
    const second = processOf(world(), store)
    await second.troupe.close()
    const app = appOf(second, snapshot).start()
    expect((await served(app)).context.error).toMatchObject({ code: 'TROUPE_CLOSED' })
  })

  test('an error survives being persisted itself', async () => {
    const snapshot = await persisted(memoryStore())
    const { troupe, boss } = processOf(world(), memoryStore())
    const desk = snapshot as Snapshot<unknown> & { children: { desk: { snapshot: Snapshot<unknown> } } }
    const logic = troupe.logic(boss.agent)
    const actor = createActor(logic, { input, snapshot: desk.children.desk.snapshot })
    const failed = Promise.withResolvers<unknown>()
    actor.subscribe({ error: failed.resolve })
    actor.start()
    await failed.promise
    expect(stored(actor)).toMatchObject({
      status: 'error',
      error: {
        name: 'RunNotFoundError',
        code: 'RUN_NOT_FOUND',
        message: expect.stringContaining('There is no run') as string,
      },
    })
  })
})

describe('while it is being restored', () => {
  /** An app in mid-run, persisted; its troupe still has the run. */
  async function owned() {
    const there = world('boss 3')
    const store = memoryStore()
    const first = processOf(there, store)
    const app = approves(appOf(first)).start()
    await there.reached.promise
    const persisted = stored(app)
    return { there, store, first, persisted, runId: deskOf(app).getSnapshot().runId }
  }

  test('it waits for a troupe that holds the run, and then goes on', async () => {
    const expected = await uninterrupted()
    const { there, store, first, persisted } = await owned()
    const claims = vi.spyOn(store, 'claim')
    const restored = appOf(processOf(there, store), persisted).start()
    await expect.poll(() => claims.mock.calls.length).toBeGreaterThanOrEqual(3)
    expect(restored.getSnapshot().value).toBe('working')
    expect(there.done.at(-1)).toBe('boss 3')
    there.hangsAt = undefined
    await first.troupe.close()
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
    expect(there.done).toEqual([...expected.done, 'boss 3'])
  })

  test('a run that ends at the troupe which holds it gives its result', async () => {
    const store = memoryStore()
    const gate = Promise.withResolvers<void>()
    const first = worker('solo', [{ text: 'Done there.', until: gate.promise }])
    const troupe = createTroupe({ agents: [first.agent], store })
    const app = createActor(appMachine(troupe.logic(first.agent)), { input }).start()
    await heard(deskOf(app), 'step-start')
    const second = worker('solo', [])
    const claims = vi.spyOn(store, 'claim')
    const other = createTroupe({ agents: [second.agent], store, pollInterval: 5 })
    const restored = createActor(appMachine(other.logic(second.agent)), {
      input,
      snapshot: stored(app),
    }).start()
    await expect.poll(() => claims).toHaveBeenCalled()
    gate.resolve()
    expect((await served(restored)).context.result).toMatchObject({
      outcome: 'completed',
      text: 'Done there.',
    })
    expect(second.model.calls).toEqual([])
  })

  test('what it is told is not lost: answers', async () => {
    const there = world()
    const store = memoryStore()
    const first = processOf(there, store)
    const app = appOf(first).start()
    const { awaiting } = await waitFor(deskOf(app), (snapshot) => snapshot.awaiting.length === 1)
    const persisted = stored(app)
    await first.troupe.close()
    const restored = appOf(processOf(there, store), persisted).start()
    const desk = deskOf(restored)
    const refusals = heardFrom(desk)
    desk.send({ type: 'approve', toolCallId: 'nobody' })
    desk.send({ type: 'approve', toolCallId: awaiting[0]?.toolCallId ?? '' })
    expect((await served(restored)).context.result).toMatchObject({ outcome: 'completed' })
    expect(there.done).toContain('sign')
    expect(refusals.filter(({ type }) => type === 'signal-refused')).toMatchObject([
      { error: { code: 'UNKNOWN_SIGNAL' }, signal: { toolCallId: 'nobody' } },
    ])
  })

  test('what it is told is not lost: a cancel, before anything starts', async () => {
    const { there, store, first, persisted } = await owned()
    await first.troupe.close()
    const restored = appOf(processOf(there, store), persisted).start()
    const done = [...there.done]
    deskOf(restored).send({ type: 'cancel', reason: 'Too late.' })
    expect((await served(restored)).context.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'Too late.',
    })
    expect(there.done).toEqual(done)
  })

  test('a listener that throws breaks nothing', async () => {
    using error = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { there, store, first, persisted } = await owned()
    await first.troupe.close()
    there.hangsAt = undefined
    const restored = appOf(processOf(there, store), persisted)
    deskOf(restored).on('*', () => {
      throw new Error('a listener')
    })
    restored.start()
    expect((await served(restored)).context.result).toMatchObject({ outcome: 'completed' })
    expect(error).toHaveBeenCalledTimes(1)
  })

  test('stopping it cancels the run, and nothing starts', async () => {
    using warn = vi.spyOn(console, 'warn')
    using error = vi.spyOn(console, 'error')
    const { there, store, first, persisted, runId } = await owned()
    await first.troupe.close()
    const done = [...there.done]
    const second = processOf(there, store)
    const restored = appOf(second, persisted).start()
    restored.stop()
    await expect
      .poll(async () => (await second.troupe.runs()).items[0])
      .toMatchObject({ runId, status: 'settled', outcome: 'cancelled' })
    expect(there.done).toEqual(done)
    expect((await second.troupe.replay(runId)).result).toMatchObject({
      outcome: 'cancelled',
      reason: 'The actor of the run was stopped.',
    })
    expect([warn.mock.calls, error.mock.calls]).toEqual([[], []])
  })

  test('stopping it before its run was ever begun: there is no run', async () => {
    const { troupe, boss } = processOf(world(), memoryStore())
    const app = createActor(appMachine(troupe.logic(boss.agent)), { input }).start()
    const snapshot = stored(app)
    await troupe.close()
    const there = world()
    const second = processOf(there, memoryStore())
    const restored = appOf(second, snapshot).start()
    restored.stop()
    await new Promise(setImmediate)
    expect((await second.troupe.runs()).items).toEqual([])
    expect(there.done).toEqual([])
  })

  test('stopping it while another troupe has the run: that one is told', async () => {
    const { there, store, persisted, runId } = await owned()
    const second = processOf(there, store)
    const restored = appOf(second, persisted).start()
    restored.stop()
    await expect
      .poll(async () => (await second.troupe.runs()).items[0])
      .toMatchObject({ runId, status: 'settled', outcome: 'cancelled' })
    expect(there.done.at(-1)).toBe('boss 3')
    await second.troupe.close()
  })

  test.each(['at once', 'while it waits'])('closing its troupe %s: it stays restorable', async (when) => {
    const expected = await uninterrupted()
    const { there, store, first, persisted } = await owned()
    const second = processOf(there, store)
    const claims = vi.spyOn(store, 'claim')
    const waiting = appOf(second, persisted).start()
    if (when !== 'at once') await expect.poll(() => claims).toHaveBeenCalled()
    const again = stored(waiting)
    await second.troupe.close()
    expect((await served(waiting)).context.error).toMatchObject({ code: 'TROUPE_CLOSED' })
    await new Promise((resolve) => setTimeout(resolve, 30))
    const asked = claims.mock.calls.length
    await first.troupe.close()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(claims).toHaveBeenCalledTimes(asked)
    there.hangsAt = undefined
    const restored = appOf(processOf(there, store), again).start()
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
  })
})

describe('restored in the same troupe, which was not closed', () => {
  test('the newer actor takes the run; the older one is told that it has lost it', async () => {
    const expected = await uninterrupted()
    const there = world('boss 3')
    const here = processOf(there, memoryStore())
    const older = approves(appOf(here)).start()
    await there.reached.promise
    there.hangsAt = undefined
    const newer = appOf(here, stored(older)).start()
    expect(comparable((await served(newer)).context.result)).toEqual(expected.result)
    expect((await served(older)).context.error).toMatchObject({ name: 'LeaseLostError', code: 'LEASE_LOST' })
    expect(there.done).toEqual([...expected.done, 'boss 3'])
    const [run] = (await here.troupe.runs()).items
    expect(run).toMatchObject({ status: 'settled', outcome: 'completed' })
  })

  test('at once, before the beginning was on record', async () => {
    const expected = await uninterrupted()
    const there = world()
    const store = memoryStore()
    const slow: Store = {
      ...store,
      append: async (appends) => {
        await new Promise(setImmediate)
        return store.append(appends)
      },
    }
    const here = processOf(there, slow)
    const older = appOf(here).start()
    const newer = approves(appOf(here, stored(older))).start()
    expect(comparable((await served(newer)).context.result)).toEqual(expected.result)
    expect((await served(older)).context.error).toMatchObject({ code: 'LEASE_LOST' })
    expect((await here.troupe.runs()).items).toHaveLength(1)
  })

  test('from a run that recover() had taken up', async () => {
    const expected = await uninterrupted()
    const there = world('boss 3')
    const store = memoryStore()
    const first = processOf(there, store)
    const app = approves(appOf(first)).start()
    await there.reached.promise
    const persisted = stored(app)
    await first.troupe.close()
    const second = processOf(there, store)
    const { runs } = await second.troupe.recover()
    expect(runs).toHaveLength(1)
    there.hangsAt = undefined
    const restored = appOf(second, persisted).start()
    expect(comparable((await served(restored)).context.result)).toEqual(expected.result)
    await expect(runs[0]?.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })

  test('from a run that has left memory: whoever holds its handle is told', async () => {
    const there = world()
    const { boss, troupe } = processOf(there, memoryStore(), { passivateAfter: 0 })
    const run = await troupe.start(boss.agent, input.prompt)
    const suspended = await run.whenIdle
    if (suspended.outcome !== 'suspended') throw new Error(`The run is ${suspended.outcome}.`)
    await expect.poll(async () => (await troupe.runs()).items[0]?.isPassivated).toBe(true)
    const logic = troupe.logic(boss.agent)
    const snapshot = { status: 'active', runId: run.id } as object as SnapshotFrom<typeof logic>
    const actor = createActor(logic, { input, snapshot }).start()
    await waitFor(actor, ({ awaiting }) => awaiting.length === 1)
    await expect(run.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
    const toolCallId = suspended.awaiting[0]?.toolCallId ?? ''
    await expect(run.approve(toolCallId)).rejects.toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
    await troupe.signal(run.id, { type: 'approve', toolCallId }) // to the troupe the actor has it now
    expect(await toPromise(actor)).toMatchObject({ outcome: 'completed', text: 'It is signed.' })
  })

  test('after its older actor was stopped: the cancel stands', async () => {
    const there = world('boss 3')
    const here = processOf(there, memoryStore())
    const older = approves(appOf(here)).start()
    await there.reached.promise
    const persisted = stored(older)
    older.stop()
    const newer = appOf(here, persisted).start()
    expect((await served(newer)).context.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'The actor of the run was stopped.',
    })
  })
})
