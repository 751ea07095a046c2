/** Brings a stored task to the state of its run, where no request of this process follows it: after a crash, for example. */
import type { ServerCallContext } from '@a2a-js/sdk/server'
import { hasEnded } from '../../runtime/troupe/run-service.ts'
import { questionParts } from '../messages/questions.ts'
import { isSuspended, openQuestions } from './follow-run.ts'
import type { FollowedTasks, Serving } from './followed-tasks.ts'
import { tellEnd } from './run-end.ts'
import { TaskEvents } from './task-events.ts'
import { TaskReport } from './task-report.ts'
import { askedQuestions, isAsked, isTerminal } from './task-state.ts'

export async function catchUp(
  { troupe, tasks, followed }: Serving & { readonly followed: FollowedTasks },
  taskId: string,
  context: ServerCallContext,
): Promise<void> {
  if (followed.get(taskId) !== undefined) return
  const task = await tasks.load(taskId, context)
  if (task === undefined || isTerminal(task)) return
  const [run] = (await troupe.runs({ runId: taskId })).items
  if (run === undefined) return // the list of Restate may come later
  const report = new TaskReport(
    { taskId, contextId: task.contextId, context },
    new TaskEvents(tasks, context),
  )
  if (hasEnded(run)) return tellEnd(troupe, taskId, report)

  const asked = askedQuestions(task)
  const isNew = run.awaiting.some(({ toolCallId }) => !asked.has(toolCallId))
  const isWaiting = isNew && (await isSuspended(troupe, taskId))
  const open = isWaiting ? await openQuestions(troupe, taskId) : []
  if (followed.get(taskId) !== undefined) return // a message has come meanwhile
  if (open.length > 0) await report.asks(questionParts(open))
  else if (run.awaiting.length === 0 && isAsked(task)) await report.working()
}
