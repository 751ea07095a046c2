/** The machines that a machine may run as its actors, directly or not. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** The machine and those that it may invoke or spawn, as far as its implementations and its states name them. */
export function withMachinesBelow(machine: AnyStateMachine): readonly AnyStateMachine[] {
  const found = new Map<object, AnyStateMachine>()
  const add = (one: AnyStateMachine): void => {
    if (found.has(one.config)) return
    found.set(one.config, one)
    for (const logic of [...Object.values(one.implementations.actors), ...inlineSources(one.root)])
      if (isMachine(logic)) add(logic)
  }
  add(machine)
  return [...found.values()]
}

/** The logic that states invoke without a name. */
function inlineSources(state: AnyStateNode): readonly unknown[] {
  const { invoke = [] } = state.config as { readonly invoke?: unknown }
  const invoked = (Array.isArray(invoke) ? invoke : [invoke]) as readonly { readonly src: unknown }[]
  return [...invoked.map(({ src }) => src), ...Object.values(state.states).flatMap(inlineSources)]
}

/** By its form: the machine may be made by another copy of xstate. */
export function isMachine(logic: unknown): logic is AnyStateMachine {
  return (
    typeof logic === 'object' &&
    logic !== null &&
    'root' in logic &&
    'config' in logic &&
    'implementations' in logic
  )
}
