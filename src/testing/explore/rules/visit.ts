/** One step of an exploration, as its rules see it. */
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import type { ErrorData } from '../../../errors.ts'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import type { ControlledRun } from '../world/controlled-run.ts'
import type { Choice } from '../world/choice.ts'

/** A run that is visited. */
export interface VisitedRun extends ControlledRun {
  readonly journal: readonly JournalEntry[]
  readonly hasEnded: boolean
  /** Keys of the effects that the last choice started. */
  readonly started: readonly string[]
  /** Model calls that were started; final turns do not count. */
  readonly modelCalls: number
  readonly fault: ErrorData | undefined
}

export interface Visit {
  readonly world: VisitedRun
  /** All events of the run so far. */
  readonly events: readonly RunEvent[]
  /** The number of events before the choice. */
  readonly before: number
  /** Absent for the initial state. */
  readonly choice: Choice | undefined
}

/** A violation of one rule at one step. */
export interface Broken {
  readonly rule: string
  readonly message: string
}

/** Returns the violation as a sentence; `undefined`: the rule holds. */
export type Check = (visit: Visit) => string | undefined

/** A rule that always holds in Troupe. */
export interface BuiltInRule {
  readonly name: string
  readonly check: Check
}
