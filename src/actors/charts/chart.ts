/** The definition of a machine as data: its states with their transitions, without functions. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate'
import { wrong } from '../strict/read-options.ts'
import { actionName, eventText, guardText } from './transition-words.ts'

/** The definition of a machine as data: that of its root state, under the id of the machine. JSON can hold it. */
export interface Chart extends ChartState {
  /** The id of the machine, as an `ActorView` names it. */
  readonly id: string
}

/** A state of a chart. */
export interface ChartState {
  /** Its name among the states beside it; that of the root state is the id of the machine. */
  readonly name: string
  /** The names of the states from the outermost to this one, joined with "."; empty for the root state. */
  readonly path: string
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly description?: string
  /** Of a compound state: the path of the state that is entered first. */
  readonly initial?: string
  /** The actors that run while the state is active. */
  readonly invokes: readonly ChartInvoke[]
  /** In the order of the definition: for each event in the order in which they are tried, eventless ones last. */
  readonly transitions: readonly ChartTransition[]
  /** The states inside, in the order of the definition. */
  readonly states: readonly ChartState[]
}

/** An actor that runs while a state is active. */
export interface ChartInvoke {
  readonly id: string
  /** The name of its logic; for logic without a name a generated one. */
  readonly source: string
}

/** A transition of a state. */
export interface ChartTransition {
  /** The event as the definition has it, which may end with `*`; absent for an eventless transition. */
  readonly event?: string
  /** The event in words, for example `model done`; empty for an eventless transition. */
  readonly label: string
  /** The name of the guard, with its parameters where they are simple. */
  readonly guard?: string
  /** The paths of the states that it leads to; none where the state stays as it is. */
  readonly targets: readonly string[]
  /** The names of the actions. */
  readonly actions: readonly string[]
  readonly description?: string
}

/** Returns the definition of a machine as data. Throws a `ConfigurationError` for what is no machine. */
export function chartOf(machine: AnyStateMachine): Chart {
  if (!isMachine(machine)) throw wrong(machine, 'chartOf: the machine', 'a state machine of XState')
  return { id: machine.id, ...chartState(machine.root) }
}

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

function chartState(state: AnyStateNode): ChartState {
  const { key, type, description, invoke, states } = state
  const first = type === 'compound' ? state.initial.target[0] : undefined
  return {
    name: key,
    path: pathOf(state),
    type,
    ...(description === undefined ? {} : { description }),
    ...(first === undefined ? {} : { initial: pathOf(first) }),
    invokes: invoke.map(({ id, src }) => ({ id, source: nameOf(src) })),
    transitions: transitionsFrom(state).map(chartTransition),
    states: Object.values(states).map(chartState),
  }
}

/** XState gives logic without a name a generated one. */
function nameOf(source: unknown): string {
  return typeof source === 'string' ? source : 'actor'
}

function chartTransition(transition: AnyTransitionDefinition): ChartTransition {
  const { source, guard, target = [], actions, description } = transition
  const event = String(transition.eventType)
  return {
    ...(event === '' ? {} : { event }),
    label: eventText(event, source),
    ...(guard === undefined ? {} : { guard: guardText(guard) }),
    targets: target.map(pathOf),
    actions: actions.map(actionName),
    ...(description === undefined ? {} : { description }),
  }
}

/** The path of a state in its chart; empty for the root state. */
export function pathOf(state: AnyStateNode): string {
  return state.path.join('.')
}

/** The transitions of a state, in the order of its `ChartState`. */
export function transitionsFrom(state: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...[...state.transitions.values()].flat(), ...(state.always ?? [])]
}
