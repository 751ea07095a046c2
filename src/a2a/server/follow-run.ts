/** Follows the run of a task, in whichever process it is, until it waits for an answer or has ended. */
import { ConfigurationError } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import { progressText } from '../../runtime/watch/progress-text.ts'
import type { RunWatch } from '../../runtime/watch/run-watch.ts'
import { questionParts } from '../messages/questions.ts'
import type { A2aTroupe } from './options.ts'
import { tellEnd } from './run-end.ts'
import type { TaskReport } from './task-report.ts'

/** `after`: the cursor of the last event that was told. */
export async function followRun(
  troupe: A2aTroupe,
  runId: string,
  after: string | undefined,
  report: TaskReport,
): Promise<void> {
  for await (const event of watchFrom(troupe, runId, after)) {
    const text = progressText(event)
    if (text !== undefined) await report.working(text, event.cursor)
    if (event.type !== 'suspended') continue
    const open = await openAt(troupe, runId, event.payload.awaiting)
    if (open !== undefined) return report.asks(questionParts(open), event.cursor)
  }
  await tellEnd(troupe, runId, report)
}

/** A cursor of another release begins the watch anew: work is then told again, and nothing is lost. */
function watchFrom(troupe: A2aTroupe, runId: string, after: string | undefined): RunWatch {
  if (after === undefined) return troupe.watch(runId)
  try {
    return troupe.watch(runId, { after })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return troupe.watch(runId)
  }
}

/** The questions of a suspension. `undefined`: it is over, since a question was answered meanwhile. */
async function openAt(
  troupe: A2aTroupe,
  runId: string,
  asked: readonly AwaitedSignal[],
): Promise<readonly AwaitedSignal[] | undefined> {
  const open = await openQuestions(troupe, runId)
  const isListed = asked.every(({ toolCallId }) =>
    open.some((question) => question.toolCallId === toolCallId),
  )
  if (isListed) return open
  return (await isSuspended(troupe, runId)) ? asked : undefined // the list of Restate may come later
}

export async function openQuestions(troupe: A2aTroupe, runId: string): Promise<readonly AwaitedSignal[]> {
  const { items } = await troupe.awaiting({ runId })
  return items.map(({ toolCallId, type, agent, toolName, args, payload }) => ({
    toolCallId,
    type,
    agent,
    toolName,
    args,
    ...(payload === undefined ? {} : { payload }),
  }))
}

/** Whether the journal ends with a suspension. */
export async function isSuspended(troupe: A2aTroupe, runId: string): Promise<boolean> {
  const { events } = await troupe.replay(runId)
  return events.findLast(({ type }) => type === 'suspended' || type === 'resumed')?.type === 'suspended'
}
