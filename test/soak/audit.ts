/** Holds the journals of a soak against the effect log: what was lost, what was repeated, and under which keys. */
import { isDeepStrictEqual } from 'node:util'
import type { JournalEntry, Troupe } from 'troupe'
import { answerTo } from './crew.ts'
import type { Execution } from './effect-log.ts'

export interface Findings {
  readonly runs: number
  /** Runs that a caller was told of: their `start` resolved. */
  readonly told: number
  /** Those of them that the store does not have. */
  readonly lost: number
  readonly entries: number
  /** Executions of tools and models, as the world outside has seen them. */
  readonly executions: number
  /** Executions whose outcome a journal holds. */
  readonly settled: number
  /** Executions whose process died before their outcome was kept; all but the last of a call were repeated. */
  readonly inFlight: number
  /** Calls that were executed again because of that. */
  readonly repeatedCalls: number
  /** Anything that must not be, in words. */
  readonly faults: readonly string[]
}

/** `told`: the ids of the runs whose `start` resolved, as their callers noted them. */
export async function audit(
  troupe: Troupe,
  executions: readonly Execution[],
  told: readonly string[],
): Promise<Findings> {
  const faults: string[] = []
  const summaries = (await troupe.runs()).items
  const kept = new Set(summaries.map(({ runId }) => runId))
  const lost = told.filter((runId) => !kept.has(runId))
  faults.push(...lost.map((runId) => `The run ${runId} was told to have started, and is not in the store.`))
  /** Ids of executions, in the order of the journals. */
  const settled = new Map<string, 'value' | 'error'>()
  let entries = 0
  for (const { runId } of summaries) {
    const journal = await troupe.journal(runId)
    entries += journal.length
    faults.push(...(await faultsOfRun(troupe, runId, journal)))
    for (const { id, how } of settledIn(journal)) {
      if (settled.has(id)) faults.push(`The outcome of ${id} was recorded twice.`)
      settled.set(id, how)
    }
  }
  const known = new Set(executions.map(({ id }) => id))
  for (const id of settled.keys()) {
    if (!known.has(id)) faults.push(`${id} is in a journal, and was never executed.`)
  }
  const byKey = Map.groupBy(executions, ({ idempotencyKey }) => idempotencyKey)
  for (const [key, ofKey] of byKey) {
    const last = ofKey.findIndex(({ id }) => settled.get(id) === 'value')
    if (last !== -1 && last < ofKey.length - 1) {
      const ids = ofKey.map(({ id }) => id) // process and number, in the order in which they began
      faults.push(`${key} was executed again after it had settled as ${ids[last]}: ${ids.join(', ')}.`)
    }
    if (new Set(ofKey.map(({ call }) => call)).size > 1) faults.push(`${key} is the key of several calls.`)
  }
  const byCall = Map.groupBy(executions, ({ call }) => call)
  for (const [call, ofCall] of byCall) {
    const keys = new Set(ofCall.map(({ idempotencyKey }) => idempotencyKey))
    if (keys.size > 1) faults.push(`${call} was executed under ${keys.size} keys: ${[...keys].join(', ')}.`)
  }
  const isRepeated = (ofCall: readonly Execution[]): boolean =>
    ofCall.some(({ id }, index) => !settled.has(id) && index < ofCall.length - 1)
  return {
    runs: summaries.length,
    told: told.length,
    lost: lost.length,
    entries,
    executions: executions.length,
    settled: settled.size,
    inFlight: executions.filter(({ id }) => !settled.has(id)).length,
    repeatedCalls: [...byCall.values()].filter(isRepeated).length,
    faults,
  }
}

/** The run came to the right end, settled every effect once, and replays. */
async function faultsOfRun(
  troupe: Troupe,
  runId: string,
  journal: readonly JournalEntry[],
): Promise<string[]> {
  const [started] = journal
  const ends = journal.filter((entry) => entry.type === 'run.settled')
  if (started?.type !== 'run.started') return [`The run ${runId} has no beginning.`]
  const faults: string[] = []
  const [end] = ends
  if (ends.length !== 1) faults.push(`The run ${runId} has ${ends.length} ends.`)
  if (end !== undefined && (end.outcome !== 'completed' || end.text !== answerTo(started.task))) {
    faults.push(`"${started.task}" is ${end.outcome}: ${end.text || end.error?.message}`)
  }
  const keys = journal.flatMap((entry) => (entry.type === 'effect.settled' ? [entry.key] : []))
  if (new Set(keys).size !== keys.length) faults.push(`The run ${runId} has settled an effect twice.`)
  const { result, entries } = await troupe.replay(runId)
  const replayed = { entries, outcome: result?.outcome, text: result?.text }
  const recorded = { entries: journal.length, outcome: end?.outcome, text: end?.text }
  if (!isDeepStrictEqual(replayed, recorded)) faults.push(`The run ${runId} replays to another end.`)
  return faults
}

/** Whose outcomes the journal holds. */
export function settledIn(journal: readonly JournalEntry[]): { id: string; how: 'value' | 'error' }[] {
  return journal.flatMap((entry) => {
    if (entry.type !== 'effect.settled') return []
    const { value, error } = entry.settlement
    const id = /\[(\d+-\d+)\]/.exec(error?.message ?? JSON.stringify(value))?.[1]
    return id === undefined
      ? []
      : [{ id, how: error === undefined ? ('value' as const) : ('error' as const) }]
  })
}
