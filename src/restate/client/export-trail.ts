/** The trail of a run on Restate: one replay of all its journals, with an inspector for each. */
import type { JournalMismatch } from '../../errors.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { EventLog } from '../../runtime/handle/event-log.ts'
import type { Reporter } from '../../runtime/report.ts'
import { journalOf } from '../../runtime/trail/journal-of.ts'
import { TrailRecorder } from '../../runtime/trail/trail-recorder.ts'
import { readView, type Trail, type TrailEntry } from '../../runtime/trail/trail.ts'
import type { ReplayObserver } from './part-replay.ts'
import { replayed, type RunJournals } from './run-export.ts'

/**
 * Rejects with a `JournalMismatchError` at the first entry that the run would not have led to. `more`: makes the trail of
 * the journals as they are then.
 */
export async function trailOf(
  registry: AgentRegistry,
  run: RunJournals,
  more: () => Promise<Trail>,
  report?: Reporter,
): Promise<Trail> {
  const entries: TrailEntry[] = []
  /** By the path of the agent that the journal began with. */
  const recorders = new Map<string, TrailRecorder>()
  const observe = (journal: string, log: EventLog): ReplayObserver => {
    const recorder = new TrailRecorder(journal)
    recorders.set(journal, recorder)
    let before = 0
    return {
      inspect: recorder.inspect,
      delivering() {
        before = log.nextSeq - 1
      },
      delivered(entry, { agent }) {
        entries.push(recorder.delivered({ entry, agent, events: log.slice(before) }))
      },
    }
  }
  let diverged: JournalMismatch | undefined
  const onDiverged = (difference: JournalMismatch): void => void (diverged ??= difference)
  await replayed(run, { registry, report, observe, onDiverged })
  return {
    runId: run.runId,
    length: entries.length,
    ...(diverged === undefined ? {} : { diverged }),
    entries,
    view(after, options) {
      const { path } = readView(options)
      const journal = journalOf(path ?? run.agent, [...recorders.keys()])
      return recorders.get(journal ?? '')?.view(after, path) ?? []
    },
    more,
  }
}
