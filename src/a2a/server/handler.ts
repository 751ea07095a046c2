/** `a2aHandler`: an agent behind the request handler of the A2A SDK. */
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk'
import { TaskNotCancelableError } from '@a2a-js/sdk/errors'
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type A2ARequestHandler,
  type ServerCallContext,
} from '@a2a-js/sdk/server'
import { readOptions } from '../../actors/strict/read-options.ts'
import { toErrorData } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { reporterOf } from '../../runtime/report.ts'
import { assertHistoryLength, assertMessage, assertTimestamp } from './assert-request.ts'
import { catchUp } from './catch-up.ts'
import { RunExecutor, type ExecutorOptions } from './executor.ts'
import { handlerFields, type A2aHandlerOptions } from './options.ts'
import { cursorOf, isAsked, isSubmitted, isTerminal } from './tasks/task-state.ts'
import { FollowedTasks, type FollowedTask } from './followed-tasks.ts'
import { leavingOf } from './tasks/leaving.ts'
import { readTasks } from './tasks/read-tasks.ts'
import { TaskReader } from './tasks/task-reader.ts'
import { TaskWrites } from './tasks/task-writes.ts'

/**
 * Serves an agent to agents of others over Agent2Agent: the transports of `@a2a-js/sdk` take the handler, such as its
 * `JsonRpcTransportHandler`. A task is a run with the same id. Throws a `ConfigurationError` for a wrong option.
 */
export function a2aHandler(agent: AgentDefinition, options: A2aHandlerOptions): A2ARequestHandler {
  const { card, onError, ...read } = readOptions<A2aHandlerOptions>(options, 'a2aHandler', handlerFields)
  const serving = {
    tasks: new InMemoryTaskStore(),
    ...read,
    writes: new TaskWrites(),
    report: reporterOf(onError),
  }
  return new RunHandler(card, { ...serving, agent, followed: new FollowedTasks(serving) })
}

class RunHandler extends DefaultRequestHandler {
  readonly #card: A2aHandlerOptions['card']
  readonly #serving: ExecutorOptions
  readonly #executor: RunExecutor

  constructor(card: A2aHandlerOptions['card'], serving: ExecutorOptions) {
    const executor = new RunExecutor(serving)
    super(card, readTasks(serving.tasks), executor, serving.followed)
    this.#card = card
    this.#serving = serving
    this.#executor = executor
  }

  override async sendMessage(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): Promise<Message | Task> {
    await this.#assertTaken(params, context)
    return super.sendMessage(params, context)
  }

  override async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    await this.#assertTaken(params, context)
    yield* super.sendMessageStream(params, context)
  }

  /** A task whose run was not started yet has one before it is given another message. */
  async #assertTaken(
    { message, configuration }: SendMessageRequest,
    context: ServerCallContext,
  ): Promise<void> {
    assertMessage(message)
    assertHistoryLength(configuration?.historyLength)
    const { taskId = '' } = message ?? {}
    if (taskId === '') return
    const task = await this.#serving.tasks.load(taskId, context)
    if (task !== undefined && isSubmitted(task)) await this.#catchUp(taskId, context)
  }

  override async listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    assertHistoryLength(params.historyLength)
    assertTimestamp(params.statusTimestampAfter)
    return super.listTasks(params, context)
  }

  override async getTask(params: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    assertHistoryLength(params.historyLength)
    await this.#catchUp(params.id, context)
    return super.getTask(params, context)
  }

  /** The task is cancelled once its run has ended as such; until then it stays as it is. */
  override async cancelTask(params: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    await this.#catchUp(params.id, context)
    const task = await this.#serving.tasks.load(params.id, context)
    if (task === undefined || isTerminal(task)) return super.cancelTask(params, context)
    try {
      await this.#executor.cancelTask(task.id)
    } catch (error) {
      this.#failed('a task could not be cancelled', task.id, error)
      throw new TaskNotCancelableError(`The task cannot be cancelled now: ${toErrorData(error).code}.`)
    }
    await this.#follow(task, context, false).done
    const ended = await this.#serving.tasks.load(params.id, context)
    return ended === undefined || isTerminal(ended) ? super.cancelTask(params, context) : ended
  }

  /** A reader may come in any process: the run of its task is then followed there, over its questions to its end. */
  override async *resubscribe(
    params: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    await this.#catchUp(params.id, context)
    const task = await this.#serving.tasks.load(params.id, context)
    const isRead = this.#card.capabilities?.streaming === true && task !== undefined && !isTerminal(task)
    yield* isRead ? this.#read(task, context) : super.resubscribe(params, context) // the SDK refuses it
  }

  async *#read(task: Task, context: ServerCallContext): AsyncGenerator<StreamResponse, void, undefined> {
    const reader = new TaskReader()
    const followed = this.#follow(task, context, isAsked(task))
    const hasLeft = leavingOf(context)
    const onLeft = (): void => reader.finished()
    hasLeft?.addEventListener('abort', onLeft)
    try {
      await followed.events.read(reader)
      if (hasLeft?.aborted !== true) yield* reader
    } finally {
      hasLeft?.removeEventListener('abort', onLeft)
      followed.leave(reader)
    }
  }

  #follow(task: Task, context: ServerCallContext, isWaiting: boolean): FollowedTask {
    const { id: taskId, contextId } = task
    return this.#serving.followed.follow({ taskId, contextId, context }, { after: cursorOf(task), isWaiting })
  }

  /** Where the run cannot be looked up, the task is shown as it was stored. */
  async #catchUp(taskId: string, context: ServerCallContext): Promise<void> {
    try {
      await catchUp(this.#serving, taskId, context)
    } catch (error) {
      this.#failed('the run of a task could not be looked up', taskId, error)
    }
  }

  #failed(message: string, runId: string, error: unknown): void {
    this.#serving.report({ message, where: 'request', error, runId })
  }
}
