/** Queues a signal in the store, for the process that owns the run. An answer claims its question there. */
import { alreadyAnswered } from '../state/signals/answers-first.ts'
import { changesArguments, type assertArgumentsFit } from '../state/signals/changed-arguments.ts'
import type { OpenSignals } from '../state/signals/open-signals.ts'
import type { Clock } from '../clock.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Store } from '../journal/store.ts'
import { keptSay, type IdentifiedSay, type Say } from './saying.ts'
import { answerOf } from '../state/signals/signal-answer.ts'
import type { Signal } from '../journal/journal.ts'

/** The open questions of a run, as its journal has them so far. */
interface ReadSignals {
  readonly signals: OpenSignals
  readonly entries: number
  /** Milliseconds that the store has for the files of a message. */
  readonly hookTimeout: number
  assertArgumentsFit(signal: Parameters<typeof assertArgumentsFit>[0]): Promise<void>
  catchUp(store: Pick<Store, 'read'>): Promise<void>
}

type QueueStore = Pick<Store, 'read' | 'list' | 'enqueueSignal' | 'blobs'>

/**
 * Resolves when the store has accepted the signal. Rejects with a `SignalError` for one that the run does not wait for.
 * `journal`: that of the run, as far as it was read.
 */
export async function enqueueSignal(
  store: QueueStore,
  runId: string,
  signal: Exclude<RunSignal, Say>,
  journal: ReadSignals,
): Promise<void> {
  if (changesArguments(signal)) await journal.assertArgumentsFit(signal)
  // Each round means that the owner has appended another entry.
  while (!(await isEnqueued(store, runId, signal, journal))) await journal.catchUp(store)
}

/** Queues a message with its files. Rejects with a `SignalError` for a run that takes none, and as `keptSay`. */
export async function enqueueSay(
  { store, clock }: { readonly store: QueueStore; readonly clock: Clock },
  runId: string,
  say: IdentifiedSay,
  journal: ReadSignals,
): Promise<void> {
  journal.signals.claimSaying(say.id)
  const { hookTimeout: timeout } = journal
  await store.enqueueSignal(runId, await keptSay(say, { runId, storage: store.blobs, store, clock, timeout }))
}

/** Whether the signal is queued, or has no effect; `false` when the journal has grown since it was read. */
async function isEnqueued(
  store: QueueStore,
  runId: string,
  signal: Exclude<RunSignal, Say>,
  { signals, entries }: ReadSignals,
): Promise<boolean> {
  if (endsRun(signal)) {
    // The run is being cancelled, or has ended.
    return signals.isClosed || (await store.enqueueSignal(runId, signal)) === 'accepted'
  }
  const claimed = claim(signals, signal)
  if (claimed.signal.type !== 'answer') return (await store.enqueueSignal(runId, signal)) === 'accepted'
  const { key, id } = claimed.signal
  const outcome = await store.enqueueSignal(runId, signal, { key, entries })
  if (outcome === 'claimed') throw alreadyAnswered(id)
  if (outcome === 'outdated') claimed.giveBack()
  return outcome === 'accepted'
}

/** Claims the question, or the delegation, for this signal. Throws a `SignalError`. */
export function claim(
  signals: OpenSignals,
  signal: Exclude<RunSignal, Say>,
): {
  readonly signal: Extract<Signal, { readonly type: 'cancel' | 'answer' }>
  readonly giveBack: () => void
} {
  if (signal.type === 'cancel') {
    const { reason, delegationId = '', by } = signal
    signals.claimCancel(delegationId)
    const giveBack = (): void => signals.cancelled(delegationId)
    const cancelled = { type: 'cancel', reason, delegationId, ...(by === undefined ? {} : { by }) } as const
    return { signal: cancelled, giveBack }
  }
  const { id, verb, data, always, entry } = answerOf(signal)
  return { signal: entry(signals.claim(id, verb, data, always)), giveBack: () => signals.giveBack(id) }
}

export type EndOfRun = Extract<RunSignal, { readonly type: 'cancel' }> & { readonly delegationId?: undefined }

/** The cancel of a run as its journal records it. */
export function cancelOf({ reason = 'cancelled', by }: EndOfRun): Extract<Signal, { type: 'cancel' }> {
  return { type: 'cancel', reason, ...(by === undefined ? {} : { by }) }
}

/** Whether a signal cancels the run; the cancel of one delegation does not end it. */
export function endsRun(signal: RunSignal): signal is EndOfRun {
  return signal.type === 'cancel' && signal.delegationId === undefined
}
