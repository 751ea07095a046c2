/** What a replay takes, and what it gives. */
import type { InspectionEvent } from 'xstate'
import { aFunction, is } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { JournalMismatch } from '../../errors.ts'
import type { FinalResult } from '../handle/result.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { ActorView } from './actor-view.ts'

/** A replayed run: its events, its result, and its actors. */
export interface Replay {
  readonly runId: string
  /** `undefined` when the journal, or the part of it that is replayed, ends before the run does. */
  readonly result: FinalResult | undefined
  readonly events: readonly RunEvent[]
  /** The number of entries that were delivered. */
  readonly entries: number
  /**
   * The first effect whose input differs from the recorded one: instructions, tools or options have changed since. Absent:
   * there is none.
   */
  readonly diverged?: JournalMismatch
  /** The actors at that point: the root agent, its children, and their pending effects. */
  readonly actors: readonly ActorView[]
}

/** The options of `troupe.replay`. */
export interface ReplayOptions {
  /** The number of entries to deliver. Default: all. */
  readonly until?: number
  /** An inspector of the actors during the replay. */
  readonly inspect?: (event: InspectionEvent) => void
}

const fields: Fields<ReplayOptions> = {
  until: optional(
    is('a positive number of entries', (given) => Number.isInteger(given) && Number(given) > 0),
  ),
  inspect: optional(aFunction),
}

/** Throws a `ConfigurationError`. */
export function readReplay(given: ReplayOptions = {}): ReplayOptions {
  return readOptions<ReplayOptions>(given, 'replay', fields)
}
