/** Fills a store with runs as an office has them: most have ended, one in ten waits for a person. */
import type { JournalEntry, Lease, LeaseChange, OpenQuestion, Store } from 'troupe'

const usageOf = (index: number) => {
  return { inputTokens: 40, outputTokens: 10, totalTokens: 50, cost: ((index * 7_919) % 1_000) / 1_000 }
}

/** One run in a hundred has failed; of those one in ten by a rare error. */
const failureOf = (index: number): string | undefined =>
  index % 100 === 1 ? (index % 1_000 === 1 ? 'RARE' : 'TOOL_FAILED') : undefined

/** Milliseconds between the beginnings of two runs. */
const pace = 10_000
const beginning = 1_700_000_000_000

/** When the run of an index begins. */
export const timeOf = (index: number): number => beginning + index * pace

/** The id of a run. */
export function idOf(index: number): string {
  return `run-${String(index).padStart(7, '0')}`
}

/** As many resources for any number of runs: a person has more runs in a larger store. */
export const resourceOf = (index: number): string => `person-${index % 50}`

function journalOf(index: number): JournalEntry[] {
  const at = timeOf(index)
  const usage = usageOf(index)
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
      task: `Pay back what was asked for in order ${index}.`,
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
    since: timeOf(index),
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
        const code = failureOf(index)
        const end: JournalEntry = {
          type: 'run.settled',
          at: timeOf(index) + ((index * 104_729) % 60_000),
          text: 'Paid back.',
          usage: usageOf(index),
          ...(code === undefined
            ? { outcome: 'completed' as const }
            : { outcome: 'failed' as const, error: { name: 'Error', code, message: 'It is away.' } }),
        }
        return [...entries, { runId, lease, entry: end }]
      }),
    )
    await store.renew(leases)
  }
}
