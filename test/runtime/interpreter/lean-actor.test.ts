/** An actor that makes its parts at their first use, and its system, cannot be told from those that XState creates. */
import {
  Actor,
  assign,
  cancel,
  createActor,
  emit,
  fromCallback,
  fromPromise,
  fromTransition,
  sendParent,
  sendTo,
  setup,
  SimulatedClock,
  spawnChild,
  type AnyActorLogic,
  type AnyActorRef,
} from 'xstate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createChild } from '../../../src/actors/xstate-internals.ts'
import {
  createRoot,
  hear,
  spawnedBelow,
  type RootOptions,
} from '../../../src/runtime/interpreter/lean-actor.ts'

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Creates actors. */
interface Make {
  readonly root: (logic: AnyActorLogic, options: RootOptions) => AnyActorRef
  readonly child: typeof createChild
}

const xstate: Make = {
  root: (logic, { clock, ...options }) =>
    createActor(logic, clock === undefined ? options : { ...options, clock }),
  child: createChild,
}
const leanChildren: Make = { ...xstate, child: spawnedBelow }
const lean: Make = { root: createRoot, child: spawnedBelow }

/** What a scenario has seen. Session ids are numbers of the process. */
type Log = (...seen: readonly unknown[]) => void

/** An actor with the fields of XState's class that its type of references leaves out. */
type Child = Actor<AnyActorLogic>

interface Scene {
  readonly log: Log
  readonly parent: Child
  child(logic: AnyActorLogic, input?: unknown): Child
  root(logic: AnyActorLogic, clock?: SimulatedClock): Child
}

/** Stops a child as its parent does. */
const stop = (child: AnyActorRef): void => (child as AnyActorRef & { _stop(): void })._stop()

const counter = setup({
  types: { context: {} as { count: number }, emitted: {} as { type: 'counted' | 'left'; count: number } },
  actions: {
    count: assign({ count: ({ context }) => context.count + 1 }),
    tell: emit(({ context }) => ({ type: 'counted' as const, count: context.count })),
    leave: emit(({ context }) => ({ type: 'left' as const, count: context.count })),
    fail: () => {
      throw new Error('failed')
    },
    again: sendTo(({ self }) => self, { type: 'add' }),
    twice: ({ self }) => {
      self.send({ type: 'add' })
      self.send({ type: 'add' })
    },
    stopSelf: ({ self }) => {
      self.send({ type: 'add' })
      stop(self)
      self.send({ type: 'add' })
    },
    up: sendParent({ type: 'child.said' }),
  },
}).createMachine({
  id: 'counter',
  context: ({ input }) => ({ count: (input as number | undefined) ?? 0 }),
  output: ({ context }) => context.count,
  initial: 'counting',
  exit: 'leave',
  states: {
    counting: {
      entry: 'tell',
      on: {
        add: { actions: ['count', 'tell'] },
        twice: { actions: ['twice', 'tell'] },
        again: { actions: ['again', 'tell'] },
        stopSelf: { actions: 'stopSelf' },
        up: { actions: 'up' },
        fail: { actions: 'fail' },
        end: 'ended',
      },
    },
    ended: { type: 'final' },
  },
})

const observed = (log: Log, name: string) => ({
  next: (snapshot: unknown) =>
    log(
      name,
      'next',
      (snapshot as { status: string; context?: unknown }).status,
      (snapshot as { context?: unknown }).context,
    ),
  error: (error: unknown) => log(name, 'error', String(error)),
  complete: () => log(name, 'complete'),
})

const listen = (log: Log, child: AnyActorRef): void => {
  child.on('counted', (event) => log('counted', event))
  child.on('*', (event) => log('*', event))
}

