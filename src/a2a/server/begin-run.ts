/** Starts the run of a new task: once, also where a process ends before it has told of it. */
import type { Message } from '@a2a-js/sdk'
import { ConfigurationError, RunExistsError, toErrorData } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { runOptionsOf } from '../../runtime/user-function.ts'
import { contentOf } from '../messages/prompt.ts'
import type { Serving } from './followed-tasks.ts'
import type { A2aCall, A2aHandlerOptions } from './options.ts'
import type { TaskReport } from './tasks/task-report.ts'

export interface Beginning extends Serving, Pick<A2aHandlerOptions, 'runOptions'> {
  readonly agent: AgentDefinition
}

/** The task is stored already. Resolves with whether there is a run; without one the task has ended. */
export async function beginRun(
  serving: Beginning,
  call: A2aCall,
  message: Message,
  taskReport: TaskReport,
): Promise<boolean> {
  try {
    await start(serving, call, message)
  } catch (error) {
    await refuse(serving, call, message, { taskReport, error })
    return false
  }
  await taskReport.open(message)
  await taskReport.working()
  return true
}

async function start(
  { troupe, agent, runOptions }: Beginning,
  call: A2aCall,
  message: Message,
): Promise<void> {
  const content = contentOf(message)
  const prompt = typeof content === 'string' ? content : ([{ role: 'user', content }] as const)
  const options = await runOptionsOf('a2aHandler', runOptions, call)
  try {
    await troupe.start(agent, prompt, { ...options, runId: call.taskId })
  } catch (error) {
    if (!(error instanceof RunExistsError)) throw error // a process has started it before, and told nobody
  }
}

async function refuse(
  { report }: Beginning,
  { taskId: runId }: A2aCall,
  message: Message,
  { taskReport, error }: { readonly taskReport: TaskReport; readonly error: unknown },
): Promise<void> {
  const { code } = toErrorData(error)
  await taskReport.open(message)
  const isRejected = error instanceof ConfigurationError || code === 'MESSAGE_EMPTY'
  const text = `The agent cannot work on this: ${code}.`
  if (isRejected) return taskReport.rejected(text)
  report({ message: 'a run could not be started for a task', where: 'request', error, runId })
  await taskReport.failed(text)
}
