/** The states of charts by their names. A run is in the same states again and again: each name and each value is kept once. */
import type { AnyStateNode, StateValue } from 'xstate'
import { pathOf } from '../../actors/charts/chart.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'

/** A state: its name, and its value, which is frozen. */
export interface NamedState {
  readonly name: string
  readonly value: StateValue
}

export class StateNames {
  readonly #plain = new Map<string, NamedState>()
  /** By the name of the outer state, then by the name of the inner one. */
  readonly #nested = new Map<string, Map<string, NamedState>>()
  readonly #parallel = new Map<string, NamedState>()

  of(value: StateValue): NamedState {
    if (typeof value === 'string') return kept(this.#plain, value, () => ({ name: value, value }))
    const [outer, ...others] = Object.keys(value)
    const inside = outer === undefined ? undefined : value[outer]
    if (outer === undefined || inside === undefined || others.length > 0) return this.#ofRegions(value)
    const inner = this.of(inside)
    const siblings = kept(this.#nested, outer, () => new Map<string, NamedState>())
    return kept(siblings, inner.name, () => ({
      name: stateName(value),
      value: Object.freeze({ [outer]: inner.value }),
    }))
  }

  #ofRegions(value: StateValue): NamedState {
    const name = stateName(value)
    return kept(this.#parallel, name, () => ({ name, value: deepFreeze(structuredClone(value)) }))
  }
}

function kept<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Names from the outermost state on, joined with "."; the names of parallel regions, each whole, with ", ". */
export function stateName(value: StateValue, outer = ''): string {
  if (typeof value === 'string') return outer + value
  return Object.entries(value)
    .map(([name, inner]) => {
      const inside = inner === undefined ? '' : stateName(inner, `${outer}${name}.`)
      return inside === '' ? outer + name : inside
    })
    .join(', ')
}

/** The name of the state that a machine starts in. */
export function initialState(state: AnyStateNode): string {
  if (state.type === 'parallel') return Object.values(state.states).map(initialState).join(', ')
  const first = state.type === 'compound' ? state.initial.target[0] : undefined
  return first === undefined ? pathOf(state) : initialState(first)
}
