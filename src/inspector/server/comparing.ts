/** Compares two runs, as a fork with the run that it comes from. */
import type { JournalEntry } from '../../index.ts'
import { canonicalJson } from '../../kit/index.ts'
import { nextTask } from '../../kit/host.ts'
import type { ContentGate } from '../files/content.ts'
import { detailOf } from '../files/details.ts'
import type { RunFile } from '../files/run-file.ts'
import type { Comparison } from '../wire/routes.ts'

/** The number of entries that are compared before other work of the process gets its turn. */
const slice = 200

/** Fields in which two runs of the same course differ: their times, and their names. */
const incidental: ReadonlySet<string> = new Set([
  'at',
  'startedAt',
  'dueAt',
  'runId',
  'forkedFrom',
  'lineage',
  'threadId',
  'uncounted',
  'traceparent',
  'tracestate',
])

export async function compare(file: RunFile, other: RunFile, gate: ContentGate): Promise<Comparison> {
  const [entries, others] = [file.entries, other.entries]
  const common = {
    runId: file.runId,
    otherRunId: other.runId,
    rows: entries.length,
    otherRows: others.length,
  }
  for (let row = 0; row < Math.min(entries.length, others.length); row++) {
    if (row > 0 && row % slice === 0) await new Promise<void>(nextTask)
    const [one, two] = [entries[row], others[row]]
    if (one === undefined || two === undefined || textOf(one.recorded) === textOf(two.recorded)) continue
    const entry = await shown(file.runId, one.recorded, gate)
    const otherEntry = await shown(other.runId, two.recorded, gate)
    return {
      ...common,
      firstDifference: row,
      ...(entry === undefined ? {} : { entry }),
      ...(otherEntry === undefined ? {} : { otherEntry }),
    }
  }
  return common
}

async function shown(
  runId: string,
  recorded: JournalEntry,
  gate: ContentGate,
): Promise<JournalEntry | undefined> {
  return (await gate.entry(runId, detailOf({ recorded, events: [] })))?.entry
}

function textOf(entry: JournalEntry): string {
  const fields = Object.entries(entry).filter(([name]) => !incidental.has(name))
  return canonicalJson(Object.fromEntries(fields))
}
