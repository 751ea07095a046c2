/** The `fetch` of an agent of another system: it keeps credentials at their host, and limits the size of replies. */
import { RetryableError, TerminalError } from '../../index.ts'
import { retryAfterMs, withinPatience } from '../../kit/index.ts'
import { within } from '../messages/within.ts'

export interface Guard {
  /** The id of the agent. */
  readonly agent: string
  readonly fetch: typeof fetch
  /** The origins that requests may go to. */
  readonly origins: ReadonlySet<string>
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Bytes of one reply. */
  readonly maxReplyBytes: number
}

/** Rejects with a `TroupeError` for a request to another host, a redirect, a server that is not available. */
export function guardedFetch(guard: Guard): typeof fetch {
  const { agent, origins } = guard
  return async (target, init) => {
    const url = new URL(target instanceof Request ? target.url : target)
    if (!origins.has(url.origin)) {
      const message = `The card of "${agent}" names ${url.origin}. Requests go to ${[...origins].join(', ')} alone.`
      throw new TerminalError(message, { code: 'REMOTE_CARD_INVALID' })
    }
    const signal = init?.signal ?? new AbortController().signal
    const given = await within(signal, guard.headers())
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(given)) headers.set(name, value)
    const response = await asked(guard, url, { ...init, headers, signal, redirect: 'manual' })
    assertAnswers(response, agent)
    return limited(response, guard, signal)
  }
}

type Init = RequestInit & { readonly signal: AbortSignal }

async function asked({ agent, fetch }: Guard, url: URL, init: Init): Promise<Response> {
  const { signal } = init
  try {
    return await within(signal, fetch(url.href, init))
  } catch (error) {
    if (signal.aborted) throw error
    throw new RetryableError(`"${agent}" cannot be reached.`, { code: 'REMOTE_UNREACHABLE', cause: error })
  }
}

function assertAnswers({ status, type, headers }: Response, agent: string): void {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    throw new TerminalError(`"${agent}" redirects its requests.`, { code: 'REMOTE_REDIRECTED' })
  if (status === 401 || status === 403)
    throw new TerminalError(`"${agent}" refuses the credentials: ${status}.`, { code: 'REMOTE_UNAUTHORIZED' })
  if (status !== 408 && status !== 425 && status !== 429 && status < 500) return
  const after = retryAfterMs(headers, Date.now())
  const wait = after === undefined ? {} : { retryAfterMs: after }
  throw withinPatience(
    new RetryableError(`"${agent}" is not available: ${status}.`, { code: 'REMOTE_UNAVAILABLE', ...wait }),
  )
}

/** The body ends with an error where it is too long, where the connection breaks, and when `signal` fires. */
function limited(response: Response, guard: Guard, signal: AbortSignal): Response {
  const { body, status, statusText, headers } = response
  if (body === null) return response
  return new Response(limitedBody(body.getReader(), guard, signal), { status, statusText, headers })
}

/** Counts decompressed bytes: these take the memory. */
function limitedBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { agent, maxReplyBytes }: Guard,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let bytes = 0
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await within(signal, reader.read()).catch((error: unknown) => {
      if (signal.aborted) throw error
      const message = `The connection to "${agent}" broke within a reply.`
      throw new RetryableError(message, { code: 'REMOTE_UNREACHABLE', cause: error })
    })
    if (done) return undefined
    bytes += value.byteLength
    if (bytes <= maxReplyBytes) return value
    const message = `"${agent}" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`
    throw new TerminalError(message, { code: 'REMOTE_REPLY_TOO_LARGE' })
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const chunk = await next()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      } catch (error) {
        controller.error(error)
        // The reply is given up: why its connection cannot be closed does not matter beside that.
        await reader.cancel(error).catch(() => undefined)
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
    },
  })
}
