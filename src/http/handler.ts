/** `createHandler`: runs over HTTP, as a function from a request to its response. */
import { type Reporter, cannotGoOn, defaultsOf, readOptions, reporterOf } from '../kit/index.ts'
import type { AgentDefinition } from '../index.ts'
import { findRoute, refusalOf, refusalResponse, serverFailure } from '../kit/wire/index.ts'
import { AnsweredRequest, Gate } from './access/gate.ts'
import {
  aServedTroupe,
  handlerFields,
  type HandlerOptions,
  type ServedTroupe,
  type WireName,
} from './serving/options.ts'
import { servedEvents } from './serving/served-errors.ts'
import type { Serving, Wire } from './serving/serving.ts'
import { fileRoute } from './files/route.ts'
import { healthRoutes } from './health-routes.ts'
import { aiSdkWire } from './ai-sdk-wire/wire.ts'
import { agUiWire } from './ag-ui-wire/wire.ts'
import { troupeWire } from './troupe-wire/wire.ts'

const wires: Readonly<Record<WireName, Wire>> = {
  troupe: troupeWire,
  'ai-sdk': aiSdkWire,
  'ag-ui': agUiWire,
}

/** Answers requests; it never rejects. */
export type Handler = (request: Request) => Promise<Response>

/**
 * Serves the runs of a troupe over HTTP: starts them, streams their events, passes on the answers, messages and cancels of
 * people, and lists runs and open questions. It is a function from a `Request` to its `Response`, as Hono, Next.js, Bun and
 * Deno take it. A run goes on when its reader leaves. Throws a `ConfigurationError` for a wrong option.
 */
export function createHandler(troupe: ServedTroupe, options: HandlerOptions): Handler {
  const service = aServedTroupe(troupe, 'createHandler') as ServedTroupe
  const read = {
    ...defaultsOf(handlerFields),
    ...readOptions<HandlerOptions>(options, 'createHandler', handlerFields),
  }
  const { authorize, agents = [], wire, errors, onError } = read
  const base = asInAddresses(read.base)
  const report = reporterOf(onError)
  const serving: Serving = {
    service,
    gate: new Gate(service, authorize),
    agents: new Map((agents as readonly AgentDefinition[]).map((agent) => [agent.id, agent])),
    options: { ...read, base },
    report,
    served: servedEvents(errors, report),
  }
  const routes = [...wires[wire](serving), fileRoute(serving), ...healthRoutes(serving)]
  return async (request) => {
    try {
      const [route, call] = findRoute(routes, base, request)
      return await route.answer(call)
    } catch (error) {
      return answerTo(error, request, report)
    }
  }
}

/** A path as the addresses of requests have it. */
function asInAddresses(base: string): string {
  return base === '' ? '' : new URL(`http://server${base}`).pathname
}

function answerTo(error: unknown, request: Request, report: Reporter): Response {
  if (error instanceof AnsweredRequest) return error.response
  const refusal = refusalOf(error)
  // A client can do nothing about a run that cannot go on: the report tells whoever can.
  if (refusal === undefined || cannotGoOn(error)) {
    const { pathname: path } = new URL(request.url)
    const asked = { method: request.method, path }
    const message = 'a request could not be answered'
    report({ message, code: 'REQUEST_NOT_ANSWERED', where: 'request', error, request: asked })
  }
  return refusalResponse(refusal ?? serverFailure(error))
}
