/** Records which transitions of a machine were taken. */
import type { AnyStateMachine } from 'xstate'
import { ConfigurationError } from '../../errors.ts'
import { readGolden } from '../chart/golden-text.ts'
import { labelledTransitions } from '../chart/graph-of.ts'

/** The transitions of a machine that were taken, by number, and those that were not. */
export interface TransitionCoverage {
  readonly total: number
  readonly covered: number
  /** `state: event [guard] → target` of each transition that was never taken. */
  readonly missing: readonly string[]
}

export class TransitionRecorder {
  readonly #labels: ReadonlyMap<unknown, string>
  readonly #taken = new Set<unknown>()
  /** Transitions of the golden graph that the machine does not have. */
  readonly #removed: readonly string[]

  /** `golden`: the text of the golden graph; without it, a transition that was removed is not missed. */
  constructor(machine: AnyStateMachine, golden?: string) {
    this.#labels = labelledTransitions(machine)
    this.#removed = golden === undefined ? [] : removedSince(golden, machine.id, [...this.#labels.values()])
  }

  take(transitions: readonly unknown[]): void {
    for (const transition of transitions) if (this.#labels.has(transition)) this.#taken.add(transition)
  }

  coverage(): TransitionCoverage {
    const missing = [...this.#labels]
      .filter(([transition]) => !this.#taken.has(transition))
      .map(([, label]) => label)
    return {
      total: this.#labels.size + this.#removed.length,
      covered: this.#taken.size,
      missing: [...missing, ...this.#removed.map((label) => `${label} (in the golden graph alone)`)],
    }
  }
}

function removedSince(golden: string, id: string, labels: readonly string[]): readonly string[] {
  const { machine, transitions } = readGolden(golden)
  if (machine !== id)
    throw new ConfigurationError(`The golden graph is one of "${machine}", and no one of "${id}".`)
  const left = [...labels]
  return transitions.filter((label) => {
    const at = left.indexOf(label)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
