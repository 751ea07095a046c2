/**
 * Passes a signal on to a run that is not replayed here: one of another release, whose charts this release does not have,
 * or one that is left. It is queued for a worker that takes the run up. The index of the store has the open questions of the run, against which an answer is held here.
 */
import { alreadyAnswered } from '../state/signals/answers-first.ts'
import { changesArguments } from '../state/signals/changed-arguments.ts'
import { OpenSignals, type OpenSignal } from '../state/signals/open-signals.ts'
import { answerOf } from '../state/signals/signal-answer.ts'
import type { RunSignal } from '../handle/run.ts'
import { hasEnded, type JournalEntry } from '../journal/journal.ts'
import type { OpenQuestion } from '../journal/run-index.ts'
import type { RunStore } from '../journal/store.ts'

interface Host {
  readonly store: RunStore
  /** Rejects with a `RunNotFoundError`. */
  journal(runId: string): Promise<readonly JournalEntry[]>
}

/** An answer that needs no chart: the question is in the index. */
type Answer = Exclude<RunSignal, { readonly type: 'cancel' | 'say' }>

/**
 * Resolves when the store has accepted the signal. Rejects with a `SignalError` for an answer that the run does not wait
 * for, and with `mismatch` for a signal that only the charts of the run can check: a message, changed arguments, the
 * cancel of a delegation.
 */
export async function passOn(host: Host, runId: string, signal: RunSignal, mismatch: unknown): Promise<void> {
  if (signal.type === 'cancel' && signal.delegationId === undefined) {
    if (!hasEnded(await host.journal(runId))) await host.store.enqueueSignal(runId, signal)
    return
  }
  if (signal.type === 'say' || signal.type === 'cancel' || changesArguments(signal)) throw mismatch
  // Each round means that the owner has appended another entry.
  while (!(await isQueued(host, runId, signal, mismatch)));
}

/** `false`: the journal has grown since it was read. */
async function isQueued(host: Host, runId: string, signal: Answer, mismatch: unknown): Promise<boolean> {
  const journal = await host.journal(runId)
  const { items } = await host.store.list('questions', { runId }) // after the journal: no later entry has removed one of them
  const { id, verb, data, always } = answerOf(signal)
  const key = signalsOf(journal, items, mismatch).claim(id, verb, data, always)
  const outcome = await host.store.enqueueSignal(runId, signal, { key, entries: journal.length })
  if (outcome === 'claimed') throw alreadyAnswered(id)
  return outcome === 'accepted'
}

function signalsOf(
  journal: readonly JournalEntry[],
  asked: readonly OpenQuestion[],
  mismatch: unknown,
): OpenSignals {
  const open = asked.map((question) => openSignal(question, mismatch))
  const isOpen = new Set(asked.map(({ toolCallId }) => toolCallId))
  const answered = journal.flatMap((entry) =>
    entry.type === 'signal.received' && entry.signal.type === 'answer' ? [entry.signal.id] : [],
  )
  return OpenSignals.of({
    open,
    answered: answered.filter((id) => !isOpen.has(id)),
    expired: [],
    isClosed: hasEnded(journal),
  })
}

/** Throws `mismatch` for a question without a key: its release did not write it. */
function openSignal(question: OpenQuestion, mismatch: unknown): OpenSignal {
  const { key, toolCallId, type, agent, toolName, args, payload, since, asOf } = question
  if (key === undefined) throw mismatch
  const asks = { id: toolCallId, type, agent, toolName, args }
  return { key, question: payload === undefined ? asks : { ...asks, payload }, since, asOf }
}
