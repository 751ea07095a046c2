/** Limits the text of a response, with no stream of its own: the limit costs nothing where the body is known to fit. */
import { isKnownToFit, tooLarge, type ReplyLimit } from './reply-limit.ts'

/**
 * The same response. `text` and `json` reject with a `TerminalError`, `MODEL_REPLY_TOO_LARGE`, where the body is larger:
 * the driver calls them, or the client where a method that was replaced on its class lets it.
 */
export function withLimitedText(response: Response, limit: ReplyLimit): Response {
  if (isKnownToFit(response, limit)) return response
  if (!(response.body instanceof ReadableStream)) return response // of a `fetch` with streams of its own
  const text = (): Promise<string> => readText(response, limit)
  const json = async (): Promise<unknown> => JSON.parse(await text()) as unknown
  // Defined, not assigned: those of a `Response` that a server framework has put in its place may be getters.
  return Object.defineProperties(response, {
    text: { configurable: true, value: text },
    json: { configurable: true, value: json },
  })
}

/** Its body is another once the response has been cloned. */
async function readText({ body }: Response, limit: ReplyLimit): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > limit.maxReplyBytes) {
      void reader.cancel().catch(() => undefined) // the caller gets the refusal
      throw tooLarge(limit)
    }
    text += decoder.decode(value, { stream: true })
  }
}
