/** Ends the runs within the calls that a run was at when it was ended by force: by a cancel, or by force. */
import { leftWork } from '../journal/left-work.ts'
import { isForcedEnd, type JournalEntry } from '../journal/journal.ts'
import { cannotGoOn } from '../cannot-go-on.ts'
import type { NestingHost } from '../nested/nested-run.ts'

/** What an end by force needs of a troupe. */
export type EndingHost = Pick<NestingHost, 'store' | 'clock' | 'report' | 'journal' | 'claim' | 'tell'>

type EndByForce = (host: EndingHost, runId: string, reason: string) => Promise<void>

/** Runs of a page of the store. */
const pageSize = 100

const reason = 'The run that began this one was ended by force.'

/**
 * `journal`: of the outer run. The end of that run is on record by then: a nested run that cannot be ended here is reported, and
 * whichever process has it cancels it.
 */
export async function endNested(
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
      host.report({ message: `the nested run "${runId}" could not be ended`, where: 'run', error, runId })
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

/** The unfinished runs of its calls. A list does not tell the call of a run, and its journal does. */
async function nestedIn({ store }: EndingHost, outer: string): Promise<readonly string[]> {
  const found: string[] = []
  let before: string | undefined
  do {
    const page = await store.list('runs', {
      status: 'unfinished',
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    })
    for (const { runId } of page.items) {
      const [started] = (await store.read(runId, 0)) ?? []
      const nested = started?.type === 'run.started' ? started.nested : undefined
      if (nested?.runId === outer) found.push(runId)
    }
    before = page.next
  } while (before !== undefined)
  return found
}
