/** Remembers what callers were told, and holds it against the store at that moment. */
import type { FinalResult, JournalEntry, RunEvent, RunSignal, WholeStore } from 'troupe'
import type { SimulatedProcess } from '../process.ts'
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

/** Whether a process may tell of the run otherwise than another process. */
type IsUncertain = (runId: string, process: SimulatedProcess) => boolean

export class CallerWitness {
  readonly answers: GivenAnswer[] = []
  /** What has not settled yet. */
  readonly awaited = new Set<Awaited>()
  readonly results = new Map<string, string>()
  readonly events = new Map<string, Map<number, string>>()
  readonly started: string[] = []
  /** Runs that somebody asked to be cancelled. */
  readonly cancels = new Set<string>()
  /** By run, what people were asked about: the id of the call or the delegation, by the number of the event. */
  readonly questions = new Map<string, Map<number, string>>()
  /** Runs whose cancel is not on record, and how many entries they had when it was accepted. */
  readonly #ending = new Map<string, number>()
  readonly #store: WholeStore
  readonly #findings: Findings

  readonly #isUncertain: IsUncertain

  /** `store`: as it is, without latency and failures. */
  constructor(store: WholeStore, findings: Findings, isUncertain: IsUncertain) {
    this.#isUncertain = isUncertain
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
    const { items } = await this.#store.list('signals', { runIds: [runId] })
    if (items.some(({ signal }) => JSON.stringify(signal).includes(mark))) return
    this.#findings.add('toldAnswer', `${runId}: the answer ${mark} was accepted and is nowhere`)
  }

  async toldCancelled(runId: string): Promise<void> {
    const journal = (await this.#store.read(runId)) ?? []
    const hasEndedBefore = (entry: JournalEntry) =>
      entry.type === 'run.settled' && entry.outcome !== 'cancelled'
    if (journal.some((entry) => isCancel(entry) || hasEndedBefore(entry))) return
    const { items } = await this.#store.list('signals', { runIds: [runId] })
    if (items.some(({ signal }) => signal.type === 'cancel')) return
    // Its end may follow from its journal already: then nothing but that end comes.
    this.#ending.set(runId, journal.length)
  }

  async toldResult(runId: string, result: FinalResult, process: SimulatedProcess): Promise<void> {
    if (this.#isUncertain(runId, process)) return
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

  sawEvent(runId: string, event: RunEvent, process: SimulatedProcess): void {
    if (event.seq === undefined || this.#isUncertain(runId, process)) return
    const seen = this.events.get(runId) ?? new Map<number, string>()
    this.events.set(runId, seen)
    const told = eventText(event)
    const before = seen.get(event.seq)
    if (before === undefined) {
      seen.set(event.seq, told)
      const asked = askedBy(event)
      if (asked === undefined) return
      const questions = this.questions.get(runId) ?? new Map<number, string>()
      this.questions.set(runId, questions.set(event.seq, asked))
    } else if (before !== told) {
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

  /** At the end: a cancel that is not on record came when the run had all but ended. */
  async checkCancels(): Promise<void> {
    for (const [runId, entries] of this.#ending) {
      const [next] = (await this.#store.read(runId, entries)) ?? []
      if (next?.type === 'run.settled' && next.outcome !== 'cancelled') continue
      this.#findings.add('toldCancel', `${runId}: a cancel was accepted and is nowhere`)
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

/** An event as text, without what a model was offered: that is so by the agents of today, which may have lost a tool. */
export function eventText(event: RunEvent | undefined): string {
  return JSON.stringify(event, (name, value: unknown) => (name === 'offered' ? undefined : value))
}

function askedBy(event: RunEvent): string | undefined {
  const isQuestion = event.type === 'tool-call-approval' || event.type === 'tool-call-suspended'
  return isQuestion ? event.payload.toolCallId : undefined
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
