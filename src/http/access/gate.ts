/** Asks `authorize` about requests, and holds runs and lists to its answer. */
import { type PageOptions, type RunFilter, RunNotFoundError, type RunService } from '../../index.ts'
import {
  type Fields,
  aName,
  askUser,
  either,
  oneOf,
  optional,
  readOptions,
  required,
  whatever,
} from '../../kit/index.ts'
import { forbidden } from '../../kit/wire/index.ts'
import { readNames } from '../../kit/host.ts'
import type { Access, AccessRequest, Authorize, Right, ServedRun, ServedSchedule } from './authorize.ts'
import { servedRun } from './served-run.ts'

/** A request that `authorize` has answered itself. */
export class AnsweredRequest extends Error {
  readonly response: Response

  constructor(response: Response) {
    super('authorize has answered the request.')
    this.response = response
  }
}

/** A run, and what its caller may do with it. */
export interface Permitted {
  readonly run: ServedRun
  readonly access: Access
}

const fields: Fields<Access> = {
  resource: required(
    either(
      (given) => given === null,
      (given) => given,
      aName,
    ),
  ),
  threadId: optional(aName),
  conversationId: optional(aName),
  by: optional(aName),
  clientTools: optional(
    either(
      (given) => typeof given === 'string',
      oneOf('all'),
      (given, where) => readNames(given, where, true),
    ),
  ),
}

const everything: Access = { resource: null }

export class Gate {
  readonly #index: Pick<RunService, 'runs'>
  readonly #authorize: Authorize | 'everybody'

  constructor(index: Pick<RunService, 'runs'>, authorize: Authorize | 'everybody') {
    this.#index = index
    this.#authorize = authorize
  }

  /** Rejects with a `RefusedRequest` of the status 403. */
  async toStart(request: Request, agent: string): Promise<Access> {
    const access = await this.#ask(request, { of: 'agent', right: 'start', agent })
    if (access === false) throw forbidden()
    return access
  }

  /** Resolves with the filter of the list. Rejects with a `RefusedRequest` of the status 403. */
  async toList(request: Request, of: 'runs' | 'questions' | 'schedules'): Promise<ListFilter> {
    const access = await this.#ask(request, { of, right: 'read' })
    if (access === false) throw forbidden()
    return filterOf(access)
  }

  /** Whether the caller may change the schedule: who has a part of a resource alone may not. */
  async toSchedule(request: Request, key: string, schedule: ServedSchedule | undefined): Promise<boolean> {
    const access = await this.#ask(request, { of: 'schedule', right: 'cancel', key, schedule })
    if (access === false || schedule === undefined) return false
    if (access.threadId !== undefined || access.conversationId !== undefined) return false
    return access.resource === null || access.resource === schedule.resourceId
  }

  /** Numbers are those of all runs: who may see a part of them sees none. Rejects with a `RefusedRequest` of the status 403. */
  async toStats(request: Request): Promise<void> {
    const access = await this.#ask(request, { of: 'stats', right: 'read' })
    if (access === false || access.resource !== null) throw forbidden()
    if (access.threadId !== undefined || access.conversationId !== undefined) throw forbidden()
  }

  /**
   * Rejects with a `RunNotFoundError` for a run that is not there, and for one that the caller may not read; with a
   * `RefusedRequest` of the status 403 for one that it may read alone.
   */
  async toRun(request: Request, right: Exclude<Right, 'start'>, runId: string): Promise<Permitted> {
    const run = await this.find(runId)
    const access = await this.#ask(request, { of: 'run', right, runId, run })
    if (run === undefined) throw new RunNotFoundError(runId)
    if (access !== false && covers(access, run)) return { run, access }
    if (right !== 'read' && (await this.mayRead(request, run))) throw forbidden()
    throw new RunNotFoundError(runId)
  }

  async mayRead(request: Request, run: ServedRun): Promise<boolean> {
    const access = await this.#ask(request, { of: 'run', right: 'read', runId: run.runId, run })
    return access !== false && covers(access, run)
  }

  async find(runId: string): Promise<ServedRun | undefined> {
    const { items } = await this.#index.runs({ runId, limit: 1 })
    const found = items.find((run) => run.runId === runId)
    return found && servedRun(found)
  }

  async #ask(request: Request, asked: AccessRequest): Promise<Access | false> {
    const authorize = this.#authorize
    if (authorize === 'everybody') return everything
    const answer = await askUser('authorize of createHandler', () => authorize(request, asked), whatever)
    if (answer === false) return false
    if (isResponse(answer)) throw new AnsweredRequest(answer)
    return readOptions<Access>(answer, 'the answer of authorize', fields)
  }
}

/** Also a `Response` of another realm, or of a server that puts its own class in the place of the global one. */
function isResponse(answer: unknown): answer is Response {
  return Object.prototype.toString.call(answer) === '[object Response]'
}

/** What a list is held to, as the store filters it. */
export type ListFilter = Pick<RunFilter, 'resourceId' | 'threadId' | 'conversationId'>

/** Whether the caller may have the run. */
export function covers({ resource, threadId, conversationId }: Access, run: ServedRun): boolean {
  return (
    (resource === null || run.resourceId === resource) &&
    (threadId === undefined || run.threadId === threadId) &&
    (conversationId === undefined || run.conversationId === conversationId)
  )
}

/** What lists are held to, and runs that the caller starts. */
export function filterOf({ resource, threadId, conversationId }: Access): ListFilter {
  return {
    ...(resource === null ? {} : { resourceId: resource }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}

/**
 * The filter of a list for which the client gives one too: where both name a value, it must be the same; `undefined`: the
 * list has nothing in it.
 */
export function narrowed<Filter extends ListFilter & PageOptions>(
  allowed: ListFilter,
  given: Filter,
): (Filter & ListFilter) | undefined {
  const names = ['resourceId', 'threadId', 'conversationId'] as const
  const differs = names.some(
    (name) => allowed[name] !== undefined && given[name] !== undefined && allowed[name] !== given[name],
  )
  return differs ? undefined : { ...given, ...allowed }
}
