/** Random charts and random events: an actor on the tables leaves the same trace as one on XState. */
import fc from 'fast-check'
import {
  createActor,
  SimulatedClock,
  type AnyActorRef,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { expect, test } from 'vitest'
import { ChartTables } from '../../../src/runtime/interpreter/tables.ts'
import { events, randomChart, type Trace } from './random-chart.ts'

/** The machine as a logic that the tables interpret. */
function tabled(machine: AnyStateMachine): AnyStateMachine {
  const tables = new ChartTables(machine)
  return Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: unknown) => tables.getInitialSnapshot(scope, input),
    },
    transition: {
      value: (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope) =>
        tables.transition(snapshot, event, scope),
    },
  }) as AnyStateMachine
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
    children: Object.keys(children),
    tags: [...tags],
    can,
    meta,
  }
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
    const [word, id] = type.split('.')
    if (type === 'time') clock.increment(10)
    else if (type === 'stop') actor.stop()
    else if (id === 'k') childOf(actor.getSnapshot() as AnyMachineSnapshot, id)?.send({ type: word })
    else actor.send({ type })
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
        const theirs = play(machine, sent, trace).splice(0)
        const ours = play(tabled(machine), sent, trace).splice(0)
        expect(ours).toEqual(theirs)
      },
    ),
    { numRuns: 2_000, endOnFailure: true },
  )
})
