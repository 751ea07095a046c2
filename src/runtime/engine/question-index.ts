/**
 * The open questions of a run in the index of its store: what the index has, and the change that it needs. The change is
 * made when entries go to the store, so that it counts those that close questions.
 */
import { requesterOf } from '../../actors/actor-path.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { OpenQuestion, QuestionChange } from '../journal/run-index.ts'
import { wallClockKey } from './effects/wall-clock.ts'
import type { OpenSignals } from './signals/open-signals.ts'

type Questions = ReadonlyMap<string, OpenQuestion>

export class QuestionIndex {
  readonly #runId: string
  readonly #signals: OpenSignals
  /** The questions that the index has; `undefined`: a former owner has written it. */
  #written: Questions | undefined
  /** The questions that the index has once the change is durable. */
  #writing: Questions = new Map()

  /** `isNew`: the run begins, and the index has nothing of it. */
  constructor(runId: string, signals: OpenSignals, isNew: boolean) {
    this.#runId = runId
    this.#signals = signals
    this.#written = isNew ? new Map() : undefined
  }

  /** Whether the index may have questions, or lack some. */
  get isUsed(): boolean {
    return this.#signals.wasAsked
  }

  /** Whether the index differs from the questions that are open now. */
  get isStale(): boolean {
    return this.isUsed && changeOf(this.#written, this.#open([])) !== undefined
  }

  /** The change that comes with these entries, which are not delivered yet. */
  change(entries: readonly JournalEntry[]): QuestionChange | undefined {
    this.#writing = this.#open(entries)
    return changeOf(this.#written, this.#writing)
  }

  /** The last change is durable. */
  kept(): void {
    this.#written = this.#writing
  }

  #open(entries: readonly JournalEntry[]): Questions {
    const open = this.#signals.questions(this.#runId)
    return new Map(
      open.flatMap(({ key, question }) =>
        entries.some((entry) => answers(entry, key) || closes(entry, key))
          ? []
          : [[question.toolCallId, question] as const],
      ),
    )
  }
}

function changeOf(written: Questions | undefined, open: Questions): QuestionChange | undefined {
  if (written === undefined) return { opened: [...open.values()], closed: 'others' }
  const opened = [...open.values()].filter((question) => written.get(question.toolCallId) !== question)
  const closed = [...written.keys()].filter((id) => !open.has(id))
  return opened.length + closed.length === 0 ? undefined : { opened, closed }
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
      return false
  }
}
