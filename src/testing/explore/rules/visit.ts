/** One step of an exploration, as its rules see it. */
import type { RunEvent } from '../../../runtime/handle/event-log.ts'
import type { World } from '../world/world.ts'
import type { Choice } from '../world/choice.ts'

export interface Visit {
  readonly world: World
  /** All events of the run so far. */
  readonly events: readonly RunEvent[]
  /** The number of events before the choice. */
  readonly before: number
  /** Absent for the initial state. */
  readonly choice: Choice | undefined
}

/** Returns the violation as a sentence; `undefined`: the rule holds. */
export type Check = (visit: Visit) => string | undefined

/** A rule that always holds in Troupe. */
export interface BuiltInRule {
  readonly name: string
  readonly check: Check
}
