/** The stop button of a chat: it cancels the run of the chat that is under way. A page that only leaves cancels nothing. */
import {
  type Call,
  type Route,
  aRunId,
  emptyResponse,
  incoming,
  readAs,
  readBody,
} from '../../kit/wire/index.ts'
import { aText, optional, readOptions, type Fields } from '../../kit/index.ts'
import { narrowed } from '../access/gate.ts'
import { servedRun } from '../access/served-run.ts'
import type { Serving } from './serving.ts'

interface CancelBody {
  /** Default: the run of the chat that began last. */
  readonly runId?: string
  readonly reason?: string
}

const fields: Fields<CancelBody> = { runId: optional(aRunId), reason: optional(aText) }

/** `path`: with `:agent`, and `:id` of the conversation. */
export function cancelRoute(serving: Serving, path: string): Route {
  return { method: 'POST', path, answer: (call) => cancelChat(serving, call) }
}

/** The status is 204 also where no run is under way: a cancel may be repeated. */
async function cancelChat(serving: Serving, { request, named }: Call): Promise<Response> {
  const { gate, service, options } = serving
  const allowed = await gate.toList(request, 'runs')
  const body = await readBody(incoming(request), { bytes: options.maxBodyBytes })
  const { runId, reason } = readAs(() => readOptions<CancelBody>(body, 'cancel', fields))
  const filter = narrowed(allowed, {
    conversationId: named['id'] ?? '',
    agent: named['agent'] ?? '',
    limit: 1,
    ...(runId === undefined ? {} : { runId }),
  })
  const { items } = filter === undefined ? { items: [] } : await service.runs(filter)
  const [run] = items.map(servedRun)
  if (run === undefined || run.status === 'ended') return emptyResponse()
  const { access } = await gate.toRun(request, 'cancel', run.runId)
  const { by } = access
  await service.signal(run.runId, {
    type: 'cancel',
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  })
  return emptyResponse()
}
