/** `a2aHandler`: an agent behind the request handler of the A2A SDK. */
import type { AgentDefinition } from '../../index.ts'
import { readOptions, reporterOf, toErrorData } from '../../kit/index.ts'
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import { TaskState } from '@a2a-js/sdk'
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { ServerCallContext } from '@a2a-js/sdk/server'
import { newTaskId } from '../tasks/conversation.ts'
import { assertHistoryLength, assertList, assertMessage } from './assert-request.ts'
import { updatesAfter } from '../tasks/follow-run.ts'
import { pushesOf, type Pushes, type ResumePushOptions } from '../push/pushes.ts'
import { handlerFields, type A2aHandler, type A2aHandlerOptions, type TaskCall } from './options.ts'
import { leavingOf } from './leaving.ts'
import { RunTasks, type ReadTask } from '../tasks/run-tasks.ts'
import { isTerminal } from '../tasks/task-state.ts'
import { begin, goOn, taskPayload, told, type Serving, type Told } from './work.ts'

/** The reason of runs that end because a client cancels their task. */
const cancelReason = 'The client cancelled the task.'

/**
 * Serves an agent to agents of others over Agent2Agent: the transports of `@a2a-js/sdk` take the handler, such as its
 * `JsonRpcTransportHandler`. A task is a run with the same id, and is read from the run. Throws a `ConfigurationError` for a
 * wrong option.
 * @experimental
 */
export function a2aHandler(agent: AgentDefinition, options: A2aHandlerOptions): A2aHandler {
  const read = readOptions<A2aHandlerOptions>(options, 'a2aHandler', handlerFields)
  const { card, onError, push, ...rest } = read
  const { troupe } = rest
  const report = reporterOf(onError)
  const tasks = new RunTasks(troupe, agent.id)
  const pushes = push === undefined ? undefined : pushesOf({ troupe, tasks, report }, push)
  return new RunHandler(cardWith(card, pushes !== undefined), { ...rest, agent, report, pushes }, tasks)
}

/** The card says what the handler does. */
function cardWith(card: AgentCard, pushNotifications: boolean): AgentCard {
  const { capabilities } = card
  return capabilities === undefined ? card : { ...card, capabilities: { ...capabilities, pushNotifications } }
}

class RunHandler implements A2aHandler {
  readonly #card: AgentCard
  readonly #serving: Serving
  readonly #tasks: RunTasks

  constructor(card: AgentCard, serving: Serving, tasks: RunTasks) {
    this.#card = card
    this.#serving = serving
    this.#tasks = tasks
  }

  async resumePush(options?: ResumePushOptions): Promise<void> {
    await this.#serving.pushes?.resume(options)
  }

  async closePush(): Promise<void> {
    await this.#serving.pushes?.close()
  }

  getAgentCard = async (): Promise<AgentCard> => this.#card

  getAuthenticatedExtendedAgentCard = async (): Promise<never> => {
    throw new UnsupportedOperationError('There is no extended card.')
  }

