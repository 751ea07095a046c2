/** Remembers what callers were told, and holds it against the store at that moment. */
import type { FinalResult, JournalEntry, RunEvent, RunSignal, Store } from 'troupe'
import type { Findings } from './findings.ts'

/** An answer that somebody gave. */
export interface GivenAnswer {
  readonly runId: string
  readonly signal: Exclude<RunSignal, { type: 'cancel' }>
  /** Stands in the journal if the answer does, and in no other answer. */
  readonly mark: string
  fate: 'unknown' | 'accepted' | 'refused'
}

/** A promise, or the events, that a process waits for. */
export interface Awaited {
  readonly what: string
  readonly process: { readonly name: string; readonly isGone: boolean }
}

export class CallerWitness {
  readonly answers: GivenAnswer[] = []
  /** What has not settled yet. */
  readonly awaited = new Set<Awaited>()
  readonly results = new Map<string, string>()
  readonly events = new Map<string, Map<number, string>>()
  readonly started: string[] = []
  readonly #store: Store
  readonly #findings: Findings

  /** `store`: as it is, without latency and failures. */
  constructor(store: Store, findings: Findings) {
    this.#store = store
    this.#findings = findings
  }

  /** `start` or `fork` resolved. */
  async toldStarted(runId: string): Promise<void> {
    this.started.push(runId)
    const journal = await this.#store.read(runId)
    if (journal?.[0]?.type !== 'run.started') {
      this.#findings.add('toldStart', `${runId} was told to have started`)
    }
  }

  async toldAnswered(answer: GivenAnswer): Promise<void> {
    answer.fate = 'accepted'
    const { runId, mark } = answer
    const journal = (await this.#store.read(runId)) ?? []
    if (answersIn(journal).some((recorded) => recorded.includes(mark))) return
    const queued = await this.#store.queuedSignals([runId])
    if (queued.some(({ signal }) => JSON.stringify(signal).includes(mark))) return
    this.#findings.add('toldAnswer', `${runId}: the answer ${mark} was accepted and is nowhere`)
  }

  async toldCancelled(runId: string): Promise<void> {
    const journal = (await this.#store.read(runId)) ?? []
    const hasEndedBefore = (entry: JournalEntry) =>
      entry.type === 'run.settled' && entry.outcome !== 'cancelled'
    if (journal.some((entry) => isCancel(entry) || hasEndedBefore(entry))) return
    const queued = await this.#store.queuedSignals([runId])
    if (queued.some(({ signal }) => signal.type === 'cancel')) return
    this.#findings.add('toldCancel', `${runId}: a cancel was accepted and is nowhere`)
  }

  async toldResult(runId: string, result: FinalResult): Promise<void> {
    const told = JSON.stringify(result)
    const before = this.results.get(runId)
    if (before !== undefined && before !== told) {
      this.#findings.add('toldResult', `${runId} was told to be ${told}, and ${before} before`)
    }
    this.results.set(runId, told)
    const journal = (await this.#store.read(runId)) ?? []
    const end = journal.find((entry) => entry.type === 'run.settled')
    if (end?.outcome !== result.outcome || end.text !== result.text) {
      const recorded = end === undefined ? 'without an end' : end.outcome
      const { error } = result as { readonly error?: { readonly code: string } }
      this.#findings.add(
        'toldResult',
        `${runId} was told to be ${result.outcome} ${error?.code ?? ''}, and is ${recorded}`,
      )
    }
  }

  sawEvent(runId: string, event: RunEvent): void {
    if (event.seq === undefined) return
    const seen = this.events.get(runId) ?? new Map<number, string>()
    this.events.set(runId, seen)
    const told = JSON.stringify(event)
    const before = seen.get(event.seq)
    if (before === undefined) seen.set(event.seq, told)
    else if (before !== told) {
      this.#findings.add('toldEvents', `${runId}: event ${event.seq} was ${before} and is ${told}`)
    }
  }

  /** At the end: whoever was told "accepted" is the one whose answer stands, and nobody who was refused. */
  async checkAnswers(): Promise<void> {
    for (const [runId, given] of Map.groupBy(this.answers, (answer) => answer.runId)) {
      const recorded = answersIn((await this.#store.read(runId)) ?? [])
      for (const { mark, fate } of given) {
        const times = recorded.filter((answer) => answer.includes(mark)).length
        if (fate === 'accepted' && times !== 1) {
          this.#findings.add('oneAnswer', `${runId}: ${mark} was accepted, and stands ${times} times`)
        }
        if (fate === 'refused' && times !== 0) {
          this.#findings.add('oneAnswer', `${runId}: ${mark} was refused, and stands`)
        }
      }
    }
  }

  /** Whether a process that is still there waits for anything. */
  get isAwaiting(): boolean {
    return [...this.awaited].some(({ process }) => !process.isGone)
  }

  /** At the end: what a process that is still there was handed has settled. */
  checkAwaited(): void {
    for (const { what, process } of this.awaited) {
      if (!process.isGone) this.#findings.add('settles', `${process.name} waits in vain: ${what}`)
    }
  }
}

function isCancel(entry: JournalEntry): boolean {
  return (
    entry.type === 'signal.received' &&
    entry.signal.type === 'cancel' &&
    entry.signal.delegationId === undefined
  )
}

/** As text. */
function answersIn(journal: readonly JournalEntry[]): string[] {
  return journal.flatMap((entry) =>
    entry.type === 'signal.received' && entry.signal.type === 'answer' ? [JSON.stringify(entry.signal)] : [],
  )
}
