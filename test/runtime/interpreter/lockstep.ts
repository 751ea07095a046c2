/** Takes one step with XState and with the tables, and compares all that can be seen of it. */
import {
  initialTransition,
  transition,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { ChartTables } from '../../../src/runtime/interpreter/tables.ts'
import { difference } from './same-value.ts'

interface Seen {
  readonly snapshot: object
  readonly actions: readonly object[]
}

type Step = readonly [AnyMachineSnapshot, readonly { readonly type: string; readonly params: unknown }[]]

/** Makes steps of a machine with both interpreters. */
export class Lockstep {
  readonly #machine: AnyStateMachine
  readonly #tables: ChartTables

  /** Throws an `UnsupportedChart`. */
  constructor(machine: AnyStateMachine) {
    this.#machine = machine
    this.#tables = new ChartTables(machine)
  }

  /** Throws an error that names the first difference. */
  begin(input: unknown): AnyMachineSnapshot {
    const logic = Object.create(this.#machine, {
      getInitialSnapshot: {
        value: (scope: AnyActorScope, given: unknown) => this.#tables.getInitialSnapshot(scope, given),
      },
    }) as AnyStateMachine
    const theirs = attempt(() => initialTransition(this.#machine, input as never) as Step)
    const ours = attempt(() => initialTransition(logic, input as never) as Step)
    return this.#compared('the beginning', theirs, ours)
  }

  /** Throws an error that names the first difference. */
  step(from: AnyMachineSnapshot, event: AnyEventObject): AnyMachineSnapshot {
    // XState makes an actor for each pure step, and asks the logic for a snapshot of it.
    const at = { getInitialSnapshot: { value: () => from } }
    const xstate = Object.create(this.#machine, at) as AnyStateMachine
    const tables = Object.create(this.#machine, {
      ...at,
      transition: {
        value: (snapshot: AnyMachineSnapshot, given: AnyEventObject, scope: AnyActorScope) =>
          this.#tables.transition(snapshot, given, scope, 'scope'),
      },
    }) as AnyStateMachine
    const theirs = attempt(() => transition(xstate, from as never, event as never) as Step)
    const ours = attempt(() => transition(tables, from as never, event as never) as Step)
    const to = this.#compared(`${JSON.stringify(from.value)} at ${event.type}`, theirs, ours)
    if ('step' in theirs && 'step' in ours) {
      const [isSame, isSameOfTables] = [theirs.step[0] === from, ours.step[0] === from]
      if (isSame !== isSameOfTables)
        throw new Error(`${this.#machine.id}: the snapshot itself, at ${event.type}`)
    }
    return to
  }

  #compared(where: string, theirs: Attempt, ours: Attempt): AnyMachineSnapshot {
    const found = difference(seen(theirs), seen(ours))
    if (found !== undefined) {
      throw new Error(`${this.#machine.id}: ${where}: the interpreters differ in ${found}.`)
    }
    if ('error' in theirs) throw new Error(`${where} threw`, { cause: theirs.error })
    return theirs.step[0]
  }
}

type Attempt = { readonly step: Step } | { readonly error: unknown }

function attempt(take: () => Step): Attempt {
  try {
    return { step: take() }
  } catch (error) {
    return { error }
  }
}

function seen(attempted: Attempt): Seen | { readonly error: unknown } {
  if ('error' in attempted) return attempted
  const [snapshot, actions] = attempted.step
  const { value, context, status, output, error, children, tags } = snapshot
  const { _nodes: nodes } = snapshot as AnyMachineSnapshot & {
    readonly _nodes: readonly { readonly id: string }[]
  }
  const meta = snapshot.getMeta() as object
  return {
    snapshot: {
      value,
      context,
      status,
      output,
      error,
      children,
      tags,
      meta,
      nodes: nodes.map(({ id }) => id),
    },
    actions: actions.map(({ type, params }) => ({ type, params: plain(params) })),
  }
}

/** XState names fields that are not given. */
function plain(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || 'sessionId' in params) return params
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}