const scenes: Readonly<Record<string, (scene: Scene) => void | Promise<void>>> = {
  'events before its start wait, and are taken in their order'({ log, child }) {
    const actor = child(counter, 3)
    listen(log, actor)
    actor.subscribe(observed(log, 'first'))
    actor.send({ type: 'add' })
    actor.send({ type: 'twice' })
    actor.send({ type: 'again' })
    log(actor.getSnapshot().context, actor.getSnapshot().status)
    actor.start()
    actor.start()
    log(actor.getSnapshot().context)
  },
  'an event that is sent in a step is taken after it'({ log, child }) {
    const actor = child(counter)
    actor.start()
    listen(log, actor)
    actor.subscribe((snapshot) => {
      log('next', snapshot.context)
      if (snapshot.context.count === 1) actor.send({ type: 'add' })
    })
    const { send } = actor
    send({ type: 'twice' })
    log(actor.send === send, actor.getSnapshot().context)
    expect(() => actor.send('add')).toThrow('Only event objects')
  },
  'its end is told to observers, then to its parent; later ones are told at once'({ log, child }) {
    const actor = child(counter)
    listen(log, actor)
    actor.subscribe(observed(log, 'first'))
    const left = actor.subscribe(observed(log, 'left'))
    left.unsubscribe()
    actor.start()
    actor.send({ type: 'end' })
    actor.send({ type: 'add' })
    actor.subscribe(observed(log, 'late'))
    listen(log, actor)
    actor.send({ type: 'add' })
    log(actor.getSnapshot().status, actor.getSnapshot().output)
  },
  'its error is told to observers, then to its parent'({ log, child }) {
    const actor = child(counter)
    actor.subscribe(observed(log, 'first'))
    actor.start()
    actor.send({ type: 'fail' })
    actor.send({ type: 'add' })
    actor.subscribe(observed(log, 'late'))
    log(actor.getSnapshot().status, String(actor.getSnapshot().error))
  },
  'an error that nobody observes reaches the parent alone'({ child }) {
    const actor = child(counter)
    actor.start()
    actor.send({ type: 'fail' })
  },
  'it is stopped by its parent, in a step and before its start'({ log, child }) {
    const running = child(counter)
    running.subscribe(observed(log, 'running'))
    listen(log, running)
    running.start()
    running.send({ type: 'stopSelf' })
    running.send({ type: 'add' })
    log(running.getSnapshot().status, running.getSnapshot().context)
    running.subscribe(observed(log, 'late'))
    const never = child(counter)
    never.subscribe(observed(log, 'never'))
    stop(never)
    never.subscribe(observed(log, 'late never'))
    log(never.getSnapshot().status)
    expect(() => running.stop()).toThrow('non-root')
  },
  'the run hears what it emits, until its end'({ log, child }) {
    let late: () => void = () => undefined
    const logic = fromCallback(({ emit: tell }) => {
      late = () => tell({ type: 'counted' })
    })
    for (const [name, made] of [
      ['chart', counter],
      ['callback', logic],
    ] as const) {
      const actor = child(made)
      hear(actor, (event) => log(name, event))
      actor.start()
      actor.send({ type: 'add' })
      late()
      stop(actor)
      late()
    }
    const fails = child(counter)
    hear(fails, (event) => log('fails', event))
    fails.start()
    fails.send({ type: 'fail' })
    fails.send({ type: 'add' })
  },
  async 'what a logic emits after its end is not heard'({ log, child }) {
    let late: () => void = () => undefined
    const logic = fromCallback(({ emit: tell, sendBack }) => {
      tell({ type: 'counted', count: 1 } as never)
      sendBack({ type: 'back' })
      late = () => tell({ type: 'counted', count: 2 } as never)
      return () => log('left')
    })
    const actor = child(logic)
    listen(log, actor)
    actor.start()
    late()
    stop(actor)
    late()
    const promised = child(
      fromPromise(({ input }) => Promise.resolve(input)),
      'in',
    )
    promised.subscribe(observed(log, 'promised'))
    promised.start()
    await turn()
    log(promised.getSnapshot().output)
  },
  'the error of its creation is told at its start'({ log, child }) {
    const actor = child(
      fromTransition(
        (state: number) => state,
        () => {
          throw new Error('no beginning')
        },
      ),
    )
    log(actor.getSnapshot().status)
    actor.subscribe(observed(log, 'first'))
    actor.start()
  },
  'an observer that throws keeps the news from no other'({ log, child }) {
    const actor = child(counter)
    actor.subscribe(() => {
      throw new Error('observer')
    })
    actor.subscribe(observed(log, 'second'))
    actor.start()
    actor.send({ type: 'add' })
  },
  'it looks like an actor'({ log, child, parent }) {
    const actor = child(counter, 2)
    actor.start()
    actor.send({ type: 'up' })
    log(actor instanceof Actor, actor.id, actor.src, actor.systemId, actor.ref === actor)
    log(JSON.stringify({ actor }), actor.getPersistedSnapshot())
    log(actor.system === parent.system, actor.logic === counter, typeof actor.sessionId)
    log(Reflect.get(actor, Symbol.observable ?? '@@observable') !== undefined)
    log(actor.select((snapshot) => snapshot.context.count).get(), 'clock' in actor, 'logger' in actor)
    log(actor.clock === parent.clock, Reflect.get(actor, 'logger') === Reflect.get(parent, 'logger'))
  },
}

