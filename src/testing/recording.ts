/**
 * A recorded run as a regression test: its journal as text, replayed with today's agents. No effect is performed: each
 * gets its recorded outcome, for as long as the agents request the same.
 */
import { effectOf } from '../actors/actor-path.ts'
import type { InspectionEvent } from 'xstate'
import { aFunction, anything, listOf } from '../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../actors/strict/read-options.ts'
import { ConfigurationError, JournalMismatchError, type JournalMismatch } from '../errors.ts'
import type { ActorView } from '../runtime/replay/actor-view.ts'
import { asDefinition, type AnyAgent } from '../runtime/definition/definition.ts'
import type { JournalEntry } from '../runtime/journal/journal.ts'
import { journalFrom, journalText } from '../runtime/journal/journal-text.ts'
import { createRegistry } from '../runtime/definition/registry.ts'
import { replayJournal } from '../runtime/replay/replay.ts'
import type { Replay } from '../runtime/replay/replay-contract.ts'

/** The options of `replayRecording`. */
export interface ReplayRecordingOptions {
  /** Today's agents. Those that the run needs must be among them or below them. */
  readonly agents: readonly AnyAgent[]
  /** Receives the inspection events of the replayed actors. */
  readonly inspect?: (event: InspectionEvent) => void
}

/** The first entry of the recording to which today's agents do not lead. */
export interface RecordingDifference extends JournalMismatch {
  /** The type of the entry. */
  readonly type: JournalEntry['type']
  /** The difference as a sentence. */
  readonly message: string
  /** The request of today's run under the key of the entry; absent when there is none. */
  readonly asked?: unknown
  /** The actors of today's run when it gets to the entry. */
  readonly actors: readonly ActorView[]
}

/** Whether a recording replays, and where it differs. */
export type RecordingReport =
  | ({ readonly ok: true } & Pick<Replay, 'runId' | 'entries' | 'result' | 'events'>)
  | { readonly ok: false; readonly runId: string; readonly difference: RecordingDifference }

const fields: Fields<ReplayRecordingOptions> = {
  agents: required(listOf(anything, 'a list of agents')),
  inspect: optional(aFunction),
}

/** A journal as text: one entry a line, as JSON. Write it to a file beside your tests. */
export function recordRun(journal: readonly JournalEntry[]): string {
  return journalText(journal)
}

/**
 * Replays a recording, or a journal, with today's agents, and reports the first difference. A run that had not ended is
 * replayed as far as it came. The recording contains the options of the run; functions among them are not called.
 * Rejects with a `ConfigurationError` for a text that is no recording, and for an agent, or a version of one, that the
 * run began with and that is missing.
 */
export async function replayRecording(
  recording: string | readonly JournalEntry[],
  options: ReplayRecordingOptions,
): Promise<RecordingReport> {
  const { agents, inspect } = readOptions<ReplayRecordingOptions>(options, 'replayRecording', fields)
  const journal = typeof recording === 'string' ? journalFrom(recording, 'replayRecording') : recording
  const [started] = journal
  if (started?.type !== 'run.started') {
    throw new ConfigurationError('replayRecording: a recording begins with the entry "run.started".')
  }
  const registry = createRegistry(agents.map(asDefinition))
  try {
    const { runId, entries, result, events } = await replayJournal(registry, journal, {
      ...(inspect === undefined ? {} : { inspect }),
      isStrict: true,
    })
    return { ok: true, runId, entries, result, events }
  } catch (error) {
    if (!(error instanceof JournalMismatchError)) throw error
    const { mismatch, message } = error
    const { type } = journal[mismatch.entry] ?? started
    const until = mismatch.entry
    const actors =
      until === 0 ? [] : (await replayJournal(registry, journal, { until, isStrict: true })).actors
    const asked = mismatch.key === undefined ? undefined : askedFor(actors, mismatch.key)
    const difference: RecordingDifference = {
      ...mismatch,
      type,
      message,
      ...(asked === undefined ? {} : { asked: asked.context }),
      actors,
    }
    return { ok: false, runId: started.runId, difference }
  }
}

function askedFor(actors: readonly ActorView[], key: string): ActorView | undefined {
  const path = effectOf(key)
  for (const actor of actors) {
    if (actor.path === path && actor.effect !== undefined) return actor
    const below = askedFor(actor.children, key)
    if (below !== undefined) return below
  }
  return undefined
}
