/** The server of one agent, over the client of the SDK. */
import { type Content, TerminalError, TroupeError } from '../../index.ts'
import { timeoutSignal } from '../../kit/index.ts'
import type { RemoteCall, RemoteMessage, RemoteSent, RemoteServer, RemoteTask } from '../../kit/host.ts'
import {
  Role,
  type AgentCard,
  type ListTasksResponse,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client'
import { filePart, textPart } from '../messages/parts.ts'
import { within } from '../messages/within.ts'
import { errorsIn, failureOf, isOver, isUnsupported, shortened, wordsOf } from './failures.ts'
import { guardedFetch, type Guard } from './guarded-fetch.ts'
import { pause } from './pause.ts'
import { progressIn } from './progress.ts'
import { answerParts } from './question.ts'
import { answerOf, isAtRest, outcomeOf, taskNames } from './result.ts'

export interface TaskClientOptions extends Guard {
  /** The card, or the address that it is read from. */
  readonly place: { readonly card: AgentCard } | { readonly url: string }
  /** Milliseconds. */
  readonly requestTimeout: number
  /** Milliseconds. */
  readonly pollInterval: number
}

/** Tasks in one reply, when a message is looked for. */
const tasksOfPage = 20

export class TaskClient implements RemoteServer {
  readonly #options: TaskClientOptions
  #client: Promise<Client> | undefined

  constructor(options: TaskClientOptions) {
    this.#options = options
  }

  send: RemoteServer['send'] = async ({ content, ...names }, call) =>
    this.#ask(call, (client, signal) => sent(client, messageOf(names, partsOf(content)), signal))

  /** A task that has ended meanwhile is followed to its end. */
  answer: RemoteServer['answer'] = async ({ task, question, answer, ...names }, call) =>
    this.#ask(call, async (client, signal) => {
      const message = messageOf({ ...names, contextId: task.contextId }, answerParts(question, answer), task)
      try {
        return await sent(client, message, signal)
      } catch (error) {
        if (isUnsupported(error)) return { type: 'begun', task }
        throw error
      }
    })

  find: RemoteServer['find'] = async ({ id, contextId, task }, call) =>
    this.#ask(call, async (client, signal) => {
      const has = ({ history }: Task): boolean => history.some(({ messageId }) => messageId === id)
      if (task !== undefined) return has(await taskOf(client, task, signal, undefined)) ? task : undefined
      const found = await taskIn(client, contextId, has, signal)
      return found && taskNames(found)
    })

  follow: RemoteServer['follow'] = async ({ task, wait, answered }, call) => {
    const { pollInterval } = this.#options
    const until = performance.now() + wait
    let streams = (await this.#ask(call, (client) => client.getAgentCard())).capabilities?.streaming === true
    for (;;) {
      if (streams) streams = await this.#watch(task, { until, answered }, call)
      const now = await this.#ask(call, (client, signal) => taskOf(client, task, signal, 0))
      const outcome = outcomeOf(now, answered)
      if (outcome.type !== 'working') return outcome
      const left = until - performance.now()
      if (left <= 0) return isAtRest(now.status?.state) ? outcomeOf(now, undefined) : outcome
      await pause(Math.min(left, pollInterval), call.signal)
    }
  }

  cancel: RemoteServer['cancel'] = async (task, call) =>
    this.#ask(call, async (client, signal) => {
      try {
        await client.cancelTask({ id: task.id, tenant: '', metadata: undefined }, { signal })
      } catch (error) {
        if (!isOver(error)) throw error
      }
    })

  /**
   * Reads the stream of a task until it rests, and reports what it tells. Resolves with whether to stream again: where there is
   * no stream, or it breaks, the task itself tells.
   */
  async #watch(
    task: RemoteTask,
    { until, answered }: { readonly until: number; readonly answered: string | undefined },
    call: RemoteCall,
  ): Promise<boolean> {
    const timeout = timeoutSignal(until - performance.now())
    const over = AbortSignal.any([call.signal, timeout.signal])
    try {
      const client = await within(over, this.#reached())
      for await (const { payload } of client.resubscribeTask({ id: task.id, tenant: '' }, { signal: over })) {
        const progress = progressIn(payload)
        if (progress !== undefined) call.report(progress)
        if (rests(payload, answered)) break
      }
      return true
    } catch (error) {
      if (call.signal.aborted) throw this.#failure(error, call.signal)
      return over.aborted
    } finally {
      timeout.stop()
    }
  }

  /** Asks the server within the time of a request. */
  async #ask<Answer>(
    { signal }: RemoteCall,
    ask: (client: Client, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const timeout = timeoutSignal(this.#options.requestTimeout)
    const inTime = AbortSignal.any([signal, timeout.signal])
    try {
      const client = await within(inTime, this.#reached())
      return await within(inTime, ask(client, inTime))
    } catch (error) {
      throw this.#failure(error, signal)
    } finally {
      timeout.stop()
    }
  }

  #failure(error: unknown, signal: AbortSignal) {
    return failureOf(error, this.#options.agent, signal)
  }

  /** The client, whose card is read once. */
  #reached(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #connect(): Promise<Client> {
    const { agent, requestTimeout } = this.#options
    const { signal, stop } = timeoutSignal(requestTimeout)
    try {
      return await within(signal, this.#readCard(signal))
    } catch (error) {
      if (signal.aborted || errorsIn(error).some((cause) => cause instanceof TroupeError)) throw error
      throw new TerminalError(`The card of "${agent}" cannot be read: ${shortened(wordsOf(error))}`, {
        code: 'REMOTE_CARD_INVALID',
        cause: error,
      })
    } finally {
      stop()
    }
  }

  async #readCard(signal: AbortSignal): Promise<Client> {
    const { agent, place } = this.#options
    const fetchImpl = guardedFetch(this.#options)
    const how = { fetchImpl, legacyCompat: { enabled: true } }
    const readingCard: typeof fetch = (target, init) => fetchImpl(target, { ...init, signal })
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(how), new RestTransportFactory(how)],
      cardResolver: new DefaultAgentCardResolver({ ...how, fetchImpl: readingCard }),
      clientConfig: { polling: true },
    })
    const client =
      'card' in place
        ? await factory.createFromAgentCard(place.card)
        : await factory.createFromUrl(
            place.url,
            new URL(place.url).pathname.endsWith('.json') ? '' : undefined,
          )
    const { supportedInterfaces } = await client.getAgentCard()
    if (!supportedInterfaces.some(({ protocolVersion }) => /^(0\.3|1\.)/.test(protocolVersion))) {
      const known = supportedInterfaces.map(({ protocolVersion }) => protocolVersion).join(', ') || 'none'
      throw new TerminalError(`The card of "${agent}" has no version of A2A that is known: ${known}.`, {
        code: 'REMOTE_CARD_INVALID',
      })
    }
    return client
  }
}

