/** A client of a handler: requests in this process, and a reader of its streams. */
import type { RunEvent } from 'troupe'
import type { Handler } from 'troupe/http'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

type Sent = Omit<RequestInit, 'body'> & { readonly body?: unknown }

export class Client {
  readonly #send: Handler
  readonly #headers: Readonly<Record<string, string>>

  /** `headers`: of each request. */
  constructor(send: Handler, headers: Readonly<Record<string, string>> = {}) {
    this.#send = send
    this.#headers = headers
  }

  send(request: Request): Promise<Response> {
    return this.#send(request)
  }

  as(user: string): Client {
    return new Client(this.#send, { ...this.#headers, 'x-user': user })
  }

  /** A body is sent as JSON; a text and bytes as they are. */
  async response(method: string, path: string, { body, headers, ...init }: Sent = {}): Promise<Response> {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    return this.#send(
      new Request(`http://test.example${path}`, {
        method,
        ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...this.#headers,
          ...(headers as Record<string, string>),
        },
        ...init,
      }),
    )
  }

  async ask(method: string, path: string, sent: Sent = {}): Promise<Answered> {
    const response = await this.response(method, path, sent)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  get(path: string, sent?: Sent): Promise<Answered> {
    return this.ask('GET', path, sent)
  }

  post(path: string, body: unknown, sent?: Sent): Promise<Answered> {
    return this.ask('POST', path, { ...sent, body })
  }
}

/** One event of a stream, or a comment or retry, as it arrived. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: RunEvent
  readonly comment?: true
  readonly retry?: number
}

/** The frames of a stream, until it ends or its reader leaves. */
export async function* framesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Frame, void> {
  if (body === null) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
      const whole = text.split('\n\n')
      text = whole.pop() ?? ''
      for (const frame of whole) yield frameOf(frame)
    }
  } finally {
    await reader.cancel()
  }
}

function frameOf(text: string): Frame {
  const lines = text.split('\n')
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const [id, event, data, retry] = [field('id'), field('event'), field('data'), field('retry')]
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    ...(data === undefined ? {} : { data: JSON.parse(data) as RunEvent }),
    ...(text.startsWith(':') ? { comment: true as const } : {}),
    ...(retry === undefined ? {} : { retry: Number(retry) }),
  }
}

/** All events of a stream that ends. */
export async function eventsOf(response: Response): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const { data } of framesOf(response.body)) if (data !== undefined) events.push(data)
  return events
}

/** Reads events until one of them fits, and leaves. */
export async function readUntil(
  response: Response,
  isLast: (event: RunEvent) => boolean,
): Promise<{ readonly events: readonly RunEvent[]; readonly lastId: string | undefined }> {
  const events: RunEvent[] = []
  let lastId: string | undefined
  for await (const { id, data } of framesOf(response.body)) {
    if (data === undefined) continue
    events.push(data)
    lastId = id
    if (isLast(data)) break
  }
  return { events, lastId }
}
