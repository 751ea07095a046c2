/** Entries and appends as stores see them: their content does not matter to a store. */
import type { Settlement } from '../../actors/effects/effect.ts'
import type { Usage } from '../../actors/usage.ts'
import type { JournalEntry, RunSettled } from '../../runtime/journal/journal.ts'
import type { ThreadMessage } from '../../runtime/journal/memory-storage.ts'
import { firstLease, type JournalAppend, type Lease } from '../../runtime/journal/store.ts'

/** A name with characters that a store may have difficulties with: quotes, NUL, a lone surrogate, a pair of them. */
export const awkward = 'a "quoted"\\ näme\0with \ud800 halves\nand 🚀'

type Started = Extract<JournalEntry, { type: 'run.started' }>

/** The first entry of a journal. */
export function started(runId: string, at = 0, more: Partial<Started> = {}): Started {
  return {
    type: 'run.started',
    at,
    protocol: 1,
    runId,
    agent: 'scout',
    task: 'Look.',
    history: [],
    settings: { hooks: [] },
    stream: false,
    ...more,
  }
}

/** An entry in the middle of a journal, of about `size` bytes more than usual. */
export function fired(at: number, size = 0): JournalEntry {
  return { type: 'timer.fired', at, key: `wait:${at}`, digest: 'd'.repeat(size), dueAt: at }
}

/** The outcome of a model call. Without a usage the call has failed. */
export function called(at: number, usage?: Usage): JournalEntry {
  const settlement: Settlement =
    usage === undefined
      ? { error: { name: 'Error', code: 'MODEL_FAILED', message: 'The server is away.' } }
      : { value: { text: 'Yes.', toolCalls: [], finishReason: 'stop', usage } }
  return {
    type: 'effect.settled',
    at,
    key: `model:${at}`,
    kind: 'model',
    digest: '',
    startedAt: at,
    settlement,
  }
}

export function settled(at: number, outcome: 'completed' | 'failed' = 'completed'): RunSettled {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  return { type: 'run.settled', at, outcome, text: 'Done.', usage }
}

/** Entries of one run under one lease, by default the one that it begins with. */
export function appends(
  runId: string,
  entries: readonly JournalEntry[],
  lease: Lease = firstLease(runId),
): JournalAppend[] {
  return entries.map((entry) => ({ runId, entry, lease }))
}

export function message(id: string, content: string, at: number): ThreadMessage {
  return { id, role: 'user', content, at }
}
