/** Brings a stored task to the state of its run, where no request of this process follows it: after a crash, for example. */
import type { ServerCallContext } from '@a2a-js/sdk/server'
import { hasEnded } from '../../runtime/troupe/run-service.ts'
import { questionParts } from '../messages/questions.ts'
import { openQuestions, suspensionOf } from './follow-run.ts'
import { tellEnd } from './run-end.ts'
import { TaskReport } from './task-report.ts'
import { askedQuestions, isAsked, isTerminal } from './task-state.ts'
import type { FollowedTasks, Serving } from './tasks/followed-tasks.ts'
import { TaskEvents } from './tasks/task-events.ts'

export async function catchUp(
  serving: Serving & { readonly followed: FollowedTasks },
  taskId: string,
  context: ServerCallContext,
): Promise<void> {
  const { troupe, tasks, followed } = serving
  if (followed.get(taskId) !== undefined) return
  const task = await tasks.load(taskId, context)
  if (task === undefined || isTerminal(task)) return
  const [run] = (await troupe.runs({ runId: taskId })).items
  if (run === undefined) return // the list of Restate may come later
  const place = { taskId, contextId: task.contextId, context }
  const report = new TaskReport(place, new TaskEvents(serving, place))
  if (hasEnded(run)) return tellEnd(troupe, taskId, report)

  const asked = askedQuestions(task)
  const isNew = run.awaiting.some(({ toolCallId }) => !asked.has(toolCallId))
  const suspension = isNew ? await suspensionOf(troupe, taskId) : undefined
  const open = suspension === undefined ? [] : await openQuestions(troupe, taskId)
  if (followed.get(taskId) !== undefined) return // a message has come meanwhile
  if (open.length > 0) await report.asks(questionParts(open), suspension?.cursor)
  else if (run.awaiting.length === 0 && isAsked(task)) await report.working()
}
