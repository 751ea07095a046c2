/** Charts whose steps are easily taken otherwise, in lockstep with XState. */
import { describe, expect, test } from 'vitest'
import {
  assign,
  createActor,
  createMachine,
  enqueueActions,
  not,
  sendTo,
  spawnChild,
  stopChild,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { interpreted } from './interpreted.ts'
import { Lockstep } from './lockstep.ts'

const go = { type: 'go' }
const child = createMachine({ id: 'child', initial: 'idle', states: { idle: {} } })

function chart(config: object, implementations: object = {}): AnyStateMachine {
  return createMachine({ id: 'chart', ...config } as never, implementations as never)
}

function walk(machine: AnyStateMachine, ...events: readonly AnyEventObject[]): AnyMachineSnapshot {
  const lockstep = new Lockstep(machine)
  return events.reduce((from, event) => lockstep.step(from, event), lockstep.begin(undefined))
}

describe('equal steps', () => {
  test('a child is stopped that is not there: the snapshot is another', () => {
    expect(walk(chart({ on: { go: { actions: stopChild('nobody') } } }), go).children).toEqual({})
  })

  test('a transition that does nothing: the snapshot is the same', () => {
    expect(walk(chart({ on: { go: { actions: [] } } }), go).value).toEqual({})
  })

  test('an assignment of nothing: the snapshot is another, and its context equal', () => {
    const context = { count: 1 }
    const [byFunction, byFields] = [assign(() => ({})), assign({})]
    expect(walk(chart({ context, on: { go: { actions: byFunction } } }), go).context).toEqual(context)
    expect(walk(chart({ context, on: { go: { actions: byFields } } }), go).context).toEqual(context)
  })

  test('assignments of something and of nothing in turns, through states that go on of their own accord', () => {
    const more = assign(({ context }: { context: { count: number } }) => ({ count: context.count + 1 }))
    const nothing = assign(() => ({}))
    const states = {
      one: { on: { go: 'two' }, exit: nothing },
      two: { entry: [more, nothing], always: { guard: 'isTwo', target: 'three', actions: nothing } },
      three: { entry: [nothing, more, nothing], always: 'four' },
      four: {},
    }
    const guards = { isTwo: ({ context }: { context: { count: number } }) => context.count === 2 }
    const machine = chart({ context: { count: 1 }, initial: 'one', states }, { guards })
    expect(walk(machine, go)).toMatchObject({ value: 'four', context: { count: 3 } })
  })

  test('the root is entered again by a state below it, and not left', () => {
    const states = { one: { on: { go: '#chart' }, exit: 'leave' }, two: {} }
    const machine = chart({ entry: 'enter', exit: 'leave', initial: 'one', states })
    expect(walk(machine, go).value).toBe('one')
  })

  test('the root takes a transition to itself', () => {
    const states = { one: { on: { next: 'two' } }, two: {} }
    const machine = chart({ entry: 'enter', on: { go: '#chart' }, initial: 'one', states })
    expect(walk(machine, { type: 'next' }, go).value).toBe('one')
  })

  test('a state is left and entered again within one step', () => {
    const states = {
      one: { on: { go: 'two' }, entry: 'enter', exit: 'leave' },
      two: { always: 'one', tags: 'passing' },
    }
    expect(walk(chart({ initial: 'one', states }), go, go).value).toBe('one')
  })

  test('a child that has no logic: its input is not asked for', () => {
    const input = (): never => {
      throw new Error('There is no actor that it is for.')
    }
    const snapshot = walk(chart({ on: { go: { actions: spawnChild('unknown', { id: 'k', input }) } } }), go, {
      type: 'xstate.stop',
    })
    expect(snapshot.status).toBe('stopped')
  })

  test('children are stopped with the machine, and leave its snapshot', () => {
    const spawn = { entry: spawnChild('child', { id: 'k' }) }
    const snapshot = walk(chart(spawn, { actors: { child } }), { type: 'xstate.stop' })
    expect(snapshot).toMatchObject({ status: 'stopped', children: {} })
  })

  test('the error of a child that no transition takes ends the machine', () => {
    const spawn = { entry: spawnChild('child', { id: 'k' }) }
    const failed = { type: 'xstate.error.actor.k', error: new Error('It failed.'), actorId: 'k' }
    const snapshot = walk(chart(spawn, { actors: { child } }), failed)
    expect(snapshot).toMatchObject({ status: 'error', error: failed.error, children: {} })
  })

  test('an entry action sends to a child that the same state invokes', () => {
    const states = {
      one: { on: { go: 'two' } },
      two: { entry: sendTo('k', { type: 'ping' }), invoke: { src: 'child', id: 'k' } },
    }
    const snapshot = walk(chart({ initial: 'one', states }, { actors: { child } }), go)
    expect(Object.keys(snapshot.children)).toEqual(['k'])
  })

  test('a child whose snapshots are followed, and one with a name in the system', () => {
    const following = { src: 'child', id: 'k', systemId: 'named', onSnapshot: { actions: 'note' } }
    const states = { one: { on: { go: 'two' } }, two: { invoke: following } }
    const snapshot = walk(chart({ initial: 'one', states }, { actors: { child } }), go)
    expect(snapshot.children['k']).toMatchObject({ _syncSnapshot: true, systemId: 'named' })
  })

  test('a guard within a guard that is not implemented', () => {
    const guards = { broken: not('missing') }
    const machine = chart({ on: { go: { guard: 'broken', actions: 'note' } } }, { guards })
    expect(() => walk(machine, go)).toThrow('threw')
  })

  test('an eventless guard that throws', () => {
    const guards = {
      throws: () => {
        throw new Error('The guard fails.')
      },
    }
    const states = { one: { on: { go: 'two' } }, two: { always: { guard: 'throws', target: 'one' } } }
    expect(() => walk(chart({ initial: 'one', states }, { guards }), go)).toThrow('threw')
  })
})

describe('an actor on the tables', () => {
  test('lives on when it has enqueued an action that throws', () => {
    const noted: string[] = []
    const fail = enqueueActions(() => {
      throw new Error('It fails.')
    })
    const note = enqueueActions(({ enqueue }) => enqueue(() => noted.push('noted')))
    const [failing, other] = ['failing', 'other'].map((id) => {
      const machine = chart({ id, on: { fail: { actions: fail }, note: { actions: note } } })
      const actor = createActor(interpreted(machine))
      actor.subscribe({ error: () => noted.push('failed') })
      return actor.start()
    })
    failing?.send({ type: 'fail' })
    other?.send({ type: 'note' })
    expect(noted).toEqual(['failed', 'noted'])
  })

  test('fails where it spawns in its context or in an assignment: XState alone can do that', () => {
    const spawning = ({ spawn }: { spawn: (src: string) => unknown }) => ({ child: spawn('child') })
    const inContext = chart({ context: spawning }, { actors: { child } })
    const inAssignment = chart({ context: {}, entry: assign(spawning as never) }, { actors: { child } })
    expect(String(errorOf(inContext))).toContain('The chart "chart" has a context that spawns an actor.')
    expect(String(errorOf(inAssignment))).toContain('has an assignment that spawns an actor.')
  })
})

function errorOf(machine: AnyStateMachine): unknown {
  const actor = createActor(interpreted(machine))
  return (actor.getSnapshot() as AnyMachineSnapshot).error
}
