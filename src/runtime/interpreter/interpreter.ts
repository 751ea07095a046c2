/** Interprets machines: by tables where a chart has them, else by XState itself. */
import type { AnyActorScope, AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { ChartTables } from './tables.ts'
import { UnsupportedChart } from './unsupported.ts'
import type { Witness } from './work.ts'

/** Makes the snapshots of machines. Any interpreter goes on with the snapshots of another. */
export interface Interpreter {
  getInitialSnapshot(machine: AnyStateMachine, scope: AnyActorScope, input: unknown): AnyMachineSnapshot
  transition(snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope): AnyMachineSnapshot
}

/** `tables`: by tables that are made of each chart once. `xstate`: by XState itself. */
export type InterpreterName = 'tables' | 'xstate'

export const xstateInterpreter: Interpreter = {
  getInitialSnapshot: (machine, scope, input) =>
    machine.getInitialSnapshot(scope, input) as AnyMachineSnapshot,
  transition: (snapshot, event, scope) =>
    snapshot.machine.transition(snapshot as never, event, scope) as AnyMachineSnapshot,
}

export const tableInterpreter: Interpreter = {
  getInitialSnapshot: (machine, scope, input) =>
    tablesOf(machine)?.getInitialSnapshot(scope, input) ??
    xstateInterpreter.getInitialSnapshot(machine, scope, input),
  transition: (snapshot, event, scope) =>
    tablesOf(snapshot.machine)?.transition(snapshot, event, scope) ??
    xstateInterpreter.transition(snapshot, event, scope),
}

/** As `tableInterpreter`, for a chart that has tables: the witness sees each transition. */
export function witnessed(tables: ChartTables, witness: Witness): Interpreter {
  return {
    getInitialSnapshot: (_machine, scope, input) => tables.getInitialSnapshot(scope, input, witness),
    transition: (snapshot, event, scope) => tables.transition(snapshot, event, scope, 'direct', witness),
  }
}

const known = new WeakMap<AnyStateMachine, ChartTables | { readonly refused: UnsupportedChart }>()

/** The tables of a chart, made once; `undefined`: it has a part that they do not know. */
export function tablesOf(machine: AnyStateMachine): ChartTables | undefined {
  let tables = known.get(machine)
  if (tables === undefined) known.set(machine, (tables = made(machine)))
  return tables instanceof ChartTables ? tables : undefined
}

function made(machine: AnyStateMachine): ChartTables | { readonly refused: UnsupportedChart } {
  try {
    return new ChartTables(machine)
  } catch (error) {
    if (error instanceof UnsupportedChart) return { refused: error }
    throw error
  }
}