  async createTaskPushNotificationConfig(
    params: TaskPushNotificationConfig,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const pushes = this.#pushes()
    const { task, position } = await this.#read(params.taskId, context)
    const { id: runId } = task
    return this.#asked(runId, async () => {
      const config = await pushes.keep(params, { runId, version: context.requestedVersion, position })
      if (!isTerminal(task)) await pushes.begin({ runId, id: config.id })
      return config
    })
  }

  async getTaskPushNotificationConfig(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const configs = await this.#configs(taskId, context)
    // A client of 0.3 may leave out which one it means.
    const found = id === '' ? configs[0] : configs.find((config) => config.id === id)
    if (found === undefined) throw new TaskNotFoundError('The task has no such push notification config.')
    return found
  }

  async listTaskPushNotificationConfigs(
    { taskId }: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return { configs: await this.#configs(taskId, context), nextPageToken: '' }
  }

  async deleteTaskPushNotificationConfig(
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    const pushes = this.#pushes()
    const { task } = await this.#read(taskId, context)
    await this.#asked(task.id, () => pushes.remove({ runId: task.id, id }))
  }

  async #configs(taskId: string, context: ServerCallContext): Promise<TaskPushNotificationConfig[]> {
    const pushes = this.#pushes()
    const { task } = await this.#read(taskId, context)
    const kept = await this.#asked(task.id, () => pushes.list(task.id))
    return kept.map(({ config }) => config)
  }

  /** Throws a `PushNotificationNotSupportedError`. */
  #pushes(): Pushes {
    const { pushes } = this.#serving
    if (pushes === undefined) throw new PushNotificationNotSupportedError()
    return pushes
  }

  async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const { call, told } = await this.#taken(params, context)
    const first = await told.next()
    if (first.done === true || first.value.$case !== 'task') throw new A2AError('The task was not told.')
    const { historyLength, returnImmediately } = params.configuration ?? {}
    if (returnImmediately !== true)
      return withHistory(await this.#rested(call, first.value.value, told), historyLength)
    await told.return(undefined)
    return withHistory(first.value.value, historyLength)
  }

  async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    this.#assertStreams()
    const { told } = await this.#taken(params, context)
    const { historyLength } = params.configuration ?? {}
    for await (const payload of told) {
      if (payload.$case === 'task') yield { payload: taskPayload(withHistory(payload.value, historyLength)) }
      else yield { payload }
    }
  }

  async getTask({ id, historyLength }: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    assertHistoryLength(historyLength)
    return withHistory((await this.#read(id, context)).task, historyLength)
  }

  async listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    assertHistoryLength(params.historyLength)
    assertList(params)
    const found = await this.#asked(undefined, () => this.#tasks.list(params, context))
    return { ...found, tasks: found.tasks.map((task) => withHistory(task, params.historyLength)) }
  }

  /** The task is cancelled once its run has ended as such; until then it stays as it is. */
  async cancelTask({ id }: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const { troupe, report } = this.#serving
    const { task, after } = await this.#read(id, context)
    if (isTerminal(task)) return cancelled(task)
    try {
      await troupe.cancel(id, cancelReason)
      for await (const _update of updatesAfter(troupe, id, { after, isAskable: false })) continue
    } catch (error) {
      report({
        message: 'a task could not be cancelled',
        code: 'TASK_NOT_CANCELLED',
        where: 'request',
        error,
        runId: id,
      })
      throw new TaskNotCancelableError(`The task cannot be cancelled now: ${toErrorData(error).code}.`)
    }
    return cancelled((await this.#read(id, context)).task)
  }

  /** A reader may come in any process: the run of its task is followed there, over its questions to its end. */
  async *resubscribe(
    { id }: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    this.#assertStreams()
    const { task, after } = await this.#read(id, context)
    if (isTerminal(task)) throw new UnsupportedOperationError(`Task ${id} has ended.`)
    yield { payload: taskPayload(task) }
    const { contextId } = task
    const options = { after, isAskable: false, left: leavingOf(context) }
    for await (const payload of told(this.#serving, { taskId: id, contextId }, options)) yield { payload }
  }

  async #taken(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): Promise<{ readonly call: TaskCall; readonly told: Told }> {
    const { message: given, configuration } = params
    const message = assertMessage(given, this.#card)
    assertHistoryLength(configuration?.historyLength)
    if (configuration?.taskPushNotificationConfig !== undefined) this.#pushes()
    const known = message.taskId === '' ? undefined : await this.#read(message.taskId, context)
    if (known !== undefined) assertOpen(known.task, message.contextId)
    const taskId = known?.task.id ?? newTaskId()
    const contextId = known?.task.contextId ?? (message.contextId || crypto.randomUUID())
    const userMessage = { ...message, taskId, contextId }
    const request = { ...params, message: userMessage }
    const call = { request, taskId, contextId, context, userMessage }
    const leaving = { left: leavingOf(context) }
    const told =
      known === undefined ? begin(this.#serving, call, leaving) : goOn(this.#serving, call, known, leaving)
    return { call, told }
  }

  /** The task when it waits or has ended. */
  async #rested({ taskId, context }: TaskCall, first: Task, told: Told): Promise<Task> {
    let next = await told.next()
    while (next.done !== true) next = await told.next()
    const only = next.value
    if (only === undefined) return (await this.#read(taskId, context)).task
    return { ...first, status: only }
  }

  /** Rejects with a `TaskNotFoundError`. */
  async #read(taskId: string, context: ServerCallContext): Promise<ReadTask> {
    if (taskId.trim() === '') throw new RequestMalformedError('The id of a task is missing.')
    const read = await this.#asked(taskId, () => this.#tasks.load(taskId, context))
    if (read === undefined) throw new TaskNotFoundError(`Task not found: ${taskId}`)
    return read
  }

  /** A client learns the code of an outage alone. */
  async #asked<Answer>(runId: string | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof A2AError) throw error
      const message = 'the run of a task could not be looked up'
      this.#serving.report({
        message,
        code: 'TASK_NOT_READ',
        where: 'request',
        error,
        ...(runId === undefined ? {} : { runId }),
      })
      throw new A2AError(`The task cannot be read at the moment: ${toErrorData(error).code}.`)
    }
  }

  #assertStreams(): void {
    if (this.#card.capabilities?.streaming !== true)
      throw new UnsupportedOperationError('Streaming is not supported.')
  }
}

function assertOpen(task: Task, contextId: string): void {
  if (isTerminal(task))
    throw new UnsupportedOperationError(`Task ${task.id} has ended, and takes no message.`)
  if (contextId !== '' && contextId !== task.contextId)
    throw new RequestMalformedError(`Task ${task.id} is of another contextId.`)
}

function cancelled(task: Task): Task {
  const isCancelled = task.status?.state === TaskState.TASK_STATE_CANCELED
  if (isTerminal(task) && !isCancelled) throw new TaskNotCancelableError(`Task not cancelable: ${task.id}`)
  return task
}

/** `length`: the last messages to show. Default: all. */
function withHistory(task: Task, length: number = task.history.length): Task {
  return { ...task, history: length === 0 ? [] : task.history.slice(-length) }
}
