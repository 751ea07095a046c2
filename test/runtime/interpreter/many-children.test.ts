/** Children by the hundred, which tables keep as a list: a snapshot shows the record that XState would have made. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assign, createActor, createMachine, enqueueActions, sendTo, setup, type AnyActorRef } from 'xstate'
import {
  tableInterpreter,
  tablesOf,
  xstateInterpreter,
  type Interpreter,
} from '../../../src/runtime/interpreter/interpreter.ts'
import { interpreted } from './interpreted.ts'

type Children = Readonly<Record<string, AnyActorRef | undefined>>

interface Change {
  readonly type: 'change'
  readonly stopped: readonly number[]
  readonly spawned: readonly number[]
  /** Told before any is stopped, after the first was, before others are spawned, and at the end. */
  readonly told: readonly (readonly number[])[]
}

const listener = createMachine({
  id: 'listener',
  context: { told: 0 },
  on: {
    tell: { actions: assign(({ context }: { context: { told: number } }) => ({ told: context.told + 1 })) },
  },
})

/** A place of an even number is an id that records put before all others. */
const idOf = (place: number): string => (place % 2 === 0 ? String(place) : `child:${place}`)

const parent = setup({
  types: { events: {} as Change },
  actors: { listener },
}).createMachine({
  id: 'parent',
  on: {
    change: {
      actions: enqueueActions(({ enqueue, event }) => {
        const { stopped, spawned, told } = event
        const tell = (places: readonly number[] = []): void => {
          for (const place of places) enqueue(sendTo(idOf(place), { type: 'tell' }))
        }
        tell(told[0])
        for (const [index, place] of stopped.entries()) {
          enqueue.stopChild(idOf(place))
          if (index === 0) tell(told[1])
        }
        tell(told[2])
        for (const place of spawned) enqueue.spawnChild('listener', { id: idOf(place) })
        tell(told[3])
      }),
    },
  },
})

/** Each goes on with the snapshots of the other. */
function inTurns(): Interpreter {
  let steps = 0
  return {
    getInitialSnapshot: tableInterpreter.getInitialSnapshot,
    transition: (...step) => (steps++ % 3 === 0 ? xstateInterpreter : tableInterpreter).transition(...step),
  }
}

function told(children: Children): readonly (readonly [id: string, told: unknown])[] {
  return Object.entries(children).map(([id, child]) => [
    id,
    (child?.getSnapshot() as { readonly context: object } | undefined)?.context,
  ])
}

/** The children after each change, and once more at the end: a snapshot keeps the children that it had. */
function trace(interpreter: Interpreter, changes: readonly Change[]): unknown {
  const actor = createActor(interpreted(parent, interpreter))
  actor.start()
  const seen = changes.map((change) => {
    actor.send(change)
    const snapshot = actor.getSnapshot()
    expect(snapshot.children).toBe(snapshot.children)
    return {
      snapshot,
      children: told(snapshot.children as Children),
      fields: Object.keys(snapshot).toSorted(),
      persisted: JSON.stringify(actor.getPersistedSnapshot()),
    }
  })
  const atTheEnd = seen.map(({ snapshot }) => Object.keys({ ...snapshot }.children as Children))
  actor.stop()
  return {
    seen: seen.map(({ snapshot: _, ...of }) => of),
    atTheEnd,
    left: Object.keys(actor.getSnapshot().children),
  }
}

const places = fc.integer({ min: 0, max: 400 })
const change = fc.record({
  type: fc.constant('change' as const),
  spawned: fc.oneof(
    fc.uniqueArray(places, { maxLength: 3 }),
    fc.uniqueArray(places, { minLength: 60, maxLength: 200 }),
  ),
  stopped: fc.oneof(
    fc.uniqueArray(places, { maxLength: 3 }),
    fc.uniqueArray(places, { minLength: 60, maxLength: 400 }),
  ),
  told: fc.constant([] as number[][]),
})

/** What is not there is not spoken to; what is there is not spawned again. */
function possible(changes: readonly Change[]): Change[] {
  const live = new Set<number>()
  return changes.map(({ type, spawned, stopped }) => {
    const told = [[...live].slice(-2)]
    for (const [index, place] of stopped.entries()) {
      live.delete(place)
      if (index === 0) told.push([...live].slice(-2))
    }
    told[2] = [...live].slice(-2)
    const fresh = spawned.filter((place) => !live.has(place))
    for (const place of fresh) live.add(place)
    told[3] = [...live].slice(-2)
    return { type, stopped, spawned: fresh, told }
  })
}

test('random changes: tables, XState, and both in turns have the same children', () => {
  expect(tablesOf(parent)).toBeDefined()
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 25 }), (drawn) => {
      const changes = possible(drawn)
      const expected = trace(xstateInterpreter, changes)
      expect(trace(tableInterpreter, changes)).toEqual(expected)
      expect(trace(inTurns(), changes)).toEqual(expected)
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('a child that has no logic is kept under its name among many', () => {
  const all = Array.from({ length: 100 }, (_, place) => `child:${place}`)
  const machine = createMachine({
    id: 'lacking',
    on: {
      go: {
        actions: enqueueActions(({ enqueue }) => {
          for (const id of all) enqueue.spawnChild('unknown', { id })
        }),
      },
      end: { actions: enqueueActions(({ enqueue }) => enqueue.stopChild('child:7')) },
    },
  })
  const after = ({ getInitialSnapshot, transition }: Interpreter): unknown => {
    const actor = createActor(interpreted(machine, { getInitialSnapshot, transition })).start()
    actor.send({ type: 'go' })
    actor.send({ type: 'end' })
    actor.send({ type: 'end' })
    return Object.entries(actor.getSnapshot().children)
  }
  expect(after(tableInterpreter)).toEqual(after(xstateInterpreter))
})
