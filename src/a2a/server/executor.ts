/** Runs the agent for each message of a task: the first one starts a run, later ones answer it or are said to it. */
import type { Task } from '@a2a-js/sdk'
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server'
import { RunNotFoundError, toErrorData } from '../../errors.ts'
import { textPart } from '../messages/parts.ts'
import { questionParts } from '../messages/questions.ts'
import { beginRun, type Beginning } from './begin-run.ts'
import { deliver, type Delivery } from './deliver.ts'
import type { A2aHandlerOptions } from './options.ts'
import { TaskReport } from './tasks/task-report.ts'
import { cursorOf, isAsked, statusParts } from './tasks/task-state.ts'
import { goneText, type FollowedTasks } from './followed-tasks.ts'
import { codeOfStop } from '../../runtime/cannot-go-on.ts'
import { askUser, nameOrNothing } from '../../runtime/user-function.ts'
import { TaskEvents } from './tasks/task-events.ts'

/** The reason of runs that end because a client cancels their task. */
const cancelReason = 'The client cancelled the task.'

export interface ExecutorOptions extends Beginning, Pick<A2aHandlerOptions, 'answeredBy'> {
  readonly followed: FollowedTasks
}

type Outcome =
  | Delivery
  | { readonly type: 'gone' }
  | { readonly type: 'undelivered'; readonly code: string }
  /** The run of the task cannot go on with the agents of today. */
  | { readonly type: 'stuck'; readonly code: string }

export class RunExecutor implements AgentExecutor {
  readonly #options: ExecutorOptions

  constructor(options: ExecutorOptions) {
    this.#options = options
  }

  /** Does not reject: the SDK would end the task, and its run may go on. */
  async execute(call: RequestContext, bus: ExecutionEventBus): Promise<void> {
    try {
      if (call.task === undefined) await this.#begin(call, bus)
      else await this.#goOn(call, call.task, bus)
    } catch (error) {
      const message = 'a message to a task could not be answered'
      this.#options.report({ message, where: 'request', error, runId: call.taskId })
    }
  }

  async cancelTask(taskId: string): Promise<void> {
    await this.#options.troupe.cancel(taskId, cancelReason)
  }

  /** The task is stored before its run is started: where the process ends between, any other starts it (`catchUp`). */
  async #begin(call: RequestContext, bus: ExecutionEventBus): Promise<void> {
    await this.#options.followed.begin(call, bus, async (report) => {
      await report.keep(call.userMessage)
      return beginRun(this.#options, call, call.userMessage, report)
    })
  }

  async #goOn(call: RequestContext, task: Task, bus: ExecutionEventBus): Promise<void> {
    const outcome = await this.#deliver(call, task)
    if (outcome.type !== 'undelivered' && outcome.type !== 'stuck')
      await this.#reportOf(call).events.hear(call.userMessage)
    switch (outcome.type) {
      case 'taken':
        return this.#follow(call, task, bus)
      case 'late':
        return this.#follow(call, task, bus, 'The question was answered before this message.')
      case 'refused':
        return this.#follow(call, task, bus, `The agent did not take the message: ${outcome.code}.`)
      case 'noAnswer': {
        const { code = 'it is no answer', open } = outcome
        return this.#askAgain(call, task, bus, `The question is still open: ${code}.`, questionParts(open))
      }
      case 'undelivered': {
        const text = `The message could not be delivered: ${outcome.code}. Send it again.`
        return this.#standAsBefore(call, task, bus, text)
      }
      case 'stuck': {
        const text = `The message could not be delivered: ${outcome.code}. The agent cannot go on with this task.`
        return this.#standAsBefore(call, task, bus, text)
      }
      case 'gone': {
        const { events, report } = this.#reportOf(call)
        await report.failed(goneText)
        return events.show(bus)
      }
    }
  }

  /** The message has changed nothing. */
  async #standAsBefore(
    call: RequestContext,
    task: Task,
    bus: ExecutionEventBus,
    text: string,
  ): Promise<void> {
    return isAsked(task)
      ? this.#askAgain(call, task, bus, text, statusParts(task))
      : this.#follow(call, task, bus, text)
  }

  async #deliver(call: RequestContext, task: Task): Promise<Outcome> {
    const { troupe, answeredBy = userOf } = this.#options
    try {
      const by = await askUser('answeredBy of a2aHandler', () => answeredBy(call), nameOrNothing)
      return await deliver(troupe, { call, task, by })
    } catch (error) {
      if (error instanceof RunNotFoundError) return { type: 'gone' }
      this.#failed('a message could not be delivered to the run of its task', call, error)
      const stop = codeOfStop(error)
      return stop === undefined
        ? { type: 'undelivered', code: toErrorData(error).code }
        : { type: 'stuck', code: stop }
    }
  }

  async #follow(call: RequestContext, task: Task, bus: ExecutionEventBus, text?: string): Promise<void> {
    const { followed } = this.#options
    const known = followed.get(call.taskId)
    if (known !== undefined && text !== undefined) await known.report.working(text)
    const first = async (report: TaskReport): Promise<boolean> => {
      await report.working(text)
      return true
    }
    const { events, begun } = followed.follow(call, { after: cursorOf(task), first })
    await begun
    await events.enter(bus, task)
  }

  /** While another request has the run at work, the question is asked when the run waits again. */
  async #askAgain(
    call: RequestContext,
    task: Task,
    bus: ExecutionEventBus,
    text: string,
    parts: Parameters<TaskReport['asks']>[0],
  ): Promise<void> {
    const followed = this.#options.followed.get(call.taskId)
    if (followed?.isWaiting === false) return this.#follow(call, task, bus, text)
    const { events, report } = followed ?? this.#reportOf(call)
    const [first, ...rest] = parts
    const question = first?.content?.$case === 'text' ? first.content.value : ''
    await report.asks([textPart(`${text}\n${question}`), ...rest])
    await events.show(bus)
  }

  #reportOf(call: RequestContext): { readonly events: TaskEvents; readonly report: TaskReport } {
    const events = new TaskEvents(this.#options, call)
    return { events, report: new TaskReport(call, events) }
  }

  #failed(message: string, { taskId: runId }: RequestContext, error: unknown): void {
    this.#options.report({ message, where: 'request', error, runId })
  }
}

function userOf({ context }: Pick<RequestContext, 'context'>): string | undefined {
  const { user } = context
  return user?.isAuthenticated === true && user.userName !== '' ? user.userName : undefined
}
