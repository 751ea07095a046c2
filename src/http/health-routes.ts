/**
 * What orchestrators ask. Every wire has these routes, and they ask nobody for a right: they tell nothing of a run.
 *
 *     GET    /health/live     200 for as long as the process answers
 *     GET    /health/ready    200 while the troupe takes runs; 503 once it drains or is closed
 */
import { jsonResponse, type Route } from '../kit/wire/index.ts'
import type { Serving } from './serving/serving.ts'

export function healthRoutes({ service }: Serving): readonly Route[] {
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
  ]
}
