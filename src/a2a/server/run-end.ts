/** Tells the end of a run as the end of its task. */
import { JournalMismatchError, RunNotEndedError, TerminalError, toErrorData } from '../../errors.ts'
import { deliveredFiles } from '../../runtime/files/delivered-files.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import { answerParts, failureOf } from './answer.ts'
import type { A2aTroupe } from './options.ts'
import type { TaskReport } from './tasks/task-report.ts'

/** Rejects where the result cannot be read for now. */
export async function tellEnd(troupe: A2aTroupe, runId: string, report: TaskReport): Promise<void> {
  try {
    const { result } = await troupe.replay(runId)
    if (result === undefined) throw new RunNotEndedError(runId)
    await tell(troupe, result, report)
  } catch (error) {
    if (!isForGood(error)) throw error
    await report.failed(`The answer of the agent cannot be read: ${toErrorData(error).code}.`)
  }
}

/** A file that is gone, and a journal that the agents of today do not lead to, stay so. */
function isForGood(error: unknown): boolean {
  return error instanceof TerminalError || error instanceof JournalMismatchError
}

async function tell({ blobs }: A2aTroupe, result: FinalResult, report: TaskReport): Promise<void> {
  if (result.outcome === 'cancelled') return report.cancelled()
  const failure = failureOf(result)
  const facts = { 'troupe/outcome': result.outcome }
  if (failure !== undefined) return report.failed(failure, facts)
  await report.answer(answerParts(result, await deliveredFiles(result.files, blobs)), facts)
}
