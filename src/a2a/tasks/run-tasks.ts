/** The tasks of callers, read from the runs that their messages have begun. */
import { type ListedRun, type RunEvent, RunNotFoundError } from '../../index.ts'
import { codeOfStop, hasEnded } from '../../kit/index.ts'
import {
  Role,
  TaskState,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type Task,
} from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { ServerCallContext } from '@a2a-js/sdk/server'
import { textPart } from '../messages/parts.ts'
import { questionAlone, questionParts } from '../messages/questions.ts'
import type { A2aTroupe } from './troupe.ts'
import { endOf, withEnd } from './run-end.ts'
import { callerOf, contextOf, conversationOf, isTaskId } from './conversation.ts'
import { listedStates } from './task-state.ts'
import { messageOf, taskOf, timeOf } from './task-of.ts'

/** A task, and the cursor of the last event that it shows. */
export interface ReadTask {
  readonly task: Task
  readonly after: string | undefined
  /** The position of that event; -1: none was read. */
  readonly position: number
}

export class RunTasks {
  readonly #troupe: A2aTroupe
  readonly #agent: string

  /** `agent`: the id of the agent that is served. */
  constructor(troupe: A2aTroupe, agent: string) {
    this.#troupe = troupe
    this.#agent = agent
  }

  /** `undefined`: the caller has no such task. Rejects with the errors of the store. */
  async load(taskId: string, context: ServerCallContext): Promise<ReadTask | undefined> {
    const { items } = await this.#troupe.runs({ runId: taskId })
    const run = items.find(this.#isTask(context))
    return run && this.#read(run)
  }

  /** As `load`, for the program itself and not for a caller. */
  async snapshot(taskId: string): Promise<Task | undefined> {
    const [run] = (await this.#troupe.runs({ runId: taskId })).items
    return run && (await this.#read(run))?.task
  }

  /**
   * The latest first. The tasks of the page are read; with a state, also those whose state the index does not tell. Rejects with
   * the errors of the store.
   */
  async list(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const { status: state, statusTimestampAfter, includeArtifacts } = params
    const { pageSize = defaultPageSize, pageToken } = params
    const since = statusTimestampAfter ? Date.parse(statusTimestampAfter) : Number.NEGATIVE_INFINITY
    const from = pageToken === '' ? undefined : placeIn(pageToken)
    const runs = (await this.#runs(params.contextId, context)).filter((run) => changedAt(run) > since)
    const listed = isAny(state) ? runs : await this.#runsIn(state, runs)
    const rest = listed
      .toSorted(latestFirst)
      .filter((run) => from === undefined || latestFirst(from, run) < 0)
    const page = rest.slice(0, pageSize)
    const last = page.at(-1)
    const all = await this.#readAll(page)
    // The index and the journal may differ for a moment, and for a task that cannot be read.
    const read = all.filter(({ task }) => isAny(state) || task.status?.state === state)
    return {
      tasks: read.map(({ task }) => (includeArtifacts === true ? task : { ...task, artifacts: [] })),
      nextPageToken: last === undefined || rest.length === page.length ? '' : tokenOf(last),
      pageSize,
      totalSize: listed.length,
    }
  }

  async #runs(contextId: string, context: ServerCallContext): Promise<readonly ListedRun[]> {
    const caller = callerOf(context)
    const { items } = await this.#troupe.runs({
      agent: this.#agent,
      ...(caller === undefined ? {} : { resourceId: caller }),
      ...(contextId === '' ? {} : { conversationId: conversationOf(caller, contextId) }),
    })
    return items.filter(this.#isTask(context))
  }

  async #runsIn(state: TaskState, runs: readonly ListedRun[]): Promise<readonly ListedRun[]> {
    const possible = runs
      .map((run) => [run, listedStates(run)] as const)
      .filter(([, states]) => states.includes(state))
    const unsure = possible.flatMap(([run, { length }]) => (length > 1 ? [run] : []))
    const out = new Set(
      (await this.#readAll(unsure)).flatMap(({ task }) => (task.status?.state === state ? [] : [task.id])),
    )
    return possible.flatMap(([run]) => (out.has(run.runId) ? [] : [run]))
  }

  async #readAll(runs: readonly ListedRun[]): Promise<readonly ReadTask[]> {
    const read: ReadTask[] = []
    for (const run of runs) {
      const task = await this.#read(run)
      if (task !== undefined) read.push(task)
    }
    return read
  }

  /** A fork is the work of the program, and a run within another one is that of an agent: neither is a task. */
  #isTask(context: ServerCallContext): (run: ListedRun) => boolean {
    const caller = callerOf(context)
    const begins = conversationOf(caller, '')
    return ({ runId, agent, resourceId, conversationId = '', forkedFrom }) =>
      agent === this.#agent &&
      isTaskId(runId) &&
      conversationId.startsWith(begins) &&
      (caller === undefined || resourceId === caller) &&
      forkedFrom === undefined
  }