const named = fromTransition((state: number) => state, 0)

const family = setup({ actors: { named } }).createMachine({
  id: 'family',
  initial: 'first',
  states: {
    first: {
      entry: spawnChild('named', { id: 'one', systemId: 'key' }),
      on: { again: 'second', end: 'ended' },
    },
    second: { entry: spawnChild('named', { id: 'two', systemId: 'key' }) },
    ended: { type: 'final' },
  },
})

const late = setup({
  types: { events: {} as { type: 'first' | 'second' | 'third' | 'cancel' | 'leave' } },
  delays: { long: 3_000 },
}).createMachine({
  id: 'late',
  initial: 'waiting',
  states: {
    waiting: {
      entry: [
        sendTo(({ self }) => self, { type: 'first' }, { delay: 1_000, id: 'first' }),
        sendTo(({ self }) => self, { type: 'second' }, { delay: 2_000, id: 'second' }),
        sendTo(({ self }) => self, { type: 'third' }, { delay: 2_500 }),
      ],
      after: { long: 'gone' },
      on: { first: {}, second: {}, third: {}, cancel: { actions: cancel('second') }, leave: 'left' },
    },
    gone: {},
    left: {},
  },
})

const rootScenes: typeof scenes = {
  'a root that fails is told to its observers, or to the process'({ log, root }) {
    const seen = root(counter)
    seen.subscribe(observed(log, 'seen'))
    const unseen = root(counter)
    for (const actor of [seen, unseen]) {
      actor.start()
      actor.send({ type: 'fail' })
      actor.send({ type: 'add' })
      log(actor.id, actor.getSnapshot().status)
    }
  },
  'a root is stopped before its start, and after it'({ log, root }) {
    for (const isStarted of [false, true]) {
      const actor = root(counter)
      actor.subscribe(observed(log, 'first'))
      if (isStarted) actor.start()
      actor.stop()
      actor.stop()
      actor.send({ type: 'add' })
      log(actor.getSnapshot().status, actor.getSnapshot().context)
      actor.start()
      actor.send({ type: 'add' })
      log(actor.getSnapshot().status, actor.getSnapshot().context)
    }
  },
  'a root looks like an actor'({ log, root }) {
    const actor = root(counter)
    log(actor instanceof Actor, actor.id, actor.src === counter, actor.systemId, actor.ref === actor)
    log(actor.getPersistedSnapshot(), JSON.stringify({ actor }), Reflect.get(actor, '_parent'))
    log(
      typeof actor.sessionId,
      actor.sessionId === root(counter).sessionId,
      actor.system === root(counter).system,
    )
    log(typeof actor.clock.setTimeout, typeof Reflect.get(actor, 'logger'))
  },
  'actors are found by their keys as long as they live'({ log, root }) {
    const actor = root(family)
    const { system } = actor
    const { get, getAll } = system // an app may take one by itself
    const find = (): void => log((get('key') as AnyActorRef | undefined)?.id, Object.keys(getAll()))
    find()
    actor.start()
    find()
    actor.send({ type: 'end' })
    find()
    const other = root(family)
    other.subscribe(observed(log, 'other'))
    other.start()
    other.send({ type: 'again' }) // the key is taken
    log(other.getSnapshot().status, String(other.getSnapshot().error))
  },
  'delayed events come in their time, unless they are cancelled'({ log, root }) {
    for (const event of ['none', 'cancel', 'leave', 'stop'] as const) {
      const clock = new SimulatedClock()
      const actor = root(late, clock)
      actor.subscribe((snapshot) => log(clock.now(), snapshot.value))
      const waiting = (): void => {
        const { _scheduledEvents: events } = actor.system.getSnapshot()
        const all = Object.values(events)
        log(all.map(({ event: { type }, delay, source, target }) => [type, delay, source === target]))
      }
      actor.start()
      waiting()
      clock.increment(1_500)
      waiting()
      if (event === 'stop') actor.stop()
      else if (event !== 'none') actor.send({ type: event })
      waiting()
      clock.increment(5_000)
      waiting()
      log(actor.getSnapshot().value)
    }
  },
  async 'delays take the timers of the process'({ log, root }) {
    const soon = setup({ delays: { soon: 1 } }).createMachine({
      initial: 'waiting',
      states: { waiting: { after: { soon: 'gone' } }, gone: {} },
    })
    const actor = root(soon)
    actor.subscribe((snapshot) => log(snapshot.value))
    actor.start()
    await vi.waitFor(() => expect(actor.getSnapshot().value).toBe('gone'))
  },
  'an inspector sees the actors of a system until it leaves'({ log, root }) {
    const actor = root(family)
    const note = (name: string) => (event: { readonly type: string; readonly rootId: string }) =>
      log(name, event.type, event.rootId === actor.sessionId)
    const { unsubscribe } = actor.system.inspect(note('function'))
    const twice = { next: note('observer') }
    actor.system.inspect(twice)
    const second = actor.system.inspect(twice)
    twice.next = note('later')
    actor.system.inspect({})
    actor.start()
    unsubscribe()
    second.unsubscribe()
    actor.send({ type: 'end' })
  },
}

