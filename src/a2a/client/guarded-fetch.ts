/** The `fetch` of an agent of another system: it keeps credentials at their host, and limits the size of replies. */
import { retryAfterMs } from '../../actors/openai/failures/retry-after.ts'
import { RetryableError, TerminalError } from '../../errors.ts'

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
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(await guard.headers())) headers.set(name, value)
    const response = await asked(guard, url, { ...init, headers, redirect: 'manual' })
    assertAnswers(response, agent)
    return limited(response, guard)
  }
}

async function asked({ agent, fetch }: Guard, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url.href, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
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
  throw new RetryableError(`"${agent}" is not available: ${status}.`, {
    code: 'REMOTE_UNAVAILABLE',
    ...(after === undefined ? {} : { retryAfterMs: after }),
  })
}

/** Counts decompressed bytes: these take the memory. */
function limited(response: Response, { agent, maxReplyBytes }: Guard): Response {
  const { body, status, statusText, headers } = response
  if (body === null) return response
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxReplyBytes) return controller.enqueue(chunk)
      const message = `"${agent}" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`
      controller.error(new TerminalError(message, { code: 'REMOTE_REPLY_TOO_LARGE' }))
    },
  })
  return new Response(body.pipeThrough(counted), { status, statusText, headers })
}
