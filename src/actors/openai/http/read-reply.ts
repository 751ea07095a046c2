/**
 * Reads the body of a reply. The client would read it too, with a timer and a listener for each body, and without a
 * limit.
 */
import { isKnownToFit, tooLarge, type ReplyLimit } from './reply-limit.ts'

/**
 * Fulfils with the value of a JSON body, with `undefined` for an empty one, and with the text of a body of any other type.
 * Rejects with a `SyntaxError` for a body that is no JSON although its type says so, and with a `TerminalError`,
 * `MODEL_REPLY_TOO_LARGE`.
 */
export async function readReply(response: Response, limit: ReplyLimit): Promise<unknown> {
  const text = await readText(response, limit)
  if (text === '') return undefined
  return isJson(response) ? (JSON.parse(text) as unknown) : text
}

export function isJson({ headers }: Response): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type')?.trim() ?? '')
}

async function readText(response: Response, limit: ReplyLimit): Promise<string> {
  if (isKnownToFit(response, limit)) return response.text()
  const { body } = response
  if (!(body instanceof ReadableStream)) return response.text() // of a `fetch` with streams of its own
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
