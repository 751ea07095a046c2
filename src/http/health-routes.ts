/**
 * What orchestrators and operators ask. Every wire has these routes. The first two ask nobody for a right, for they tell nothing of
 * a run; the others ask `authorize`.
 *
 *     GET    /health/live     200 for as long as the process answers
 *     GET    /health/ready    200 while the troupe takes runs; 503 once it drains or is closed
 *     GET    /health          TroupeHealth; 503 where something is wrong
 *     GET    /health/stats    ?settled=true → the numbers of `stats`
 */
import {
  assertNames,
  jsonResponse,
  notFound,
  wrongRequest,
  type Call,
  type Route,
} from '../kit/wire/index.ts'
import type { Serving } from './serving/serving.ts'

export function healthRoutes({ service, gate }: Serving): readonly Route[] {
  return [
    { method: 'GET', path: '/health/live', answer: async () => jsonResponse({ status: 'live' }) },
    {
      method: 'GET',
      path: '/health/ready',
      async answer() {
        const { phase = 'open' } = service
        return jsonResponse({ status: phase }, phase === 'open' ? 200 : 503)
      },
    },
    {
      method: 'GET',
      path: '/health',
      async answer({ request, url }) {
        await gate.toStats(request)
        if (service.health === undefined) throw notFound(url.pathname)
        const health = await service.health()
        return jsonResponse(health, health.ok ? 200 : 503)
      },
    },
    {
      method: 'GET',
      path: '/health/stats',
      async answer({ request, url }) {
        await gate.toStats(request)
        const settled = settledIn(url)
        if (service.stats === undefined) throw notFound(url.pathname)
        return jsonResponse(await service.stats({ settled }))
      },
    },
  ]
}

/** Whether ended runs are counted. Throws a `RefusedRequest`. */
function settledIn({ searchParams }: Call['url']): boolean {
  assertNames(searchParams, ['settled'])
  const text = searchParams.get('settled') ?? 'false'
  if (text !== 'true' && text !== 'false') throw wrongRequest('settled must be true or false.')
  return text === 'true'
}
