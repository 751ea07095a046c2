/** Server-sent events as text. The specification is https://html.spec.whatwg.org/multipage/server-sent-events.html. */

/** One event of a stream. Its texts have no line breaks; the data is JSON, which has none. */
export interface SseEvent {
  /** A reader that comes back names the last one that it has. */
  readonly id?: string
  /** Default: `message`. */
  readonly event?: string
  readonly data: unknown
}

export function sseText({ id, event, data }: SseEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${JSON.stringify(data)}\n\n`
}

/** The first text of a stream: after how many milliseconds a reader comes back. */
export function sseRetry(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`
}

/** The end of a stream of the AI SDK. */
export const sseDone = 'data: [DONE]\n\n'

/** A comment: it shows both ends that the connection is there. */
export const sseHeartbeat = ':\n\n'
