/** The trail of a run with one journal: one replay, with an inspector. */
import { nextTask } from '../clock.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { startedOf, type JournalEntry } from '../journal/journal.ts'
import type { JournalMismatch } from '../../errors.ts'
import { deliverTolerant } from '../replay/deliver-journal.ts'
import { registryHere } from '../replay/registry-here.ts'
import { replayEngine } from '../replay/replay-engine.ts'
import type { Reporter } from '../report.ts'
import { TrailRecorder } from './trail-recorder.ts'
import { readView, type Trail, type TrailEntry } from './trail.ts'

/** The number of entries that are delivered before other work of the process gets its turn. */
const slice = 200

/**
 * Rejects with a `JournalMismatchError` at the first entry that the run would not have led to, and with a `TroupeError` of
 * the code `AGENT_NOT_HERE` for a run of agents that are not registered.
 */
export async function journalTrail(
  agents: AgentRegistry,
  journal: readonly JournalEntry[],
  report?: Reporter,
): Promise<Trail> {
  const started = startedOf(journal)
  const recorder = new TrailRecorder(started.agent)
  const { engine } = replayEngine(registryHere(agents, started), started, {
    inspect: recorder.inspect,
    report,
  })
  const { log } = engine.recorder
  let diverged: JournalMismatch | undefined
  const entries: TrailEntry[] = []
  engine.beginReplay()
  for (const [position, entry] of journal.entries()) {
    if (position > 0 && position % slice === 0) await new Promise<void>(nextTask)
    const before = log.nextSeq - 1
    const difference = deliverTolerant(engine, entry, position)
    diverged ??= difference
    entries.push(recorder.delivered({ entry, agent: engine.agent, events: log.slice(before) }))
  }
  return {
    runId: started.runId,
    length: entries.length,
    ...(diverged === undefined ? {} : { diverged }),
    entries,
    view: (after, options) => recorder.view(after, readView(options).path),
  }
}
