/** Brings a stored task to the state of its run, where no request of this process follows it: after a crash, for example. */
import type { Task } from '@a2a-js/sdk'
import type { ServerCallContext } from '@a2a-js/sdk/server'
import { hasEnded } from '../../runtime/troupe/run-service.ts'
import { questionParts } from '../messages/questions.ts'
import { beginRun, type Beginning } from './begin-run.ts'
import { openQuestions, suspensionOf } from './follow-run.ts'
import { tellEnd } from './run-end.ts'
import { TaskReport } from './tasks/task-report.ts'
import { askedQuestions, isAsked, isSubmitted, isTerminal } from './tasks/task-state.ts'
import type { FollowedTasks } from './followed-tasks.ts'
import { TaskEvents } from './tasks/task-events.ts'

export async function catchUp(
  serving: Beginning & { readonly followed: FollowedTasks },
  taskId: string,
  context: ServerCallContext,
): Promise<void> {
  const { troupe, tasks, followed } = serving
  if (followed.get(taskId) !== undefined) return
  const task = await tasks.load(taskId, context)
  if (task === undefined || isTerminal(task)) return
  const [run] = (await troupe.runs({ runId: taskId })).items
  if (run === undefined && isSubmitted(task)) return begin(serving, task, context)
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

/** A process has stored the task and ended before its run was started, or is about to start it: the run is started once. */
async function begin(
  serving: Beginning & { readonly followed: FollowedTasks },
  { id: taskId, contextId, history: [message] }: Task,
  context: ServerCallContext,
): Promise<void> {
  if (message === undefined) return // it is a task of another program
  const request = { tenant: '', message, configuration: undefined, metadata: undefined }
  const place = { taskId, contextId, context }
  const first = (report: TaskReport): Promise<boolean> =>
    beginRun(serving, { ...place, request }, message, report)
  await serving.followed.follow(place, { first }).begun
}
