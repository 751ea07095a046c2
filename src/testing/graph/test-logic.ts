/**
 * A machine as a logic that `@xstate/graph` can search: its state is a snapshot with the children that have reported, and
 * its events are stimuli with their payloads. XState's pure functions compute each step: nothing runs.
 */
import {
  initialTransition,
  transition,
  type ActorLogic,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type SnapshotFrom,
  type ActorRef,
  type ActorSystem,
  type EventObject,
  type Snapshot,
} from 'xstate'
import { toErrorData } from '../../errors.ts'
import type { StateKey } from './graph-options.ts'
import { toEvent, type Stimulus } from './stimulus.ts'
import { liveIds } from './stub-children.ts'

/** A state of the search through a machine. */
export interface TestState<Machine extends AnyStateMachine = AnyStateMachine> {
  /** That of the search: the state of the machine is in `snapshot`. */
  readonly status: 'active'
  readonly output: undefined
  readonly error: undefined
  readonly snapshot: SnapshotFrom<Machine>
  /** Children that have reported. Nothing runs here, so their snapshots do not show it. */
  readonly reported: ReadonlySet<object>
  /** The ids of the children that may still report. */
  readonly live: readonly string[]
  readonly key: string
  /** The actions of the step that led to it, in their order, if the logic keeps them. None of them has run. */
  readonly actions: readonly Action[]
  /** The last step of the path by which it was reached; `undefined` for the initial state. */
  readonly last: LastStep<Machine> | undefined
}

/** An action of a machine, as a path names it. */
export interface Action {
  readonly type: string
  readonly params: unknown
}

/** The step that led to a state. */
export interface LastStep<Machine extends AnyStateMachine> {
  readonly from: TestState<Machine>
  readonly stimulus: Stimulus
}

/** The system of a logic that looks up no other actor. */
export type AnySystem = ActorSystem<{ actors: Record<string, ActorRef<Snapshot<unknown>, EventObject>> }>

export type TestLogic<Machine extends AnyStateMachine = AnyStateMachine> = ActorLogic<
  TestState<Machine>,
  Stimulus,
  unknown,
  AnySystem
>

type Step = readonly [AnyMachineSnapshot, readonly Action[]]

const none: readonly Action[] = []

const searching = { status: 'active', output: undefined, error: undefined } as const

/** `machine` is stubbed: all its children are effects. */
export function testLogic(
  machine: AnyStateMachine,
  keyOf: StateKey,
  { keepsActions }: { readonly keepsActions: boolean },
): TestLogic {
  const stateOf = (
    [snapshot, actions]: Step,
    reported: ReadonlySet<object>,
    last: TestState['last'],
  ): TestState => {
    const live = liveIds(snapshot, reported)
    const key = keyOf(snapshot, live)
    const kept = keepsActions ? actions : none
    return { ...searching, snapshot, reported, live, key, actions: kept, last }
  }
  const step = stepsOf(machine)
  return {
    getInitialSnapshot: (_scope, input) => {
      return stateOf(initialTransition(machine, input as never) as Step, new Set(), undefined)
    },
    transition: (from, stimulus) => {
      return stateOf(step(from, stimulus), reportedAfter(from, stimulus), { from, stimulus })
    },
    getPersistedSnapshot: (state) => state,
  }
}

/**
 * For each transition, XState makes an actor and computes the initial snapshot of it, without an input: most of our machines
 * throw there, and the error costs more than the transition. So the logic that it is given has a snapshot at hand.
 */
function stepsOf(machine: AnyStateMachine): (from: TestState, stimulus: Stimulus) => Step {
  let current: AnyMachineSnapshot | undefined
  const logic = Object.create(machine, {
    getInitialSnapshot: { value: () => current },
  }) as AnyStateMachine
  return (from, stimulus) => {
    current = from.snapshot
    try {
      return transition(logic, from.snapshot as never, toEvent(stimulus) as never) as Step
    } catch (cause) {
      const after = [...stimuliTo(from), stimulus].map(({ name }) => name).join(' → ')
      throw new Error(`The machine "${machine.id}" threw after: ${after}: ${toErrorData(cause).message}`, {
        cause,
      })
    }
  }
}

function reportedAfter({ snapshot, reported }: TestState, stimulus: Stimulus): ReadonlySet<object> {
  if (stimulus.type === 'event') return reported
  const children = snapshot.children as Readonly<Record<string, AnyActorRef | undefined>>
  const child = children[stimulus.child]
  return child === undefined ? reported : new Set([...reported, child])
}

/** The stimuli by which a state was first reached. */
export function stimuliTo({ last }: TestState): readonly Stimulus[] {
  const found: Stimulus[] = []
  for (let step = last; step !== undefined; step = step.from.last) found.unshift(step.stimulus)
  return found
}
