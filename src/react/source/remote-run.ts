/** A run behind the routes of `troupe/http`. */
import type { RunEvent, RunSignal } from '../../index.ts'
import { type Expected, askUser, isRecord } from '../../kit/index.ts'
import { asTroupeError, RequestError, requestErrorOf } from './failures.ts'
import type { OpenRun, UseRunOptions, RunSource } from './run-source.ts'
import { serverSentEvents, type ServerSentEvent } from './server-sent-events.ts'

/** `url`: of the run, for example `/api/runs/r1`. */
export function remoteRun(url: string): RunSource {
  const base = url.replace(/\/$/, '')
  return {
    key: [base, ''],
    isRemote: true,
    async open(after, signal, options) {
      const accept = { accept: 'text/event-stream' }
      const headers = after === undefined ? accept : { ...accept, 'last-event-id': after }
      return openRun(await request(`${base}/events`, { headers, signal, cache: 'no-store' }, options))
    },
    async send(signal, options) {
      const [path, body] = bodyOf(signal)
      const headers = { 'content-type': 'application/json' }
      await request(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }, options)
    },
  }
}

type Sent = Omit<RequestInit, 'headers'> & { readonly headers: Readonly<Record<string, string>> }

const someHeaders: Expected<Readonly<Record<string, string>>> = {
  words: 'an object of texts',
  fits: (answer): answer is Readonly<Record<string, string>> =>
    isRecord(answer) && Object.values(answer).every((value) => typeof value === 'string'),
}

/** Rejects with a `RequestError`, or with `CONNECTION_LOST` where the server is not reached. */
async function request(
  url: string,
  init: Sent,
  { headers, fetch = globalThis.fetch }: UseRunOptions,
): Promise<Response> {
  const own =
    typeof headers === 'function' ? await askUser('headers of useRun', headers, someHeaders) : headers
  const response = await reached(() => fetch(url, { ...init, headers: { ...own, ...init.headers } }))
  if (!response.ok) throw await requestErrorOf(response)
  return response
}

async function reached(ask: () => Promise<Response>): Promise<Response> {
  try {
    return await ask()
  } catch (error) {
    throw asTroupeError(error)
  }
}

/**
 * Without a body: the run has ended, and the reader has all of it. Throws a `RequestError` for anything but events, such as the
 * page of an app that answers every address with it.
 */
function openRun({ status, headers, body }: Response): OpenRun {
  if (body === null) return { events: nothing(), retryIn: () => undefined }
  const type = headers.get('content-type') ?? ''
  if (!/^text\/event-stream\s*(?:;|$)/i.test(type)) {
    body.cancel().catch(() => undefined) // the answer is not read, and the connection may be lost by now
    throw new RequestError(
      status,
      'REQUEST_FAILED',
      `The server has no events here: it has sent ${type || 'no type'}.`,
    )
  }
  const { groups, retryIn } = serverSentEvents(body)
  return { events: eventsOf(groups), retryIn }
}

async function* nothing(): AsyncGenerator<never, void> {}

async function* eventsOf(
  groups: AsyncIterable<readonly ServerSentEvent[]>,
): AsyncGenerator<readonly RunEvent[], void> {
  for await (const group of groups) {
    yield group.filter(({ event }) => event === 'message').map(eventOf)
    const failure = group.find(({ event }) => event === 'failure')
    if (failure !== undefined) throw failureOf(failure)
  }
}

/** The id of an event is its cursor. */
function eventOf({ id, data }: ServerSentEvent): RunEvent {
  const event = JSON.parse(data) as RunEvent
  return id === '' ? event : { ...event, cursor: id }
}

/** The stream ends with an error of the server. Where the run cannot be read at all, the next request is refused. */
function failureOf({ data }: ServerSentEvent): RequestError {
  const { code, message } = JSON.parse(data) as { readonly code: string; readonly message: string }
  return new RequestError(500, code, message)
}

/** The route of a signal, and its body there. */
function bodyOf(signal: RunSignal): readonly [path: string, body: object] {
  switch (signal.type) {
    case 'say': {
      const { type: _type, ...message } = signal
      return ['messages', message]
    }
    case 'cancel': {
      const { type: _type, ...cancel } = signal
      return ['cancel', cancel]
    }
    default:
      return ['answers', signal]
  }
}
