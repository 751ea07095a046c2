/** The graph of an exploration: states, and the choices that lead from one to another. */
import type { Choice } from '../world/choice.ts'

export interface Place {
  readonly index: number
  /** The state of the run, and what its rules remember. */
  readonly key: string
  /** The state of the run alone. */
  readonly state: string
  /** The edge by which it was first reached; absent for the initial state. */
  readonly reachedBy: Step | undefined
  readonly depth: number
  /** The outcome of a run that has ended; `suspended`: it waits for people who never answer. */
  readonly rest: string | undefined
  readonly next: Step[]
}

export interface Step {
  readonly from: Place
  readonly to: Place
  readonly choice: Choice
  /** The kinds of the effects that it starts. */
  readonly starts: readonly string[]
}

export interface ExploredGraph {
  readonly places: readonly Place[]
  readonly edges: number
  /** Whether every reachable state was visited. */
  readonly isComplete: boolean
}

/** The choices from the initial state to a place. */
export function pathTo(place: Place): readonly Choice[] {
  const path: Choice[] = []
  for (let step = place.reachedBy; step !== undefined; step = step.from.reachedBy) path.push(step.choice)
  return path.toReversed()
}
