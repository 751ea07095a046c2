/** What a message to a task leads to: the first one starts a run, later ones answer it or are said to it. */
import { type AgentDefinition, ConfigurationError, RunNotFoundError } from '../../index.ts'
import {
  type Reporter,
  askUser,
  codeOfStop,
  nameOrNothing,
  runOptionsOf,
  toErrorData,
} from '../../kit/index.ts'
import {
  Role,
  TaskState,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk'
import { A2AError, TaskNotFoundError } from '@a2a-js/sdk/errors'
import { textPart } from '../messages/parts.ts'
import { contentOf } from '../messages/prompt.ts'
import { questionParts } from '../messages/questions.ts'
import type { Pushes } from '../push/pushes.ts'
import { deliver, type Delivery } from './deliver.ts'
import { updatesAfter, type FollowOptions } from '../tasks/follow-run.ts'
import type { A2aHandlerOptions, TaskCall } from './options.ts'
import { callerOf, conversationOf } from '../tasks/conversation.ts'
import type { ReadTask } from '../tasks/run-tasks.ts'
import { messageOf, statusUpdate, timeOf, type TaskPlace } from '../tasks/task-of.ts'
import { isAsked } from '../tasks/task-state.ts'

export interface Serving extends Pick<A2aHandlerOptions, 'troupe' | 'runOptions' | 'answeredBy'> {
  readonly agent: AgentDefinition
  readonly report: Reporter
  /** `undefined`: the agent sends no push notifications. */
  readonly pushes: Pushes | undefined
}

/**
 * What a client is told, the task first. Returns the state that this client alone is told, and no journal has: its message has
 * changed nothing, or the run cannot be followed.
 */
export type Told = AsyncGenerator<NonNullable<StreamResponse['payload']>, TaskStatus | undefined>

type Leaving = Pick<FollowOptions, 'left'>

/** A message that no run can begin with is a task that was rejected, and that nobody keeps. */
export async function* begin(serving: Serving, call: TaskCall, leaving: Leaving): Told {
  const refusal = await start(serving, call)
  yield taskPayload(submitted(call))
  if (refusal !== undefined) {
    const status = statusNow(call, TaskState.TASK_STATE_REJECTED, [textPart(refusal)])
    yield statusUpdate(placeOfCall(call), status)
    return status
  }
  return yield* told(serving, placeOfCall(call), { ...leaving, after: undefined, isAskable: true })
}

/** Resolves with why the message is none that a run could begin with; `undefined`: a run has begun. */
async function start(serving: Serving, call: TaskCall): Promise<string | undefined> {
  const { agent, troupe, runOptions, report } = serving
  const { taskId: runId, contextId, context, userMessage } = call
  const caller = callerOf(context)
  try {
    const content = contentOf(userMessage)
    const prompt = typeof content === 'string' ? content : ([{ role: 'user', content }] as const)
    const options = await runOptionsOf('a2aHandler', runOptions, call)
    await telling(serving, call, -1, () =>
      troupe.start(agent, prompt, {
        ...options,
        ...(caller === undefined ? {} : { resourceId: caller }),
        conversationId: conversationOf(caller, contextId),
        promptId: userMessage.messageId,
        runId,
      }),
    )
    return undefined
  } catch (error) {
    const { code } = toErrorData(error)
    const text = `The agent cannot work on this: ${code}.`
    if (error instanceof A2AError) throw error
    if (error instanceof ConfigurationError || code === 'MESSAGE_EMPTY') return text
    report({
      message: 'a run could not be started for a task',
      code: 'TASK_NOT_STARTED',
      where: 'request',
      error,
      runId,
    })
    throw new A2AError(text)
  }
}

/** Does what a message asks for. Its push notification config is kept before that, so that the client misses nothing. */
async function telling<Done>(
  { pushes }: Serving,
  { request, taskId: runId, context: { requestedVersion: version } }: TaskCall,
  position: number,
  act: () => Promise<Done>,
): Promise<Done> {
  const given = request.configuration?.taskPushNotificationConfig
  if (pushes === undefined || given === undefined) return act()
  const { id } = await pushes.keep(given, { runId, version, position })
  try {
    const done = await act()
    await pushes.begin({ runId, id })
    return done
  } catch (error) {
    await pushes.remove({ runId, id })
    throw error
  }
}

export async function* goOn(serving: Serving, call: TaskCall, known: ReadTask, leaving: Leaving): Told {
  const outcome = await telling(serving, call, known.position, () => delivered(serving, call, known.task))
  switch (outcome.type) {
    case 'taken':
      return yield* follow(known.task)
    case 'late':
      return yield* follow(known.task, 'The question was answered before this message.')
    case 'refused':
      return yield* follow(known.task, `The agent did not take the message: ${outcome.code}.`)
    case 'noAnswer': {
      const { code = 'it is no answer', open } = outcome
      return yield* ask(`The question is still open: ${code}.`, questionParts(open))
    }
    case 'undelivered':
      return yield* standAsBefore(outcome.text)
    case 'gone':
      throw new TaskNotFoundError(`Task not found: ${call.taskId}`)
  }

  async function* follow(task: Task, text?: string): Told {
    const parts = text === undefined ? [] : [textPart(text)]
    const status = statusNow(call, TaskState.TASK_STATE_WORKING, parts)
    yield taskPayload({ ...task, status, history: [...task.history, call.userMessage] })
    if (!isAsked(task)) yield statusUpdate(placeOfCall(call), status)
    return yield* told(serving, placeOfCall(call), { ...leaving, after: known.after, isAskable: true })
  }

  /** The question is asked again, with what became of the message before it. */
  async function* ask(text: string, parts: readonly Part[]): Told {
    const [first, ...rest] = parts
    const question = first?.content?.$case === 'text' ? first.content.value : ''
    const asked = [textPart(`${text}\n${question}`), ...rest]
    const status = statusNow(call, TaskState.TASK_STATE_INPUT_REQUIRED, asked)
    yield taskPayload({ ...known.task, status })
    return status
  }

  /** The message has changed nothing. */
  async function* standAsBefore(text: string): Told {
    const { task } = known
    return isAsked(task) ? yield* ask(text, task.status?.message?.parts ?? []) : yield* follow(task, text)
  }
}

type Outcome = Delivery | { readonly type: 'gone' } | { readonly type: 'undelivered'; readonly text: string }

async function delivered(serving: Serving, call: TaskCall, task: Task): Promise<Outcome> {
  const { troupe, answeredBy = ({ context }) => callerOf(context), report } = serving
  try {
    const by = await askUser('answeredBy of a2aHandler', () => answeredBy(call), nameOrNothing)
    return await deliver(troupe, { call, task, by })
  } catch (error) {
    if (error instanceof RunNotFoundError) return { type: 'gone' }
    const { taskId: runId } = call
    const message = 'a message could not be delivered to the run of its task'
    report({ message, code: 'TASK_MESSAGE_NOT_DELIVERED', where: 'request', error, runId })
    const stop = codeOfStop(error)
    const rest = stop === undefined ? 'Send it again.' : 'The agent cannot go on with this task.'
    const code = stop ?? toErrorData(error).code
    return { type: 'undelivered', text: `The message could not be delivered: ${code}. ${rest}` }
  }
}

/** Tells of the run as far as it can be followed. A run that was deleted ends its task; any other has not ended by that. */
export async function* told({ troupe, report }: Serving, place: TaskPlace, options: FollowOptions): Told {
  const { taskId: runId } = place
  try {
    yield* updatesAfter(troupe, runId, options)
    return undefined
  } catch (error) {
    const status = lost(place, error)
    if (!(error instanceof RunNotFoundError))
      report({
        message: 'the run of a task could not be followed',
        code: 'TASK_NOT_FOLLOWED',
        where: 'request',
        error,
        runId,
      })
    yield statusUpdate(place, status)
    return status
  }
}

function lost(place: TaskPlace, error: unknown): TaskStatus {
  const { code } = toErrorData(error)
  if (error instanceof RunNotFoundError)
    return statusNow(place, TaskState.TASK_STATE_FAILED, [
      textPart(`The agent cannot work on this: ${code}.`),
    ])
  const text = `The work cannot be followed at the moment: ${code}.`
  return statusNow(place, TaskState.TASK_STATE_WORKING, [textPart(text)])
}

/** A state that no journal has. */
function statusNow(call: TaskPlace, state: TaskState, parts: readonly Part[]): TaskStatus {
  const { taskId, contextId } = call
  const message = (): Message => messageOf({ taskId, contextId }, crypto.randomUUID(), Role.ROLE_AGENT, parts)
  return { state, message: parts.length === 0 ? undefined : message(), timestamp: timeOf(Date.now()) }
}

/** The task before its run has told anything. */
function submitted(call: TaskCall): Task {
  const { taskId: id, contextId, userMessage } = call
  const status = statusNow(call, TaskState.TASK_STATE_SUBMITTED, [])
  return { id, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }
}

function placeOfCall({ taskId, contextId }: TaskCall): TaskPlace {
  return { taskId, contextId }
}

export function taskPayload(task: Task): NonNullable<StreamResponse['payload']> {
  return { $case: 'task', value: task }
}
