/** Schedules over HTTP, and the wake-up of the run that a schedule has started: under `authorize`, and never by a key alone. */
import { type Page, RunNotFoundError, type Schedule, TroupeError } from '../../index.ts'
import {
  type Call,
  type Route,
  assertNames,
  emptyResponse,
  incoming,
  jsonResponse,
  notFound,
  pageNames,
  pageOptionsIn,
  readBody,
  textsOf,
  wrongRequest,
} from '../../kit/wire/index.ts'
import type { ServedSchedule } from '../access/authorize.ts'
import type { Permitted } from '../access/gate.ts'
import { servedSchedule } from '../access/served-run.ts'
import type { ServedTroupe } from '../serving/options.ts'
import type { Serving } from '../serving/serving.ts'
import { pageFrom } from './lists.ts'
import { readAnswer } from './signals.ts'

export function scheduleRoutes(serving: Serving): readonly Route[] {
  /** A change of a schedule, once the caller has the right to it. */
  const changing =
    (change: (schedules: Schedules, key: string) => Promise<Schedule>) =>
    async ({ request, named }: Call): Promise<Response> => {
      const { key } = await permitted(serving, request, named['key'] ?? '')
      await nothingAsked(serving, request)
      return jsonResponse(servedSchedule(await change(schedulesOf(serving), key)))
    }
  return [
    {
      method: 'GET',
      path: '/schedules',
      answer: async (call) => jsonResponse(await listSchedules(serving, call)),
    },
    {
      method: 'POST',
      path: '/schedules/:key/pause',
      answer: changing((schedules, key) => schedules.pause(key)),
    },
    {
      method: 'POST',
      path: '/schedules/:key/resume',
      answer: changing((schedules, key) => schedules.resume(key)),
    },
    {
      method: 'DELETE',
      path: '/schedules/:key',
      async answer({ request, named }) {
        const { key } = await permitted(serving, request, named['key'] ?? '')
        await schedulesOf(serving).cancel(key)
        return emptyResponse()
      },
    },
    { method: 'POST', path: '/wake/:key', answer: (call) => wake(serving, call) },
  ]
}

type Schedules = NonNullable<ServedTroupe['schedules']>

function schedulesOf({ service }: Serving): Schedules {
  if (service.schedules === undefined) throw notFound('/schedules')
  return service.schedules
}

/** The error of a store that keeps no schedules. */
function isWithoutSchedules(error: unknown): boolean {
  return error instanceof TroupeError && error.code === 'STORE_LACKS_PORT'
}

/** A form of a foreign page cannot send such a body. */
async function nothingAsked({ options }: Serving, request: Request): Promise<void> {
  const [field] = Object.keys(await readBody(incoming(request), { bytes: options.maxBodyBytes }))
  if (field !== undefined) throw wrongRequest('the body must be {}.')
}

async function listSchedules(serving: Serving, { request, url }: Call): Promise<Page<ServedSchedule>> {
  const allowed = await serving.gate.toList(request, 'schedules')
  const schedules = schedulesOf(serving)
  assertNames(url.searchParams, [...pageNames, 'agent'])
  const { resourceId, threadId, conversationId } = allowed
  // A schedule has no thread and no conversation: who may see a part of a resource sees none.
  if (threadId !== undefined || conversationId !== undefined) return { items: [] }
  const filter = {
    ...pageOptionsIn(url.searchParams),
    ...textsOf(url.searchParams, 'agent'),
    ...(resourceId === undefined ? {} : { resourceId }),
  }
  const { items, next } = await pageFrom(() => listed(schedules, filter), filter)
  return { items: items.map(servedSchedule), ...(next === undefined ? {} : { next }) }
}

async function listed(
  schedules: Schedules,
  filter: Parameters<Schedules['list']>[0],
): Promise<Page<Schedule>> {
  try {
    return await schedules.list(filter)
  } catch (error) {
    throw isWithoutSchedules(error) ? notFound('/schedules') : error
  }
}

/** Rejects with a `TroupeError` of the code `SCHEDULE_NOT_FOUND` also for a schedule that the caller may not change. */
async function permitted(serving: Serving, request: Request, key: string): Promise<ServedSchedule> {
  const found = await find(serving, key)
  const schedule = found && servedSchedule(found)
  const isAllowed = await serving.gate.toSchedule(request, key, schedule)
  if (schedule === undefined || !isAllowed)
    throw new TroupeError('SCHEDULE_NOT_FOUND', `There is no schedule "${key}" in the store.`)
  return schedule
}

/** `undefined` also where the service keeps no schedules: a run can be woken by its own id. */
async function find({ service }: Serving, key: string): Promise<Schedule | undefined> {
  const { schedules } = service
  if (schedules === undefined || !isKey(key)) return undefined
  try {
    return await schedules.get(key)
  } catch (error) {
    if (isWithoutSchedules(error)) return undefined
    throw error
  }
}

function isKey(key: string): boolean {
  return /^[\w.-]{1,100}$/.test(key)
}

/** Gives data to the only call of the run that waits for data. `key`: of the schedule that has started the run, or the id of a run. */
async function wake(serving: Serving, { request, named }: Call): Promise<Response> {
  const { options, service } = serving
  const { run, access } = await runToWake(serving, request, named['key'] ?? '')
  const body = await readBody(incoming(request), { bytes: options.maxBodyBytes })
  if (Object.hasOwn(body, 'type') || Object.hasOwn(body, 'toolCallId'))
    throw wrongRequest('there is no field "type" and no field "toolCallId".')
  const [waiting, another] = run.awaiting.filter(({ type }) => type === 'suspension')
  if (waiting === undefined || another !== undefined)
    throw new TroupeError(
      'UNKNOWN_SIGNAL',
      waiting === undefined
        ? 'The run has no call that waits for data.'
        : 'Several calls of the run wait for data.',
    )
  const signal = readAnswer({ ...body, type: 'resume', toolCallId: waiting.toolCallId }, access)
  await service.signal(run.runId, signal)
  return emptyResponse()
}

/** Rejects as `toRun` of the gate, in words of the key alone: the id of a run tells when a schedule of somebody else has started it. */
async function runToWake(serving: Serving, request: Request, key: string): Promise<Permitted> {
  const runId = (await find(serving, key))?.last?.runId ?? key
  try {
    return await serving.gate.toRun(request, 'answer', runId)
  } catch (error) {
    throw error instanceof RunNotFoundError ? new RunNotFoundError(key) : error
  }
}