function messageOf({ id: messageId, contextId }: RemoteMessage, parts: Part[], task?: RemoteTask): Message {
  return {
    messageId,
    contextId,
    taskId: task?.id ?? '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}

function partsOf(content: Content): Part[] {
  if (typeof content === 'string') return [textPart(content)]
  return content.flatMap((part) => {
    if (part.type === 'text') return textPart(part.text)
    return 'ref' in part ? [] : filePart(part) // the performer has put the bytes in the place of references
  })
}

/** The server answers as soon as it has a task; one that waits for the end of the task is asked about the task later. */
async function sent(client: Client, message: Message, signal: AbortSignal): Promise<RemoteSent> {
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: 0,
    returnImmediately: true,
  }
  const result = await client.sendMessage(
    { tenant: '', message, configuration, metadata: undefined },
    { signal },
  )
  return 'status' in result ? { type: 'begun', task: taskNames(result) } : answerOf(result)
}

/** `historyLength`: the messages to read, the last ones; `undefined`: all. */
async function taskOf(
  client: Client,
  { id }: RemoteTask,
  signal: AbortSignal,
  historyLength: number | undefined,
): Promise<Task> {
  return client.getTask({ id, tenant: '', historyLength }, { signal })
}

/** The task of a conversation that fits, by all its messages; `undefined`: there is none, or the server lists no tasks. */
async function taskIn(
  client: Client,
  contextId: string,
  fits: (task: Task) => boolean,
  signal: AbortSignal,
): Promise<Task | undefined> {
  let pageToken = ''
  do {
    const page = await pageOf(client, { contextId, pageToken }, signal)
    const found = page.tasks.find(fits)
    if (found !== undefined) return found
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return undefined
}

const noTasks: Pick<ListTasksResponse, 'tasks' | 'nextPageToken'> = { tasks: [], nextPageToken: '' }

async function pageOf(
  client: Client,
  place: { readonly contextId: string; readonly pageToken: string },
  signal: AbortSignal,
): Promise<Pick<ListTasksResponse, 'tasks' | 'nextPageToken'>> {
  try {
    return await client.listTasks(
      {
        tenant: '',
        ...place,
        status: 0,
        pageSize: tasksOfPage,
        historyLength: undefined,
        statusTimestampAfter: undefined,
        includeArtifacts: false,
      },
      { signal },
    )
  } catch (error) {
    if (isUnsupported(error)) return noTasks
    throw error
  }
}

function rests(payload: StreamResponse['payload'], answered: string | undefined): boolean {
  if (payload?.$case === 'task') return outcomeOf(payload.value, answered).type !== 'working'
  return payload?.$case === 'statusUpdate' && isAtRest(payload.value.status?.state)
}
