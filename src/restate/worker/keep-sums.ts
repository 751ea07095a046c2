/** Keeps what a workflow adds to the sums of its run, which lists show, in the state of the workflow. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import { addUsage, type Usage } from '../../actors/usage.ts'
import { entryUsage } from '../../runtime/journal/entry-usage.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { names, type RunSums, type Turn } from '../wire/wire.ts'

/** The sums of one workflow: its own entries, and those that its parts have left to it. */
export class KeptSums {
  readonly #context: Pick<WorkflowContext, 'key' | 'set'>
  #entries = 0
  #at = 0
  #usage: Usage | undefined
  #isRoot = false

  constructor(context: Pick<WorkflowContext, 'key' | 'set'>) {
    this.#context = context
  }

  /** Adds a turn. Writes the sums where a model call or the run has ended by it: other entries are counted with the next. */
  keep({ entries, ends = {} }: Turn): void {
    const before = this.#usage
    const whole = entries.concat(...Object.values(ends).map((end) => end.entries))
    this.#add(whole)
    const [first] = entries
    if (first?.type === 'run.started') this.#isRoot = first.runId === this.#context.key
    const settled = this.#isRoot ? entries.find((entry) => entry.type === 'run.settled') : undefined
    if (settled === undefined && this.#usage === before) return
    const { outcome, usage = this.#usage } = settled ?? {}
    this.#context.set<RunSums>(names.sums, {
      entries: this.#entries,
      at: this.#at,
      ...(usage === undefined ? {} : { usage }),
      ...(outcome === undefined ? {} : { outcome }),
    })
  }

  #add(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#entries++
      this.#at = Math.max(this.#at, entry.at)
      const usage = entryUsage(entry)
      if (usage !== undefined) this.#usage = this.#usage === undefined ? usage : addUsage(this.#usage, usage)
    }
  }
}