/** The session ids of both differ, and nothing else may. */
async function seenBy(
  make: Make,
  scene: (scene: Scene) => void | Promise<void>,
): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const log: Log = (...what) => void seen.push(what)
  const parentLogic = fromTransition((state, event: { readonly type: string }) => {
    log('parent', { ...event, error: 'error' in event ? String(event.error) : undefined })
    return state
  }, 0)
  const parent = make.root(parentLogic, { id: 'parent', input: undefined }) as Child
  parent.system.inspect((event) => {
    const { type, actorRef } = event
    const taken = 'event' in event ? event.event.type : undefined
    log(
      type,
      (actorRef as AnyActorRef).id,
      taken,
      event.type === '@xstate.action' ? event.action.type : undefined,
    )
  })
  parent.start()
  let children = 0
  const child: Scene['child'] = (logic, input) =>
    make.child(logic, parent, { id: `child${++children}`, input, src: 'made' }) as Child
  let roots = 0
  const root: Scene['root'] = (logic, clock) =>
    make.root(logic, { id: `root${++roots}`, input: undefined, clock }) as Child
  await scene({ log, parent, child, root })
  await turn()
  return seen
}

describe('without a difference:', () => {
  const thrown: unknown[] = []
  const note = (error: unknown): void => void thrown.push(String(error))
  let others: NodeJS.UncaughtExceptionListener[] = []

  // XState throws the errors of observers in a task of their own.
  beforeEach(() => {
    others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException').on('uncaughtException', note)
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  })
  afterEach(() => {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
    vi.restoreAllMocks()
  })

  test.each(Object.entries({ ...scenes, ...rootScenes }))('%s', async (_, scene) => {
    const of = async (make: Make): Promise<unknown> => {
      thrown.length = 0
      const seen = await seenBy(make, scene)
      await new Promise((resolve) => setTimeout(resolve, 2))
      return { seen, thrown: [...thrown] }
    }
    const expected = await of(xstate)
    expect((expected as { seen: unknown[] }).seen.length).toBeGreaterThan(1)
    expect(await of(leanChildren)).toEqual(expected)
    expect(await of(lean)).toEqual(expected)
  })
})

test('a delay that is longer than a timer of the process can be is waited for', async () => {
  const far = setup({ delays: { far: 2 ** 31 } }).createMachine({
    initial: 'waiting',
    states: { waiting: { after: { far: 'gone' } }, gone: {} },
  })
  const actor = createRoot(far, { id: 'root', input: undefined })
  actor.start()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(actor.getSnapshot().value).toBe('waiting')
  actor.stop()
})
