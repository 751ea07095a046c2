/** The tasks that this process follows: one follower for all requests of a task. */
import type { ExecutionEventBus, ExecutionEventBusManager, TaskStore } from '@a2a-js/sdk/server'
import { DefaultExecutionEventBus } from '@a2a-js/sdk/server'
import { RunNotFoundError, toErrorData } from '../../errors.ts'
import type { Reporter } from '../../runtime/report.ts'
import { followRun } from './follow-run.ts'
import type { A2aTroupe } from './options.ts'
import { TaskEvents } from './task-events.ts'
import { TaskReport, type TaskPlace } from './task-report.ts'

/** The message of a task whose run was deleted. */
export const goneText = 'The agent cannot work on this: RUN_NOT_FOUND.'

export interface Serving {
  readonly troupe: A2aTroupe
  readonly tasks: TaskStore
  readonly report: Reporter
}

export interface FollowedTask {
  readonly events: TaskEvents
  readonly report: TaskReport
  /** Resolves when the task has ended or waits for an answer, or when its run cannot be followed here. */
  readonly done: Promise<void>
}

export interface FollowOptions {
  /** Of the request that waits for the task. */
  readonly bus?: ExecutionEventBus
  /** The cursor of the last event that was told. */
  readonly after?: string | undefined
  /** Tells of the task before its work, once the request has joined. Default: that it is at work. */
  readonly first?: (report: TaskReport) => Promise<void>
}

/** Each request has a bus of its own, so that one which ends takes nothing from the others. */
export class FollowedTasks implements ExecutionEventBusManager {
  readonly #serving: Serving
  readonly #tasks = new Map<string, FollowedTask>()

  constructor(serving: Serving) {
    this.#serving = serving
  }

  get(taskId: string): FollowedTask | undefined {
    return this.#tasks.get(taskId)
  }

  follow(place: TaskPlace, { bus, after, first }: FollowOptions = {}): FollowedTask {
    const known = this.#tasks.get(place.taskId)
    if (known !== undefined) {
      if (bus !== undefined) known.events.join(bus)
      if (first !== undefined) void this.#guarded(place, () => first(known.report))
      return known
    }
    const events = new TaskEvents(this.#serving.tasks, place.context)
    if (bus !== undefined) events.join(bus)
    const report = new TaskReport(place, events)
    const followed = { events, report, done: this.#follow(place, events, report, after, first) }
    this.#tasks.set(place.taskId, followed)
    return followed
  }

  async #follow(
    place: TaskPlace,
    events: TaskEvents,
    report: TaskReport,
    after: string | undefined,
    first = (told: TaskReport) => told.working(),
  ): Promise<void> {
    const { troupe } = this.#serving
    try {
      await first(report)
      await followRun(troupe, place.taskId, after, report)
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

  createOrGetByTaskId(): ExecutionEventBus {
    return new DefaultExecutionEventBus()
  }

  /** For a reader that comes later. `undefined`: the task is not followed. */
  getByTaskId(taskId: string): ExecutionEventBus | undefined {
    return this.#tasks.get(taskId)?.events.observer()
  }

  cleanupByTaskId(): void {
    // The bus of a request is gone with the request.
  }
}
