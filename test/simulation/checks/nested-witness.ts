/** Holds nested runs against the calls that began them. */
import type { JournalEntry } from 'troupe'
import type { CallerWitness } from './caller-witness.ts'
import type { Findings } from './findings.ts'
import type { StoreWitness } from './store-witness.ts'
import { startOf, type KeptEntry, type RunStarted, type Watcher } from './watcher.ts'

/** The end of a nested run, as its call returned it. */
interface ToldEnd {
  readonly name: string | number
  readonly outcome: string
  readonly text: string
}

export class NestedWitness implements Watcher {
  readonly #findings: Findings
  readonly #runs: StoreWitness['runs']
  readonly #callers: CallerWitness
  /** By place, the run that was begun there. */
  readonly #places = new Map<string, string>()

  constructor(runs: StoreWitness['runs'], callers: CallerWitness, findings: Findings) {
    this.#runs = runs
    this.#callers = callers
    this.#findings = findings
  }

  /** Whether the run belongs to the call of another run, and that has ended. */
  isOver(runId: string): boolean {
    const nested = this.#startOf(runId)?.nested
    return nested !== undefined && this.#runs.get(nested.runId)?.hasEnded === true
  }

  kept({ runId, entry, run }: KeptEntry): void {
    const [started] = run.entries
    if (started?.type !== 'run.started' || started.nested === undefined) return
    const { nested } = started
    if (entry.type === 'run.started') {
      const place = placeOf(nested.key, nested.name)
      const other = this.#places.get(place)
      if (other !== undefined) this.#findings.add('nestedOnce', `${runId} and ${other} are both ${place}`)
      this.#places.set(place, runId)
    } else if (isCancel(entry)) {
      const { reason = '' } = entry.signal
      if (/closed|lease/i.test(reason))
        this.#findings.add('nestedCancel', `${runId} was cancelled by a close: ${reason}`)
      if (reason.includes('has ended') && this.#runs.get(nested.runId)?.hasEnded !== true)
        this.#findings.add('nestedCancel', `${runId} was cancelled, and ${nested.runId} goes on`)
    }
  }

  /** At the end: what a call returned of its runs is what they have on record. */
  checkEnds(): void {
    for (const [runId, { entries }] of this.#runs) {
      entries.forEach((entry, position) => {
        if (entry.type !== 'effect.settled' || entry.kind !== 'tool' || entry.late === true) return
        const outcome = entry.settlement.value as { readonly value?: unknown } | undefined
        const call = entry.key.slice(0, entry.key.lastIndexOf('/'))
        const key = `${this.#performerOf(runId, position)}/${call}`
        for (const told of endsIn(outcome?.value)) this.#checkEnd(key, told)
      })
    }
  }

  #checkEnd(key: string, { name, outcome, text }: ToldEnd): void {
    const place = placeOf(key, name)
    const runId = this.#places.get(place)
    const end = this.#runs.get(runId ?? '')?.entries.find((entry) => entry.type === 'run.settled')
    if (runId === undefined || end?.outcome !== outcome || end.text !== text)
      this.#findings.add(
        'nestedEnd',
        `${place} was told to be ${outcome} "${text}", and is ${end?.outcome} "${end?.text}"`,
      )
    else if (outcome === 'cancelled' && !this.#callers.cancels.has(runId))
      this.#findings.add('nestedCancel', `${runId} was cancelled by nobody, and its call went on`)
  }

  /** The run that performed the effect of an entry: a fork has those of others. */
  #performerOf(runId: string, position: number): string {
    return this.#startOf(runId)?.lineage?.find(({ at }) => position < at)?.runId ?? runId
  }

  #startOf(runId: string): RunStarted | undefined {
    return startOf(this.#runs.get(runId))
  }
}

function placeOf(key: string, name: string | number): string {
  return `${JSON.stringify(name)} of ${key}`
}

function isCancel(entry: JournalEntry): entry is JournalEntry & {
  readonly type: 'signal.received'
  readonly signal: { readonly type: 'cancel' }
} {
  return entry.type === 'signal.received' && entry.signal.type === 'cancel'
}

function endsIn(value: unknown): readonly ToldEnd[] {
  const { nested = [] } = (value ?? {}) as { readonly nested?: readonly ToldEnd[] }
  return nested
}
