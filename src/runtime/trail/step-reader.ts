/** Reads the steps that machines take: which state they left by which transition, and why. */
import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectedMicrostepEvent,
  StateValue,
} from 'xstate'
import { pathOf, transitionsFrom } from '../../actors/charts/chart.ts'
import { guardText } from '../../actors/charts/transition-words.ts'
import { transitionsOf } from '../../actors/xstate-internals.ts'
import { initialState, type StateNames } from './state-names.ts'
import type { TrailTransition } from './trail.ts'

/** What the definition alone says of a transition. */
interface Defined extends Pick<TrailTransition, 'source' | 'position'> {
  readonly isEventless: boolean
  readonly guard: string | undefined
  readonly description: string | undefined
}

/** The state that a step leads to. */
interface Reached {
  readonly machine: AnyStateMachine
  readonly value: StateValue
}

/** The actor of a step. */
export interface Stepping {
  readonly path: string
  /** The name of its state; absent before its first step. */
  state?: string
}

/** It is the same in every run. */
const definedBy = new WeakMap<AnyTransitionDefinition, Defined>()

export class StepReader {
  readonly #states: StateNames
  /** A run has the same types of events thousands of times: each is kept once. */
  readonly #events = new Map<string, string>()

  constructor(states: StateNames) {
    this.#states = states
  }

  /** Adds the transitions of a step to `all`. */
  read(actor: Stepping, step: InspectedMicrostepEvent, all: TrailTransition[]): void {
    const { machine, value } = step.snapshot as AnyMachineSnapshot as Reached
    const from = actor.state ?? initialState(machine.root)
    const to = this.#states.of(value).name
    actor.state = to
    for (const transition of transitionsOf(step)) {
      const { source, position, guard, description, isEventless } = definitionOf(transition)
      const taken: { -readonly [Name in keyof TrailTransition]: TrailTransition[Name] } = {
        path: actor.path,
        machine: machine.id,
        from,
        to,
        source,
        position,
      }
      // Not by spreading: that would take longer than all else here.
      if (!isEventless) taken.event = this.#eventOf(step.event.type)
      if (guard !== undefined) taken.guard = guard
      if (description !== undefined) taken.description = description
      all.push(taken)
    }
  }

  #eventOf(type: string): string {
    const known = this.#events.get(type)
    if (known !== undefined) return known
    this.#events.set(type, type)
    return type
  }
}

function definitionOf(transition: AnyTransitionDefinition): Defined {
  const known = definedBy.get(transition)
  if (known !== undefined) return known
  const { source, guard } = transition
  const description = transition.description ?? describedState(transition.target?.[0], source)
  const defined: Defined = {
    isEventless: transition.eventType === '',
    source: pathOf(source),
    position: transitionsFrom(source).indexOf(transition),
    guard: guard === undefined ? undefined : guardText(guard),
    description,
  }
  definedBy.set(transition, defined)
  return defined
}

/** The description of the state that is entered: its own, else that of the nearest state around it that is entered too. */
function describedState(target: AnyStateNode | undefined, source: AnyStateNode): string | undefined {
  if (target?.parent === undefined) return undefined
  if (target.description !== undefined) return target.description
  const isEntered = target.parent !== source && !isInside(source, target.parent)
  return isEntered ? describedState(target.parent, source) : undefined
}

function isInside(state: AnyStateNode, ancestor: AnyStateNode): boolean {
  return state.parent !== undefined && (state.parent === ancestor || isInside(state.parent, ancestor))
}