  /** `undefined`: the run was deleted. */
  async #read(run: ListedRun): Promise<ReadTask | undefined> {
    try {
      const { events: all, result } = await this.#troupe.replay(run.runId)
      const events = told(all, run)
      const task = taskOf(events)
      const last = events.at(-1)
      if (task === undefined || last === undefined) return undefined
      const place = { after: last.cursor, position: last.seq ?? -1 }
      if (result === undefined) return { task, ...place }
      return { task: withEnd(task, await endOf(this.#troupe, result, last)), ...place }
    } catch (error) {
      if (error instanceof RunNotFoundError) return undefined
      const code = codeOfStop(error)
      if (code === undefined) throw error
      return { task: taskOfRun(run, code), after: undefined, position: -1 }
    }
  }
}

/** Without a suspension whose questions are not listed yet: nobody could answer them. */
function told(events: readonly RunEvent[], { awaiting }: ListedRun): readonly RunEvent[] {
  const last = events.at(-1)
  if (last?.type !== 'suspended') return events
  const listed = new Set(awaiting.map(({ toolCallId }) => toolCallId))
  const isListed = last.payload.awaiting.every(({ toolCallId }) => listed.has(toolCallId))
  return isListed ? events : events.slice(0, -1)
}

/** A task whose run the agents of today do not lead to: as the list of runs has it. */
function taskOfRun(run: ListedRun, code: string): Task {
  const place = { taskId: run.runId, contextId: contextOf(run.conversationId ?? '') }
  const told = (parts: Message['parts']): Message =>
    messageOf(place, `${run.runId}:${code}`, Role.ROLE_AGENT, parts)
  const [state, message] = ((): readonly [TaskState, Message | undefined] => {
    if (run.outcome === 'cancelled') return [TaskState.TASK_STATE_CANCELED, undefined]
    if (hasEnded(run)) {
      const text = `The answer of the agent cannot be read: ${code}.`
      return [TaskState.TASK_STATE_FAILED, told([textPart(text)])]
    }
    if (run.awaiting.length > 0)
      return [TaskState.TASK_STATE_INPUT_REQUIRED, told(questionParts(run.awaiting.map(questionAlone)))]
    return [
      TaskState.TASK_STATE_WORKING,
      told([textPart(`The work cannot be followed at the moment: ${code}.`)]),
    ]
  })()
  return {
    id: run.runId,
    contextId: place.contextId,
    status: { state, message, timestamp: timeOf(changedAt(run)) },
    artifacts: [],
    history: message === undefined ? [] : [message],
    metadata: undefined,
  }
}

const defaultPageSize = 50

function isAny(state: TaskState): boolean {
  return state === TaskState.TASK_STATE_UNSPECIFIED
}

/** The place of a run in the list. */
type Place = Pick<ListedRun, 'runId' | 'startedAt' | 'updatedAt'>

function changedAt({ updatedAt, startedAt }: Place): number {
  return updatedAt ?? startedAt
}

function latestFirst(one: Place, other: Place): number {
  return changedAt(other) - changedAt(one) || (one.runId < other.runId ? -1 : 1)
}

function tokenOf(run: Place): string {
  return `${changedAt(run)}.${run.runId}`
}

function placeIn(token: string): Place {
  const [, at, runId = ''] = /^(\d+)\.(.+)$/.exec(token) ?? []
  if (at === undefined) throw new RequestMalformedError('pageToken must be the nextPageToken of a list.')
  return { startedAt: Number(at), runId }
}
