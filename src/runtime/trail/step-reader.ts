/** Reads the steps that machines take: which state they left by which transition, and why. */
import type {
  AnyActorRef,
  AnyMachineSnapshot,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectedMicrostepEvent,
  StateValue,
} from 'xstate'
import { pathOf, transitionsFrom } from '../../actors/charts/chart.ts'
import { guardText } from '../../actors/charts/transition-words.ts'
import { transitionsOf } from '../../actors/xstate-internals.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { sourceOf } from '../actor-source.ts'
import type { TrailTransition } from './trail.ts'

/** What the definition alone says of a transition. */
type Defined = Pick<TrailTransition, 'source' | 'position' | 'guard' | 'description'>

export class StepReader {
  readonly #states = new WeakMap<AnyActorRef, string>()
  readonly #defined = new WeakMap<AnyTransitionDefinition, Defined>()
  /** A run repeats the same names thousands of times: each is kept once. */
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, StateValue>()

  read(step: InspectedMicrostepEvent): readonly TrailTransition[] {
    const actor = step.actorRef as AnyActorRef
    const { machine, value } = step.snapshot as AnyMachineSnapshot
    const from = this.#states.get(actor) ?? this.#name(initialState(machine.root))
    const to = this.#name(stateName(value))
    this.#states.set(actor, to)
    return transitionsOf(step).map((transition) => ({
      path: sourceOf(actor).path,
      machine: machine.id,
      from,
      to,
      ...(transition.eventType === '' ? {} : { event: this.#name(step.event.type) }),
      ...this.#definedBy(transition),
    }))
  }

  /** The same state, as a value that all frames in it share. */
  shared(value: StateValue): StateValue {
    const name = stateName(value)
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const frozen = deepFreeze(structuredClone(value))
    this.#values.set(name, frozen)
    return frozen
  }

  #name(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, name)
    return name
  }

  #definedBy(transition: AnyTransitionDefinition): Defined {
    const known = this.#defined.get(transition)
    if (known !== undefined) return known
    const { source, guard } = transition
    const description = transition.description ?? describedState(transition.target?.[0], source)
    const defined = {
      source: pathOf(source),
      position: transitionsFrom(source).indexOf(transition),
      ...(guard === undefined ? {} : { guard: guardText(guard) }),
      ...(description === undefined ? {} : { description }),
    }
    this.#defined.set(transition, defined)
    return defined
  }
}

/** The description of the state that is entered: its own, else that of the nearest state around it that is entered too. */
function describedState(target: AnyStateNode | undefined, source: AnyStateNode): string | undefined {
  if (target === undefined || target.parent === undefined) return undefined
  if (target.description !== undefined) return target.description
  const isLeft = target.parent !== source && !isInside(source, target.parent)
  return isLeft ? describedState(target.parent, source) : undefined
}

function isInside(state: AnyStateNode, ancestor: AnyStateNode): boolean {
  return state.parent !== undefined && (state.parent === ancestor || isInside(state.parent, ancestor))
}

/** Names from the outermost state on, joined with "."; those of parallel regions are joined with ", ". */
export function stateName(value: StateValue): string {
  if (typeof value === 'string') return value
  return Object.entries(value)
    .map(([outer, inner]) => {
      const name = inner === undefined ? '' : stateName(inner)
      return name === '' ? outer : `${outer}.${name}`
    })
    .join(', ')
}

/** The state that a machine starts in. */
function initialState(state: AnyStateNode): string {
  if (state.type === 'parallel') return Object.values(state.states).map(initialState).join(', ')
  const first = state.type === 'compound' ? state.initial.target[0] : undefined
  return first === undefined ? pathOf(state) : initialState(first)
}
