/** The tasks that this process follows: one follower for all requests and streams of a task. */
import {
  DefaultExecutionEventBus,
  type ExecutionEventBus,
  type ExecutionEventBusManager,
} from '@a2a-js/sdk/server'
import { RunNotFoundError, toErrorData } from '../../errors.ts'
import { noContext } from '../../runtime/async-context.ts'
import type { Reporter } from '../../runtime/report.ts'
import { RunFollower } from './follow-run.ts'
import type { A2aTroupe } from './options.ts'
import { TaskReport, type TaskPlace } from './tasks/task-report.ts'
import { TaskEvents, type StoredTasks, type TaskListener } from './tasks/task-events.ts'

/** The message of a task whose run was deleted. */
export const goneText = 'The agent cannot work on this: RUN_NOT_FOUND.'

export interface Serving extends StoredTasks {
  readonly troupe: A2aTroupe
  readonly report: Reporter
}

export interface FollowedTask {
  readonly events: TaskEvents
  readonly report: TaskReport
  /** Whether the run waits for an answer. */
  readonly isWaiting: boolean
  /** Resolves when `first` has told. */
  readonly begun: Promise<void>
  /** Resolves when nothing more is told: the task has ended, or nobody reads while it waits, or its run cannot be followed. */
  readonly done: Promise<void>
  leave(reader: TaskListener): void
}

export interface FollowOptions {
  /** The cursor of the last event that was told. */
  readonly after?: string | undefined
  /** The task waits for an answer that has not come. */
  readonly isWaiting?: boolean
  /**
   * Tells of the task before its work, where no follower does, and resolves with whether there is a run to follow.
   * Default: nothing is told of a run that is there.
   */
  readonly first?: (report: TaskReport) => Promise<boolean>
}

export class FollowedTasks implements ExecutionEventBusManager {
  readonly #serving: Serving
  readonly #tasks = new Map<string, FollowedTask>()

  constructor(serving: Serving) {
    this.#serving = serving
  }

  get(taskId: string): FollowedTask | undefined {
    return this.#tasks.get(taskId)
  }

  /** The follower of a new task, whose first events the request is told. */
  begin(
    place: TaskPlace,
    bus: ExecutionEventBus,
    first: (report: TaskReport) => Promise<boolean>,
  ): Promise<void> {
    const { events } = this.#open(place, { first })
    return events.join(bus)
  }

  follow(place: TaskPlace, options: FollowOptions = {}): FollowedTask {
    return this.#tasks.get(place.taskId) ?? this.#open(place, options)
  }

  #open(place: TaskPlace, { after, isWaiting = false, first }: FollowOptions): FollowedTask {
    const events = new TaskEvents(this.#serving, place)
    const report = new TaskReport(place, events)
    const follower = new RunFollower(this.#serving.troupe, place.taskId, { events, report, isWaiting })
    const begun = Promise.withResolvers<void>()
    const followed: FollowedTask = {
      begun: begun.promise,
      events,
      report,
      get isWaiting() {
        return follower.isWaiting
      },
      done: this.#follow(place, events, report, async () => {
        const isThere = (await first?.(report)) ?? true
        begun.resolve()
        if (isThere) await noContext.run(() => follower.follow(after)) // all requests share it
      }).finally(begun.resolve),
      leave(reader) {
        events.leave(reader)
        follower.readerLeft()
      },
    }
    this.#tasks.set(place.taskId, followed)
    return followed
  }

  async #follow(
    place: TaskPlace,
    events: TaskEvents,
    report: TaskReport,
    work: () => Promise<void>,
  ): Promise<void> {
    await Promise.resolve() // a request joins before the first event
    try {
      await work()
    } catch (error) {
      await this.#lost(place, report, error)
    }
    this.#tasks.delete(place.taskId)
    events.finish()
  }

  /**
   * A run that was deleted ends its task. Any other has not ended by that: its task stays open, and is looked up again when it
   * is next asked for.
   */
  async #lost(place: TaskPlace, report: TaskReport, error: unknown): Promise<void> {
    if (error instanceof RunNotFoundError) return this.#guarded(place, () => report.failed(goneText))
    const { taskId: runId } = place
    const message = 'the run of a task could not be followed'
    this.#serving.report({ message, where: 'request', error, runId })
    const text = `The work cannot be followed at the moment: ${toErrorData(error).code}.`
    await this.#guarded(place, () => report.working(text))
  }

  async #guarded({ taskId: runId }: TaskPlace, told: () => Promise<void>): Promise<void> {
    try {
      await told()
    } catch (error) {
      const message = 'the state of a task could not be stored'
      this.#serving.report({ message, where: 'request', error, runId })
    }
  }

  /** A bus for each request, so that one which ends takes nothing from the others. */
  createOrGetByTaskId(): ExecutionEventBus {
    return new DefaultExecutionEventBus()
  }

  /** Streams are read by `TaskReader`. */
  getByTaskId(): undefined {
    return undefined
  }

  cleanupByTaskId(): void {
    // The bus of a request is gone with the request.
  }
}
