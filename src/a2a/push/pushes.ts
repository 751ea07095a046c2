/** Tells clients of their tasks by requests to them, while no client of the task need be there: each at least once. */
import { ConfigurationError, RetryableError, RunNotFoundError, type ProblemCode } from '../../index.ts'
import {
  type Reporter,
  milliseconds,
  noContext,
  optional,
  readOptions,
  sleep,
  toErrorData,
  type Fields,
} from '../../kit/index.ts'
import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { placedUpdates, type PlacedUpdate } from '../tasks/follow-run.ts'
import type { A2aTroupe } from '../tasks/troupe.ts'
import type { RunTasks } from '../tasks/run-tasks.ts'
import { isTerminal } from '../tasks/task-state.ts'
import { KeptPushes, type KeptPush, type PushPlace } from './kept-pushes.ts'
import { readPush, type A2aPushOptions, type PushSettings } from './options.ts'
import { mostConfigs, readConfig } from './read-config.ts'
import { readsTasks, send, type Notice } from './send.ts'
import { SenderLease } from './sender-lease.ts'

/** The options of `resumePush`. */
export interface ResumePushOptions {
  /** Milliseconds between two passes, for notifications whose process has gone. Default: one pass. */
  readonly every?: number
}

const resumeFields: Fields<ResumePushOptions> = { every: optional(milliseconds) }

interface PushHost {
  readonly troupe: A2aTroupe
  readonly tasks: RunTasks
  readonly report: Reporter
}

/** Throws a `ConfigurationError` for a wrong option, and for a troupe that cannot keep configs. */
export function pushesOf(host: PushHost, options: A2aPushOptions): Pushes {
  const settings = readPush(options)
  const { config } = host.troupe
  if (config === undefined)
    throw new ConfigurationError(
      'a2aHandler: push needs a troupe with `config`, which keeps what clients give.',
    )
  return new Pushes(host, new KeptPushes(config), settings)
}

export class Pushes {
  readonly #host: PushHost
  readonly #kept: KeptPushes
  readonly #settings: PushSettings
  readonly #lease: SenderLease
  readonly #stopping = new AbortController()
  /** The work under way here, by its place. */
  readonly #following = new Map<string, Promise<void>>()

  constructor(host: PushHost, kept: KeptPushes, settings: PushSettings) {
    this.#host = host
    this.#kept = kept
    this.#settings = settings
    this.#lease = new SenderLease(kept, host.report)
  }

