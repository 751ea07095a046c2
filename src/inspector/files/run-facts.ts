/** The facts about a run that are shown at its head and in lists, from its entries. */
import type { OpenQuestion, TrailEntry, Usage } from '../../index.ts'
import { addUsage, noUsage } from '../../kit/index.ts'
import { type RunStarted, startedColumns } from '../../kit/host.ts'
import type { Row, RowEvent } from '../wire/rows.ts'
import type { RunRow } from '../wire/routes.ts'

/** Events after which other questions may be open. */
const askingEvents: readonly RowEvent['type'][] = [
  'tool-call-approval',
  'tool-call-suspended',
  'tool-call-answered',
  'suspended',
  'resumed',
  'delegation-end',
  'run-finish',
]

export class RunFacts {
  readonly runId: string
  #started: RunStarted | undefined
  /** The path of the journal of the root agent. */
  #root: string | undefined
  #entries = 0
  #updatedAt = 0
  #usage: Usage = noUsage
  #isSuspended = false
  #outcome: string | undefined
  /** Those of the last event `suspended`. */
  #asked: readonly OpenQuestion[] = []

  constructor(runId: string) {
    this.runId = runId
  }

  /** Whether the root agent has ended. */
  get hasEnded(): boolean {
    return this.#outcome !== undefined
  }

  /** The questions that the events have told. */
  get asked(): readonly OpenQuestion[] {
    return this.#asked
  }

  /** Adds an entry; returns whether other questions may be open by it. */
  add({ journal, recorded, events }: TrailEntry, row: Row): boolean {
    this.#entries++
    this.#updatedAt = Math.max(this.#updatedAt, row.at)
    if (recorded.type === 'run.started' && this.#started === undefined) {
      this.#started = recorded
      this.#root = journal
    }
    if (recorded.type === 'run.settled' && journal === this.#root) {
      this.#outcome = recorded.outcome
      this.#asked = []
      this.#usage = recorded.usage
    } else if (row.usage !== undefined && row.type === 'effect.settled' && !this.hasEnded) {
      this.#usage = addUsage(this.#usage, row.usage)
    }
    for (const event of events) {
      if (event.type === 'resumed') this.#isSuspended = false
      if (event.type !== 'suspended') continue
      this.#isSuspended = true
      const { runId, path } = event
      const common = { runId, path, since: event.at, asOf: this.#entries }
      this.#asked = event.payload.awaiting.map((question) => ({ ...question, ...common }))
    }
    return row.type === 'signal.received' || row.events.some(({ type }) => askingEvents.includes(type))
  }

  /** `awaiting`: the questions that are open by now. */
  row(awaiting: readonly OpenQuestion[]): RunRow {
    const { runId } = this
    const open = this.hasEnded ? [] : awaiting
    return {
      runId,
      agent: '',
      startedAt: 0,
      ...(this.#started === undefined ? {} : startedColumns(this.#started)),
      status: this.#status(open),
      ...(this.#outcome === undefined ? {} : { outcome: this.#outcome }),
      entries: this.#entries,
      usage: this.#usage,
      updatedAt: this.#updatedAt,
      ...(this.#started === undefined ? {} : { duration: this.#duration(this.#started) }),
      awaiting: open,
    }
  }

  /** A fork does not count the gap before its own entries. */
  #duration({ at, uncounted = [] }: RunStarted): number {
    const gaps = uncounted.filter((gap) => gap.at < this.#entries)
    return gaps.reduce((duration, { span }) => duration - span, this.#updatedAt - at)
  }

  #status(open: readonly OpenQuestion[]): string {
    if (this.hasEnded) return 'settled'
    return this.#isSuspended && open.length > 0 ? 'suspended' : 'running'
  }
}
