/**
 * The open questions of a run in the index of its store, and whether it is suspended: what the index has, and the change
 * that it needs. The change is made when entries go to the store, so that it counts those that close questions.
 */
import { requesterOf } from '../../actors/actor-path.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { OpenQuestion, QuestionChange } from '../journal/run-index.ts'
import { wallClockKey } from '../state/effects/wall-clock.ts'
import type { OpenSignals } from '../state/signals/open-signals.ts'

type Questions = ReadonlyMap<string, OpenQuestion>

/** What the index says of the run. */
interface Index {
  readonly questions: Questions
  /** The number of entries with which the run was suspended last. */
  readonly suspendedAt: number | undefined
}

const emptyIndex: Index = { questions: new Map(), suspendedAt: undefined }

/** The run whose questions are in the index. */
interface AskingRun {
  readonly runId: string
  readonly signals: OpenSignals
  /** The number of entries with which the run is suspended now; `undefined`: it is not. */
  readonly suspendedAt: number | undefined
}

export class QuestionIndex {
  readonly #run: AskingRun
  /** `undefined`: a former owner has written it. */
  #written: Index | undefined
  /** The index once the change is durable. */
  #writing: Index = emptyIndex

  /** `isNew`: the run begins, and the index has nothing of it. */
  constructor(run: AskingRun, isNew: boolean) {
    this.#run = run
    this.#written = isNew ? emptyIndex : undefined
  }

  /** Whether the index may have questions, or lack some. */
  get isUsed(): boolean {
    return this.#run.signals.wasAsked
  }

  /** Whether the index differs from the questions that are open now, or does not say that the run is suspended. */
  get isStale(): boolean {
    return this.isUsed && changeOf(this.#written, this.#with([])) !== undefined
  }

  /** The change that comes with these entries, which are not delivered yet. */
  change(entries: readonly JournalEntry[]): QuestionChange | undefined {
    this.#writing = this.#with(entries)
    return changeOf(this.#written, this.#writing)
  }

  /** The last change is durable. */
  kept(): void {
    this.#written = this.#writing
  }

  /** Each entry may end a suspension: only its delivery tells. */
  #with(entries: readonly JournalEntry[]): Index {
    const suspendedAt = entries.length === 0 ? this.#run.suspendedAt : undefined
    return { questions: this.#open(entries), suspendedAt: suspendedAt ?? this.#written?.suspendedAt }
  }

  #open(entries: readonly JournalEntry[]): Questions {
    const open = this.#run.signals.questions(this.#run.runId)
    return new Map(
      open.flatMap(({ key, question }) =>
        entries.some((entry) => answers(entry, key) || closes(entry, key))
          ? []
          : [[question.toolCallId, question] as const],
      ),
    )
  }
}

function changeOf(written: Index | undefined, index: Index): QuestionChange | undefined {
  const { questions, suspendedAt } = index
  const suspended =
    suspendedAt === undefined || suspendedAt === written?.suspendedAt ? undefined : { suspendedAt }
  if (written === undefined) return { opened: [...questions.values()], closed: 'others', ...suspended }
  const opened = [...questions.values()].filter(
    (question) => written.questions.get(question.toolCallId) !== question,
  )
  const closed = [...written.questions.keys()].filter((id) => !questions.has(id))
  const isSame = opened.length + closed.length === 0 && suspended === undefined
  return isSame ? undefined : { opened, closed, ...suspended }
}

/** Whether the entry answers the question, or cancels the delegation or the background task that asks it. */
function answers(entry: JournalEntry, question: string): boolean {
  if (entry.type !== 'signal.received') return false
  const { signal } = entry
  if (signal.type === 'answer') return signal.key === question
  const asker = requesterOf(question)
  return (
    signal.type === 'cancel' &&
    signal.delegationId !== undefined &&
    (asker === signal.delegationId || asker.startsWith(`${signal.delegationId}/`))
  )
}

/** Whether the entry ends the call that asks the question, or the agent of that call. */
export function closes(entry: JournalEntry, question: string): boolean {
  switch (entry.type) {
    case 'timer.fired':
      return entry.key === wallClockKey || requesterOf(entry.key) === requesterOf(question)
    case 'signal.received':
      return entry.signal.type === 'cancel' && entry.signal.delegationId === undefined
    case 'run.settled':
      return true
    case 'run.started':
    case 'effect.started':
    case 'effect.settled':
    case 'program.drifted':
    case 'run.restored':
      return false
  }
}