  /** Keeps a config; `position`: of the last event that the client knows. Rejects with a `RequestMalformedError`. */
  async keep(
    given: TaskPushNotificationConfig,
    {
      runId,
      version,
      position,
    }: { readonly runId: string; readonly version: string; readonly position: number },
  ): Promise<TaskPushNotificationConfig> {
    const config = readConfig(given, runId, this.#settings.origins)
    const known = await this.#kept.list(runId)
    const isNew = known.every((kept) => kept.config.id !== config.id)
    if (isNew && known.length >= mostConfigs)
      throw new RequestMalformedError(`A task has at most ${mostConfigs} push notification configs.`)
    await this.#kept.save({ runId, config, version }, position)
    return config
  }

  list(runId: string): Promise<readonly KeptPush[]> {
    return this.#kept.list(runId)
  }

  remove(place: PushPlace): Promise<void> {
    return this.#kept.remove(place)
  }

  /** Begins to tell of a task that has not ended. */
  async begin(place: PushPlace): Promise<void> {
    await this.#lease.enter()
    await this.#kept.open(place, this.#lease.sender)
    this.#follow(place)
  }

  /** Goes on with what other processes have left. */
  async resume(options: ResumePushOptions = {}): Promise<void> {
    const { every } = readOptions<ResumePushOptions>(options, 'resumePush', resumeFields)
    await this.#pass()
    if (every !== undefined) void this.#passes(every)
  }

  /** Ends the work here once requests under way were answered: another process, or the next one, goes on with it. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#following.values())
    await this.#lease.leave()
  }

  async #passes(every: number): Promise<void> {
    for (;;) {
      await sleep(every, { background: true })
      if (this.#stopping.signal.aborted) return
      await this.#pass().catch((error: unknown) =>
        this.#failed('PUSHES_NOT_READ', 'push notifications could not be looked up', error),
      )
    }
  }

  async #pass(): Promise<void> {
    const there = await this.#kept.senders(Date.now())
    for (const place of await this.#kept.allOpen()) {
      const isDone = there.has(place.sender) || this.#following.has(keyOf(place))
      if (!isDone && !this.#stopping.signal.aborted) await this.begin(place)
    }
  }

  #follow(place: PushPlace): void {
    const key = keyOf(place)
    if (this.#following.has(key) || this.#stopping.signal.aborted) return
    const work = noContext
      .run(() => this.#toEnd(place))
      .catch((error: unknown) => {
        if (toErrorData(error).code === 'TROUPE_CLOSED') this.#stopping.abort()
        else
          this.#failed('PUSHES_STOPPED', 'the push notifications of a task have stopped', error, place.runId)
      })
      .finally(() => this.#following.delete(key))
    this.#following.set(key, work)
  }

  /** Ends with the task, or when its config is deleted. */
  async #toEnd(place: PushPlace): Promise<void> {
    const { runId } = place
    const { signal } = this.#stopping
    try {
      const told = await this.#kept.toldOf(place)
      let state: unknown
      for await (const placed of placedUpdates(this.#host.troupe, runId, {
        after: undefined,
        isAskable: false,
        left: signal,
      })) {
        const { update } = placed
        const isChange = update.$case === 'artifactUpdate' || update.value.status?.state !== state
        if (update.$case === 'statusUpdate') state = update.value.status?.state
        if (!isChange || placed.position <= told) continue
        if (signal.aborted || !(await this.#tell(place, placed))) return
      }
      if (signal.aborted) return
    } catch (error) {
      if (!(error instanceof RunNotFoundError)) throw error
    }
    await this.#kept.close(place)
  }

  /** Whether there is more to tell. */
  async #tell(place: PushPlace, { update, position }: PlacedUpdate): Promise<boolean> {
    const push = await this.#kept.find(place)
    if (push === undefined) {
      await this.#kept.close(place)
      return false
    }
    const notice = readsTasks(push) ? await this.#wholeTask(update, place.runId) : update
    const noticeId = `${place.runId}:${position}:${update.$case}`
    const isOver = notice === undefined || (await this.#sent(push, notice, noticeId))
    if (isOver && update.$case === 'statusUpdate') await this.#kept.tell(place, position)
    return isOver
  }

  /** Clients of 0.3 are told the task: with its end they are told its answer. */
  async #wholeTask(update: Notice, runId: string): Promise<Notice | undefined> {
    if (update.$case !== 'statusUpdate') return undefined
    const task = await this.#host.tasks.snapshot(runId)
    if (task === undefined) return undefined
    const isPast = isTerminal(task) && task.status?.state !== update.value.status?.state
    return isPast ? undefined : { $case: 'task', value: task }
  }

  /** Whether it was taken or given up; `false`: it is left to another process. */
  async #sent(push: KeptPush, notice: Notice, noticeId: string): Promise<boolean> {
    const { retryDelay, giveUpAfter } = this.#settings
    const { runId, config } = push
    const { signal } = this.#stopping
    const begun = Date.now()
    for (let wait = retryDelay; !signal.aborted; wait *= 2) {
      try {
        await send(push, notice, noticeId, this.#settings)
        return true
      } catch (error) {
        if (signal.aborted) return false
        const after = error instanceof RetryableError ? Math.max(wait, error.retryAfterMs ?? 0) : undefined
        if (after === undefined || Date.now() + after - begun > giveUpAfter) {
          this.#failed('PUSH_GIVEN_UP', 'a push notification was given up', error, runId)
          return true
        }
        await unlessStopped(sleep(after, { background: true }), signal)
      }
      if ((await this.#kept.find({ runId, id: config.id })) === undefined) return true
    }
    return false
  }

  #failed(code: ProblemCode, message: string, error: unknown, runId?: string): void {
    this.#host.report({ message, code, where: 'request', error, ...(runId === undefined ? {} : { runId }) })
  }
}

function keyOf({ runId, id }: PushPlace): string {
  return JSON.stringify([runId, id])
}

async function unlessStopped(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stopped = (): void => resolve()
  signal.addEventListener('abort', stopped, { once: true })
  if (signal.aborted) resolve()
  await Promise.race([wait, promise])
  signal.removeEventListener('abort', stopped)
}
