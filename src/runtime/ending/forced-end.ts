/**
 * Ends a run that cannot go on: its agents were edited beyond what its journal allows, it is of another release, or workers
 * have died of it. The end is written without the charts of the run, and nothing is performed. The runs that its calls have
 * begun end with it.
 */
import { addUsage, noUsage } from '../../actors/usage.ts'
import { RunNotFoundError, RunOwnedError } from '../../errors.ts'
import { entryUsage } from '../journal/entry-usage.ts'
import { leftWork } from '../journal/left-work.ts'
import { hasEnded, isForcedEnd, type JournalEntry, type RunSettled } from '../journal/journal.ts'
import { lostOf, refusedOf } from '../journal/committer.ts'
import { storeFailure } from '../journal/lost-run.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { Lease, Store } from '../journal/store.ts'
import { letGoAsClaimed } from '../run/let-go.ts'
import type { NestingHost } from '../nested/nested-run.ts'
import { cannotGoOn, isSealedOff } from '../cannot-go-on.ts'

/**
 * Resolves when the end is on record, also where the run has ended by itself. Rejects with a `RunOwnedError` while another
 * process has the run: that process can cancel it. Rejects with a `RunNotFoundError`, and with a `StoreError`.
 */
export async function endByForce(
  host: EndingHost,
  runId: string,
  reason: string,
  by?: string,
): Promise<void> {
  if (!(await hasEndedBy(host, runId))) await writeEnd(host, runId, reason, by)
  await endNested(host, (await readable(host.journal(runId))) ?? [], endByForce)
}

/** The journal; `undefined`: it is sealed, and does not open. Such a run can be ended all the same. */
export async function readable<Journal>(reading: Promise<Journal>): Promise<Journal | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isSealedOff(error)) throw error
    return undefined
  }
}

async function hasEndedBy(host: ReadingHost, runId: string): Promise<boolean> {
  const journal = await readable(host.journal(runId))
  return journal === undefined ? (await summaryOf(host, runId)).status === 'settled' : hasEnded(journal)
}

async function summaryOf({ store }: ReadingHost, runId: string): Promise<RunSummary> {
  const [run] = (await store.list('runs', { runId, limit: 1 })).items
  if (run === undefined) throw new RunNotFoundError(runId)
  return run
}

// Ends the runs within the calls that a run was at when it was ended by force: by a cancel, or by force.

/** What an end by force needs of a troupe. */
export type EndingHost = Pick<NestingHost, 'store' | 'clock' | 'report' | 'journal' | 'claim' | 'tell'>

/** What the last entry of a run needs. */
type ReadingHost = Pick<NestingHost, 'store' | 'clock' | 'journal'>

type EndByForce = (host: EndingHost, runId: string, reason: string) => Promise<void>

/** Runs of a page of the store. */
const pageSize = 100

const reason = 'The run that began this one was ended by force.'

/**
 * `journal`: of the outer run. The end of that run is on record by then: a nested run that cannot be ended here is reported, and
 * whichever process has it cancels it.
 */
async function endNested(
  host: EndingHost,
  journal: readonly JournalEntry[],
  endByForce: EndByForce,
): Promise<void> {
  const [started] = journal
  if (started?.type !== 'run.started' || !journal.some(isForcedEnd)) return
  if (!leftWork(journal).some(({ kind }) => kind === 'tool')) return // runs begin within calls, and end with them
  for (const runId of await nestedIn(host, started.runId)) {
    try {
      await end(host, runId, endByForce)
    } catch (error) {
      host.report({
        message: `the nested run "${runId}" could not be ended`,
        code: 'NESTED_RUN_NOT_ENDED',
        where: 'run',
        error,
        runId,
      })
    }
  }
}

async function end(host: EndingHost, runId: string, endByForce: EndByForce): Promise<void> {
  try {
    await host.tell(runId, () => ({ type: 'cancel', reason }))
  } catch (error) {
    if (!cannotGoOn(error)) throw error
    await endByForce(host, runId, reason)
  }
}

/** The unfinished runs of its calls. A store of others may not know the filter, nor tell where a run is nested: its journal does. */
async function nestedIn({ store }: EndingHost, outer: string): Promise<readonly string[]> {
  const found: string[] = []
  let before: string | undefined
  do {
    const page = await store.list('runs', {
      status: 'unfinished',
      nestedIn: outer,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    })
    for (const { runId, nestedIn: place } of page.items)
      if ((place ?? (await outerOf(store, runId))) === outer) found.push(runId)
    before = page.next
  } while (before !== undefined)
  return found
}

async function outerOf(store: Pick<Store, 'read'>, runId: string): Promise<string | undefined> {
  const [started] = (await readable(store.read(runId, 0))) ?? []
  return started?.type === 'run.started' ? started.nested?.runId : undefined
}

async function writeEnd(host: EndingHost, runId: string, reason: string, by?: string): Promise<void> {
  const lease = await host.claim(runId, 'always')
  try {
    await appendForcedEnd(host, lease, reason, by)
  } finally {
    await letGoAsClaimed(host, lease)
  }
}

/** Ends a run by its lease, where it has not ended. Rejects with a `RunOwnedError` where another process has taken it. */
export async function appendForcedEnd(
  host: ReadingHost,
  lease: Lease,
  reason: string,
  by?: string,
): Promise<void> {
  const { runId } = lease
  if (await hasEndedBy(host, runId)) return
  const journal = await readable(host.journal(runId))
  const end =
    journal === undefined
      ? endOfSealed(await summaryOf(host, runId), reason, host.clock.now())
      : endOf(journal, reason, host.clock.now())
  const whole = by === undefined ? end : { ...end, forcedBy: by }
  const entry = host.store.redact?.(whole) ?? whole
  const report = await host.store.append([{ runId, entry, lease }])
  if (refusedOf(report).has(runId))
    throw storeFailure(runId, 'The store did not take the end', refusedOf(report).get(runId))
  if (lostOf(report).length > 0) throw new RunOwnedError(runId)
}

function endOf(journal: readonly JournalEntry[], reason: string, now: number): RunSettled {
  const usages = journal.flatMap((entry) => entryUsage(entry) ?? [])
  const at = Math.max(now, journal.at(-1)?.at ?? now)
  const left = leftWork(journal)
  return {
    type: 'run.settled',
    at,
    outcome: 'cancelled',
    text: '',
    reason,
    forced: true,
    ...(left.length === 0 ? {} : { left }),
    usage: usages.reduce((sum, usage) => addUsage(sum, usage), noUsage),
  }
}

/** The end of a run whose journal does not open: the index has its usage. */
function endOfSealed({ updatedAt, usage }: RunSummary, reason: string, now: number): RunSettled {
  const at = Math.max(now, updatedAt)
  return { type: 'run.settled', at, outcome: 'cancelled', text: '', reason, forced: true, usage }
}
