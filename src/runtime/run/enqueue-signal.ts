/** Queues a signal in the store, for the process that owns the run. An answer claims its question there. */
import { RunNotFoundError } from '../../errors.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { alreadyAnswered } from '../engine/signals/answers-first.ts'
import { changesArguments } from '../engine/signals/changed-arguments.ts'
import type { Environment } from '../environment.ts'
import type { RunSignal } from '../handle/run.ts'
import type { RunStore } from '../journal/store.ts'
import { SignalsOfJournal } from '../replay/signals-of-journal.ts'
import { claim, endsRun } from './inbound-signals.ts'

/** The part of a troupe that queues signals. */
export interface QueueingHost {
  readonly registry: AgentRegistry
  readonly store: Pick<RunStore, 'read' | 'enqueueSignal'>
  readonly environment: Pick<Environment, 'newId'>
}

/**
 * Resolves when the store has accepted the signal. Rejects with a `SignalError` for one that the run does not wait for, and
 * with a `RunNotFoundError`.
 */
export async function enqueueSignal(host: QueueingHost, runId: string, signal: RunSignal): Promise<void> {
  const { registry, store } = host
  const read = await store.read(runId)
  if (read === undefined) throw new RunNotFoundError(runId)
  const journal = new SignalsOfJournal(registry, read)
  if (changesArguments(signal)) await journal.assertArgumentsFit(signal)
  // Each round means that the owner has appended another entry.
  while (!(await isEnqueued(host, runId, signal, journal))) await journal.catchUp(store)
}

/** Whether the signal is queued, or has no effect; `false` when the journal has grown since it was read. */
async function isEnqueued(
  { store, environment }: QueueingHost,
  runId: string,
  signal: RunSignal,
  { signals, entries }: SignalsOfJournal,
): Promise<boolean> {
  if (endsRun(signal)) {
    // The run is being cancelled, or has ended.
    return signals.isClosed || (await store.enqueueSignal(runId, signal)) === 'accepted'
  }
  const claimed = claim(signals, signal, () => environment.newId())
  if (claimed.signal.type !== 'answer') return (await store.enqueueSignal(runId, signal)) === 'accepted'
  const { key, id } = claimed.signal
  const outcome = await store.enqueueSignal(runId, signal, { key, entries })
  if (outcome === 'claimed') throw alreadyAnswered(id)
  if (outcome === 'outdated') claimed.giveBack()
  return outcome === 'accepted'
}
