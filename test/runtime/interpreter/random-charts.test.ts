/** Random charts and random events: an actor on the tables leaves the same trace as one on XState. */
import fc from 'fast-check'
import {
  createActor,
  SimulatedClock,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { expect, test } from 'vitest'
import {
  tableInterpreter,
  tablesOf,
  xstateInterpreter,
  type Interpreter,
} from '../../../src/runtime/interpreter/interpreter.ts'
import { interpreted } from './interpreted.ts'
import { events, randomChart, type Trace } from './random-chart.ts'

/** Each goes on with the snapshots of the other. */
function inTurns(): Interpreter {
  let steps = 0
  return {
    getInitialSnapshot: tableInterpreter.getInitialSnapshot,
    transition: (...step) => (steps++ % 2 === 0 ? xstateInterpreter : tableInterpreter).transition(...step),
  }
}

function seen(snapshot: AnyMachineSnapshot): unknown {
  const { status, output, error, children } = snapshot
  if (!('value' in snapshot)) return { status, error: String(error) }
  const { value, context, tags } = snapshot
  const can = events.map((type) => attempt(() => snapshot.can({ type })))
  const meta: unknown = snapshot.getMeta()
  return {
    value,
    context,
    status,
    output,
    error: String(error),
    children: Object.entries(children as object).map(([key, child]) => childSeen(key, child as Child)),
    tags: [...tags],
    can,
    meta,
  }
}

type Child = (AnyActorRef & { readonly _syncSnapshot?: boolean; readonly systemId?: string }) | undefined

function childSeen(key: string, child: Child): unknown {
  return { key, id: child?.id, src: child?.src, systemId: child?.systemId, isFollowed: child?._syncSnapshot }
}

function attempt(ask: () => unknown): unknown {
  try {
    return ask()
  } catch (error) {
    return String(error)
  }
}

function childOf({ children }: AnyMachineSnapshot, id: string): AnyActorRef | undefined {
  return (children as Readonly<Record<string, AnyActorRef | undefined>>)[id]
}

/** Plays the events, and writes everything down. */
function play(logic: AnyStateMachine, sent: readonly string[], trace: Trace): Trace {
  const clock = new SimulatedClock()
  const actor = createActor(logic, { clock, logger: () => undefined })
  actor.on('*', (event) => trace.push(['emitted', event]))
  actor.subscribe({
    next: (snapshot) => trace.push(['next', snapshot.value]),
    error: (error) => trace.push(['error', String(error)]),
    complete: () => trace.push('complete'),
  })
  actor.start()
  trace.push(seen(actor.getSnapshot() as AnyMachineSnapshot))
  for (const type of sent) {
    trace.push(`> ${type}`)
    const before: unknown = actor.getSnapshot()
    const [word, id] = type.split('.')
    if (type === 'time') clock.increment(10)
    else if (type === 'stop') actor.stop()
    else if (id === 'k') childOf(actor.getSnapshot() as AnyMachineSnapshot, id)?.send({ type: word })
    else actor.send({ type })
    trace.push(actor.getSnapshot() === before ? 'the same snapshot' : 'another snapshot')
    trace.push(seen(actor.getSnapshot() as AnyMachineSnapshot))
  }
  actor.stop()
  return trace
}

test('random charts leave the same traces', () => {
  fc.assert(
    fc.property(
      fc.gen(),
      fc.array(fc.constantFrom(...events, 'time', 'stop'), { maxLength: 12 }),
      (gen, sent) => {
        const trace: Trace = []
        const machine = randomChart(gen, trace)
        expect(tablesOf(machine)).toBeDefined()
        const theirs = play(machine, sent, trace).splice(0)
        expect(play(interpreted(machine), sent, trace).splice(0)).toEqual(theirs)
        expect(play(interpreted(machine, inTurns()), sent, trace).splice(0)).toEqual(theirs)
      },
    ),
    { numRuns: 2_000, endOnFailure: true },
  )
})
