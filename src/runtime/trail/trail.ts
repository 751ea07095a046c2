/** The trail of a run: what each entry of its journal led to, and the actors as they were after any entry. */
import { aBoolean, aText, positiveInteger } from '../../actors/strict/checks.ts'
import { optional, readOptions, wrong, type Fields } from '../../actors/strict/read-options.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { JournalMismatch } from '../../errors.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { ActorView } from '../replay/actor-view.ts'
import type { EndedActor, TrailActor, TrailTransition } from './trail-step.ts'

/** What each entry of a journal led to. */
export interface Trail {
  readonly runId: string
  /** The number of entries that were replayed; on Restate, of all journals of the run together. */
  readonly length: number
  /**
   * The first effect whose input differs from the recorded one: instructions, tools or options have changed since. Absent:
   * there is none. Of a run that was ended by force it may be the first entry to which the agents of today do not lead: the
   * entries from there on have led to nothing, up to the end.
   */
  readonly diverged?: JournalMismatch
  /** In the order in which they were delivered. */
  readonly entries: readonly TrailEntry[]
  /**
   * Returns the actors as they were after a number of entries, from 1: the root agent and those below it, as
   * `replay({ until })` has them. It looks them up, and replays nothing. Throws a `ConfigurationError` for a number that
   * the journal does not have.
   */
  view(entries: number, options?: ViewOptions): readonly ActorView[]
  /**
   * Resolves with the trail of the journal as it is by now; this one stays as it is. The entries that came since are
   * replayed, and no others. A trail with a `limit` goes on by as many entries. Rejects as `trail` does.
   */
  more(): Promise<Trail>
}

/** The options of `trail`. */
export interface TrailOptions {
  /**
   * The most entries that `trail`, and each `more()`, replays: the beginning of a long run is there before its end. Default:
   * all that the journal has.
   */
  readonly limit?: number
}

/** The options of `trail.view`. */
export interface ViewOptions {
  /**
   * The path of an actor: gives that actor with those below it, or nothing where it does not exist at that point. On
   * Restate the entries are then those of the journal of its agent. Default: the root agent.
   */
  readonly path?: string
  /** Gives the actor at `path` also where it has ended by then: as it ended. Default: `false`. */
  readonly ended?: boolean
}

/** What one entry of a journal led to. */
export interface TrailEntry {
  /** The path of the agent whose journal has the entry: the root agent; on Restate each subagent has a journal of its own. */
  readonly journal: string
  /** Position in the journal, from 0. */
  readonly entry: number
  readonly type: JournalEntry['type']
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** The entry itself, as the journal has it. */
  readonly recorded: JournalEntry
  /** The key of the effect that settled or started, of the timer that fired, or of the question that was answered. */
  readonly key?: string
  /**
   * Of the outcome of a hook that may change something: an outline of what it was given. It has those of `prompt`, `text` and
   * `messages` that the hook has; long texts are cut, and a conversation is its length and its last message. Of a reply of a
   * model: the `tools` on offer by their names, and the `toolChoice`, the `responseFormat` and the `finalTurn` of the call.
   */
  readonly asked?: JsonValue
  /** In the order in which they were taken. */
  readonly transitions: readonly TrailTransition[]
  readonly events: readonly RunEvent[]
  /** Actors that started. */
  readonly actorsAdded: readonly TrailActor[]
  /** Actors that ended. One that started by the same entry is in both lists. */
  readonly actorsEnded: readonly EndedActor[]
}

const trailFields: Fields<TrailOptions> = { limit: optional(positiveInteger) }

/** Throws a `ConfigurationError`. */
export function readTrail(given: TrailOptions = {}): TrailOptions {
  return readOptions<TrailOptions>(given, 'trail', trailFields)
}

const fields: Fields<ViewOptions> = { path: optional(aText), ended: optional(aBoolean) }

/** Throws a `ConfigurationError`. */
export function readView(given: ViewOptions = {}): ViewOptions {
  return readOptions<ViewOptions>(given, 'view', fields)
}

/** Throws a `ConfigurationError`. */
export function assertEntries(entries: number, length: number): void {
  const expected = `a number of entries from 1 to ${length}`
  if (!Number.isInteger(entries) || entries < 1 || entries > length)
    throw wrong(entries, 'view: entries', expected)
}

/** The key that an entry has in a trail. */
export function keyOf(entry: JournalEntry): string | undefined {
  if ('key' in entry) return entry.key
  return entry.type === 'signal.received' && entry.signal.type === 'answer' ? entry.signal.key : undefined
}

export type { EndedActor, TrailActor, TrailTransition }
