/** Claims of signals: an answer claims its question, a cancel of a delegation that delegation, before it is on record. */
import { answerOf } from '../state/signals/signal-answer.ts'
import type { OpenSignals } from '../state/signals/open-signals.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Signal } from '../journal/journal.ts'
import type { Say } from './saying.ts'

/** Claims the question, or the delegation, for this signal. Throws a `SignalError`. */
export function claim(
  signals: OpenSignals,
  signal: Exclude<RunSignal, Say>,
): {
  readonly signal: Extract<Signal, { readonly type: 'cancel' | 'answer' }>
  readonly giveBack: () => void
} {
  if (signal.type === 'cancel') {
    const { reason, delegationId = '' } = signal
    signals.claimCancel(delegationId)
    const giveBack = (): void => signals.cancelled(delegationId)
    return { signal: { type: 'cancel', reason, delegationId }, giveBack }
  }
  const { id, verb, data, always, entry } = answerOf(signal)
  return { signal: entry(signals.claim(id, verb, data, always)), giveBack: () => signals.giveBack(id) }
}

export type EndOfRun = Extract<RunSignal, { readonly type: 'cancel' }> & { readonly delegationId?: undefined }

/** Whether a signal cancels the run; the cancel of one delegation does not end it. */
export function endsRun(signal: RunSignal): signal is EndOfRun {
  return signal.type === 'cancel' && signal.delegationId === undefined
}
