/** The server of the page: it passes calls of the model on, with the key that no page has, and takes orders. */
import { Hono } from 'hono'
import type { ModelEndpoint } from '../../support/model.ts'
import { pageRoutes, servePage, type PageServer } from '../../support/page.ts'
import { Orders } from './orders.ts'

export interface OpenShop extends PageServer {
  readonly orders: Orders
}

/** `port`: 0 for any that is free. */
export async function openShop(endpoint: ModelEndpoint, port: number): Promise<OpenShop> {
  const orders = new Orders()
  const app = new Hono()
    .route('/', await pageRoutes(new URL('../page/', import.meta.url)))
    .get('/orders', (context) => context.json(orders.list))
    .post('/orders', async (context) => {
      const key = context.req.header('idempotency-key')
      if (key === undefined) return context.json({ error: 'An order needs an idempotency-key.' }, 400)
      return context.json(orders.place(key, await context.req.json()))
    })
    // Sign your users in before this in an app of yours: each call costs money.
    .post('/v1/chat/completions', ({ req }) => passedOn(req.raw, endpoint))
  return { ...(await servePage(app, port)), orders }
}

async function passedOn(request: Request, { baseURL, apiKey, modelId }: ModelEndpoint): Promise<Response> {
  const asked = (await request.json()) as object
  const answer = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ ...asked, model: modelId }),
    signal: request.signal,
  })
  const names = ['content-type', 'retry-after']
  const headers = names.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  return new Response(answer.body, { status: answer.status, headers })
}
