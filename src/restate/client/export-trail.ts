/** The trail of a run on Restate: one replay of all its journals, with an inspector for each, which goes on as they grow. */
import { RunNotFoundError, type JournalMismatch } from '../../errors.ts'
import type { AgentRegistry } from '../../runtime/definition/registry.ts'
import type { EventLog } from '../../runtime/handle/event-log.ts'
import type { Reporter } from '../../runtime/report.ts'
import { journalOf } from '../../runtime/trail/journal-of.ts'
import { assertEntries, readView, type Trail, type TrailEntry } from '../../runtime/trail/trail.ts'
import { TrailRecorder } from '../../runtime/trail/trail-recorder.ts'
import type { ReplayObserver } from './part-replay.ts'
import type { RunJournals } from './run-export.ts'
import { TreeReplay } from './tree-replay.ts'

/**
 * Rejects with a `JournalMismatchError` at the first entry that the run would not have led to. `find` rejects once the run is
 * gone: it is called before a trail goes on.
 */
export async function trailOf(
  registry: AgentRegistry,
  run: RunJournals,
  find: () => Promise<unknown>,
  report?: Reporter,
): Promise<Trail> {
  const replay = new TreeTrail(registry, run, report)
  await replay.goOn()
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: each goes on where the one before has ended. */
  const more = (): Promise<Trail> => {
    const next = last.then(async () => {
      await find()
      await replay.goOn()
      return replay.trail(more)
    })
    last = next.catch(() => undefined) // the caller gets the error
    return next
  }
  return replay.trail(more)
}

/** The replay of all journals of a run, which goes on as they grow. */
class TreeTrail {
  readonly #run: RunJournals
  readonly #tree: TreeReplay
  readonly #entries: TrailEntry[] = []
  /** By the path of the agent that the journal began with. */
  readonly #recorders = new Map<string, TrailRecorder>()
  #diverged: JournalMismatch | undefined

  constructor(registry: AgentRegistry, run: RunJournals, report: Reporter | undefined) {
    const { agent, read } = run
    this.#run = run
    this.#tree = new TreeReplay({
      registry,
      agent,
      read,
      report,
      observe: (journal, log) => this.#observe(journal, log),
      onDiverged: (difference) => void (this.#diverged ??= difference),
    })
  }

  /** Replays the entries that came since. Rejects with a `RunNotFoundError` where there are no journals. */
  async goOn(): Promise<void> {
    this.#tree.wake()
    await this.#tree.pump()
    if (this.#tree.root === undefined) throw new RunNotFoundError(this.#run.runId)
  }

  /** The trail of the entries that were replayed so far. */
  trail(more: () => Promise<Trail>): Trail {
    const entries = [...this.#entries]
    const { runId, agent } = this.#run
    /** By its path, how many entries each journal has by now. */
    const lengths = new Map(Array.from(this.#recorders, ([path, { length }]) => [path, length]))
    return {
      runId,
      length: entries.length,
      ...(this.#diverged === undefined ? {} : { diverged: this.#diverged }),
      entries,
      view: (after, options) => {
        const { path, ended } = readView(options)
        const journal = journalOf(path ?? agent, [...lengths.keys()]) ?? ''
        const length = lengths.get(journal)
        if (length === undefined) return []
        assertEntries(after, length)
        return this.#recorders.get(journal)?.view(after, path, ended) ?? []
      },
      more,
    }
  }

  #observe(journal: string, log: EventLog): ReplayObserver {
    const recorder = new TrailRecorder(journal)
    this.#recorders.set(journal, recorder)
    let before = 0
    return {
      inspect: recorder.inspect,
      delivering() {
        before = log.nextSeq - 1
      },
      delivered: (entry, { agent }) => {
        this.#entries.push(recorder.delivered({ entry, agent, events: log.slice(before) }))
      },
    }
  }
}
