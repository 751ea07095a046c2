/** Fills a store with runs as an office has them: most have ended, one in ten waits for a person. */
import type { JournalEntry, Lease, LeaseChange, OpenQuestion, Store } from 'troupe'

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** The id of a run. */
export function idOf(index: number): string {
  return `run-${String(index).padStart(7, '0')}`
}

/** As many resources for any number of runs: a person has more runs in a larger store. */
export const resourceOf = (index: number): string => `person-${index % 50}`

function journalOf(index: number): JournalEntry[] {
  const at = 1_700_000_000_000 + index
  const key = (count: number): string => `cashier/model#${count}`
  const settled = (count: number): JournalEntry => ({
    type: 'effect.settled',
    at,
    key: key(count),
    kind: 'model',
    digest: '0'.repeat(16),
    startedAt: at,
    settlement: {
      value: { text: 'It is looked at. '.repeat(10), toolCalls: [], finishReason: 'stop', usage },
    },
  })
  return [
    {
      type: 'run.started',
      at,
      protocol: 2,
      runId: idOf(index),
      agent: index % 3 === 0 ? 'cashier' : 'clerk',
      task: 'Pay back what was asked for.',
      history: [],
      settings: { hooks: [] },
      stream: true,
      resourceId: resourceOf(index),
    },
    settled(1),
    settled(2),
  ]
}

function questionOf(index: number): OpenQuestion {
  return {
    runId: idOf(index),
    toolCallId: 'cashier/call:1.1',
    type: 'approval',
    agent: 'cashier',
    path: 'cashier',
    toolName: 'refund',
    args: { euros: index },
    since: 1_700_000_000_000 + index,
    asOf: 3,
  }
}

/** `waits`: of how many runs one waits. */
export async function fill(store: Store, runs: number, waits = 10): Promise<void> {
  const batch = 500
  for (let from = 0; from < runs; from += batch) {
    const indexes = Array.from({ length: Math.min(batch, runs - from) }, (_, offset) => from + offset)
    const leases: LeaseChange[] = []
    await store.append(
      indexes.flatMap((index) => {
        const runId = idOf(index)
        const lease: Lease = { runId, owner: 'office', token: 1, expiresAt: 1 }
        const entries = journalOf(index).map((entry) => ({ runId, lease, entry }))
        if (index % waits === 0) {
          leases.push({ ...lease, expiresAt: 0, passivated: {} })
          return [...entries, { runId, lease, questions: { opened: [questionOf(index)], closed: [] } }]
        }
        const end: JournalEntry = {
          type: 'run.settled',
          at: 1_700_000_000_000 + index,
          outcome: 'completed',
          text: 'Paid back.',
          usage,
        }
        return [...entries, { runId, lease, entry: end }]
      }),
    )
    await store.renew(leases)
  }
}
