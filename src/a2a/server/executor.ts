/** Runs the agent for each message of a task: the first one starts a run, later ones answer it or are said to it. */
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server'
import { ConfigurationError, SignalError, toErrorData } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { deliveredFiles } from '../../runtime/files/delivered-files.ts'
import type { RunResult } from '../../runtime/handle/result.ts'
import type { RunSignal } from '../../runtime/handle/run.ts'
import { contentOf } from '../messages/prompt.ts'
import { questionParts, signalsOf } from '../messages/questions.ts'
import { answerParts, failureOf } from './answer.ts'
import { cancelReason } from './cancel-reason.ts'
import type { A2aHandlerOptions, A2aRun } from './options.ts'
import { tellProgress } from './progress.ts'
import { TaskReport } from './task-report.ts'

export class RunExecutor implements AgentExecutor {
  readonly #agent: AgentDefinition
  readonly #options: A2aHandlerOptions
  /** The tasks that a request is at work on, with the end of that work. */
  readonly #working = new Map<string, Promise<void>>()
  /** Tells of tasks that wait for an answer: their bus stays open. */
  readonly #waiting = new Map<string, TaskReport>()

  constructor(agent: AgentDefinition, options: A2aHandlerOptions) {
    this.#agent = agent
    this.#options = options
  }

  async execute(call: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId } = call
    const working = this.#working.get(taskId)
    const work = working === undefined ? this.#work(call, bus) : this.#say(call, working)
    if (working !== undefined) return work
    this.#working.set(taskId, work)
    try {
      await work
    } finally {
      this.#working.delete(taskId)
    }
  }

  async cancelTask(taskId: string): Promise<void> {
    await this.#options.troupe.cancel(taskId, cancelReason)
    await this.#working.get(taskId)
    this.#waiting.get(taskId)?.cancelled()
    this.#waiting.delete(taskId)
  }

  async #work(call: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const report = new TaskReport(call, bus)
    this.#waiting.delete(call.taskId)
    report.open()
    try {
      const run = await this.#runOf(call)
      await this.#follow(run, call, report)
    } catch (error) {
      const { code } = toErrorData(error)
      const isRefused = error instanceof ConfigurationError || code === 'MESSAGE_EMPTY'
      if (isRefused) report.rejected(`The agent cannot work on this: ${code}.`)
      else report.failed(`The agent cannot work on this: ${code}.`)
    }
  }

  /** A message to a task at work; its stream goes on with the events of the request that began it. */
  async #say(call: RequestContext, working: Promise<void>): Promise<void> {
    const run = await this.#options.troupe.resume(call.taskId)
    await run.signal({ type: 'say', message: contentOf(call.userMessage), id: call.userMessage.messageId })
    await working
  }

  async #runOf(call: RequestContext): Promise<A2aRun> {
    const { troupe, runOptions } = this.#options
    if (call.task !== undefined) return troupe.resume(call.taskId)
    const content = contentOf(call.userMessage)
    const prompt = typeof content === 'string' ? content : ([{ role: 'user', content }] as const)
    return troupe.start(this.#agent, prompt, { ...runOptions?.(call), runId: call.taskId })
  }

  async #follow(run: A2aRun, call: RequestContext, report: TaskReport): Promise<void> {
    if (call.task !== undefined) await this.#answer(run, call)
    report.working()
    const progress = tellProgress(run, report.after, (text) => report.working(text))
    try {
      await this.#tell(await run.whenIdle, call, report, () => progress.last())
    } finally {
      progress.stop()
    }
  }

  /** Passes the answers on. An answer that came too late, since another person was faster, changes nothing. */
  async #answer(run: A2aRun, call: RequestContext): Promise<void> {
    const { answeredBy = userOf } = this.#options
    const idle = await run.whenIdle
    if (idle.outcome !== 'suspended') return
    const by = answeredBy(call)
    for (const signal of signalsOf(idle.awaiting, call.userMessage)) {
      try {
        await run.signal(by === undefined ? signal : ({ ...signal, by } as RunSignal))
      } catch (error) {
        if (!(error instanceof SignalError)) throw error
      }
    }
  }

  async #tell(
    idle: RunResult,
    { taskId }: RequestContext,
    report: TaskReport,
    last: () => number,
  ): Promise<void> {
    if (idle.outcome === 'suspended') {
      this.#waiting.set(taskId, report)
      report.asks(questionParts(idle.awaiting), last())
      return
    }
    if (idle.outcome === 'cancelled') {
      report.cancelled()
      return
    }
    const failure = failureOf(idle)
    const facts = { 'troupe/outcome': idle.outcome }
    if (failure !== undefined) report.failed(failure, facts)
    else report.answer(answerParts(idle, await deliveredFiles(idle.files, this.#options.troupe.blobs)), facts)
  }
}

function userOf({ context }: Pick<RequestContext, 'context'>): string | undefined {
  const { user } = context
  return user?.isAuthenticated === true && user.userName !== '' ? user.userName : undefined
}
