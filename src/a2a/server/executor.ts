/** Runs the agent for each message of a task: the first one starts a run, later ones answer it or are said to it. */
import type { Task } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { ConfigurationError, RunNotFoundError, toErrorData } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { textPart } from '../messages/parts.ts'
import { contentOf } from '../messages/prompt.ts'
import { questionParts } from '../messages/questions.ts'
import { deliver, type Delivery } from './deliver.ts'
import { goneText, type FollowedTasks, type Serving } from './followed-tasks.ts'
import type { A2aHandlerOptions } from './options.ts'
import { TaskEvents } from './task-events.ts'
import { TaskReport } from './task-report.ts'
import { cursorOf, isAsked, statusParts } from './task-state.ts'

/** The reason of runs that end because a client cancels their task. */
const cancelReason = 'The client cancelled the task.'

export interface ExecutorOptions extends Serving, Pick<A2aHandlerOptions, 'runOptions' | 'answeredBy'> {
  readonly agent: AgentDefinition
  readonly followed: FollowedTasks
}

type Outcome = Delivery | { readonly type: 'gone' } | { readonly type: 'undelivered'; readonly code: string }

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

  async #begin(call: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { followed } = this.#options
    try {
      await this.#start(call)
    } catch (error) {
      return this.#refuse(call, bus, error)
    }
    // A task is stored once its run is: one without a run would never end.
    const first = async (report: TaskReport): Promise<void> => {
      await report.open(call.userMessage)
      await report.working()
    }
    await followed.follow(call, { bus, first }).done
  }

  async #start(call: RequestContext): Promise<void> {
    const { troupe, agent, runOptions } = this.#options
    const content = contentOf(call.userMessage)
    const prompt = typeof content === 'string' ? content : ([{ role: 'user', content }] as const)
    await troupe.start(agent, prompt, { ...runOptions?.(call), runId: call.taskId })
  }

  async #refuse(call: RequestContext, bus: ExecutionEventBus, error: unknown): Promise<void> {
    const { code } = toErrorData(error)
    const report = this.#reportTo(call, bus)
    await report.open(call.userMessage)
    const isRejected = error instanceof ConfigurationError || code === 'MESSAGE_EMPTY'
    const text = `The agent cannot work on this: ${code}.`
    if (isRejected) return report.rejected(text)
    this.#failed('a run could not be started for a task', call, error)
    await report.failed(text)
  }

  async #goOn(call: RequestContext, task: Task, bus: ExecutionEventBus): Promise<void> {
    const { followed } = this.#options
    followed.get(call.taskId)?.events.join(bus)
    bus.publish(AgentEvent.task(task))
    const outcome = await this.#deliver(call, task)
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
        return isAsked(task)
          ? this.#askAgain(call, task, bus, text, statusParts(task))
          : this.#follow(call, task, bus, text)
      }
      case 'gone':
        return this.#reportTo(call, bus).failed(goneText)
    }
  }

  async #deliver(call: RequestContext, task: Task): Promise<Outcome> {
    const { troupe, answeredBy = userOf } = this.#options
    try {
      return await deliver(troupe, { call, task, by: answeredBy(call) })
    } catch (error) {
      if (error instanceof RunNotFoundError) return { type: 'gone' }
      this.#failed('a message could not be delivered to the run of its task', call, error)
      return { type: 'undelivered', code: toErrorData(error).code }
    }
  }

  async #follow(call: RequestContext, task: Task, bus: ExecutionEventBus, text?: string): Promise<void> {
    const first = text === undefined ? {} : { first: (report: TaskReport) => report.working(text) }
    await this.#options.followed.follow(call, { bus, after: cursorOf(task), ...first }).done
  }

  /** While another request has the run at work, the question is asked when the run waits again. */
  async #askAgain(
    call: RequestContext,
    task: Task,
    bus: ExecutionEventBus,
    text: string,
    parts: Parameters<TaskReport['asks']>[0],
  ): Promise<void> {
    if (this.#options.followed.get(call.taskId) !== undefined) return this.#follow(call, task, bus, text)
    const [first, ...rest] = parts
    const question = first?.content?.$case === 'text' ? first.content.value : ''
    await this.#reportTo(call, bus).asks([textPart(`${text}\n${question}`), ...rest])
  }

  #reportTo(call: RequestContext, bus: ExecutionEventBus): TaskReport {
    const events = new TaskEvents(this.#options.tasks, call.context)
    events.join(bus)
    return new TaskReport(call, events)
  }

  #failed(message: string, { taskId: runId }: RequestContext, error: unknown): void {
    this.#options.report({ message, where: 'request', error, runId })
  }
}

function userOf({ context }: Pick<RequestContext, 'context'>): string | undefined {
  const { user } = context
  return user?.isAuthenticated === true && user.userName !== '' ? user.userName : undefined
}
