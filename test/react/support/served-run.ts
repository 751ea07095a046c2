/** The routes of a run as `troupe/http` has them, with faults that a test asks for. */
import type { RunSignal, Troupe } from 'troupe'

export interface Served {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Each request: its method and path, and the cursor of a stream. */
  readonly requests: { readonly what: string; readonly after: string | null; readonly token: string | null }[]
  /** The streams that their readers have left. */
  left: number
  /** The next stream ends after so many events. */
  cutAfter: number | undefined
  /** The next requests are answered with these statuses. */
  readonly refusals: number[]
}

export function serve(troupe: Troupe): Served {
  const served: Served = { requests: [], left: 0, cutAfter: undefined, refusals: [], fetch: answer }
  async function answer(url: string, init: RequestInit): Promise<Response> {
    const request = new Request(url, { ...init, signal: null })
    const [, runId = '', route = ''] = /\/runs\/([^/]+)\/(\w+)$/.exec(request.url) ?? []
    const after = request.headers.get('last-event-id')
    served.requests.push({
      what: `${request.method} ${route}`,
      after,
      token: request.headers.get('authorization'),
    })
    const status = served.refusals.shift()
    if (status !== undefined) {
      return Response.json({ error: { code: 'REFUSED_HERE', message: 'Not now.' } }, { status })
    }
    if (route === 'events') return stream(troupe, runId, after, served, init.signal ?? undefined)
    const body = (await request.json()) as object
    const type = { messages: 'say', cancel: 'cancel' }[route]
    try {
      await troupe.signal(runId, { ...body, ...(type === undefined ? {} : { type }) } as RunSignal)
    } catch (error) {
      const { code, message } = error as { readonly code: string; readonly message: string }
      return Response.json({ error: { code, message } }, { status: 409 })
    }
    return new Response(null, { status: 204 })
  }
  return served
}

function stream(
  troupe: Troupe,
  runId: string,
  after: string | null,
  served: Served,
  signal: AbortSignal | undefined,
): Response {
  const events = troupe.watch(runId, after === null ? {} : { after })[Symbol.asyncIterator]()
  let left = served.cutAfter ?? Infinity
  served.cutAfter = undefined
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('retry: 1\n\n'))
      signal?.addEventListener('abort', () => {
        served.left++
        void events.return?.()
        controller.error(signal.reason)
      })
    },
    async pull(controller) {
      const next = left-- > 0 ? await events.next() : undefined
      if (next === undefined || next.done === true) {
        await events.return?.()
        if (signal?.aborted !== true) controller.close()
        return
      }
      const { cursor, ...event } = next.value
      controller.enqueue(encoder.encode(`id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
