/**
 * Orders answers that the store has accepted before all entries of their run that are not in the journal: a deadline, a
 * cancel, an outcome that would close the question, and another answer of the owner.
 */
import { SignalError } from '../../../errors.ts'
import type { Draft } from '../../journal/committer.ts'
import type { JournalEntry } from '../../journal/journal.ts'
import type { OpenSignals } from './open-signals.ts'
import { answerOf } from './signal-answer.ts'
import type { QueuedSignal } from '../../journal/store.ts'

export interface AnswersFirstOptions {
  /** Sets the time of the entry, which is not after that of the waiting entries. */
  readonly stamp: (entry: JournalEntry) => JournalEntry
  /** Called when the run does not take this answer. */
  readonly refuse: (queued: QueuedSignal, error: unknown) => void
}

/**
 * Returns the answers, then the waiting entries. An answer of the owner to the same question is refused, and its caller
 * gets the error.
 */
export function answersFirst(
  signals: OpenSignals,
  answers: readonly QueuedSignal[],
  waiting: readonly Draft[],
  { stamp, refuse }: AnswersFirstOptions,
): readonly Draft[] {
  const taken = new Map<string, string>()
  const first: Draft[] = []
  for (const queued of answers.toSorted((a, b) => a.id - b.id)) {
    signals.arrived(queued.id)
    try {
      const { key, id, signal } = accepted(signals, queued)
      first.push({ entry: stamp({ type: 'signal.received', at: 0, signal }), queued: queued.id })
      taken.set(key, id)
    } catch (error) {
      refuse(queued, error)
    }
  }
  const others = waiting.filter((draft) => {
    const key = answeredBy(draft)
    const id = key === undefined ? undefined : taken.get(key)
    if (id === undefined) return true
    draft.receipt?.refused(alreadyAnswered(id))
    return false
  })
  return [...first, ...others]
}

export function alreadyAnswered(id: string): SignalError {
  return new SignalError('SIGNAL_ALREADY_ANSWERED', id, `Cannot answer "${id}": it was answered before.`)
}

/** Throws a `SignalError`. */
function accepted(signals: OpenSignals, { signal, claim }: QueuedSignal) {
  if (signal.type === 'cancel' || signal.type === 'say' || claim === undefined) {
    throw new SignalError('SIGNAL_TYPE_MISMATCH', '', `A ${signal.type} claims no question.`)
  }
  const answer = answerOf(signal)
  signals.accept(claim, answer.id, answer.verb, answer.data, answer.always)
  return { key: claim, id: answer.id, signal: answer.entry(claim) }
}

/** The question that an entry answers. */
function answeredBy({ entry }: Draft): string | undefined {
  return entry.type === 'signal.received' && entry.signal.type === 'answer' ? entry.signal.key : undefined
}
