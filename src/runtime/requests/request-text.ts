/** Reads the body of a request of the web: a text of bounded size. */

/** `tooLong`: it has more bytes than allowed. `cutOff`: the client has left in the midst of it. */
export type RequestText = { readonly text: string } | { readonly unread: 'tooLong' | 'cutOff' | 'notUtf8' }

/** `longest`: in bytes. Does not reject. */
export async function requestText({ body, headers }: Request, longest: number): Promise<RequestText> {
  if (Number(headers.get('content-length') ?? 0) > longest) return { unread: 'tooLong' }
  if (body === null) return { text: '' }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  let [text, size] = ['', 0]
  for (;;) {
    const read = await reader.read().catch(() => undefined)
    if (read === undefined) return { unread: 'cutOff' }
    size += read.value?.byteLength ?? 0
    if (size > longest) {
      await reader.cancel().catch(() => undefined) // the sender gets the refusal
      return { unread: 'tooLong' }
    }
    const piece = decoded(decoder, read.value)
    if (piece === undefined) return { unread: 'notUtf8' }
    text += piece
    if (read.done) return { text }
  }
}

/** `bytes`: `undefined` at the end. */
function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined): string | undefined {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    return undefined
  }
}
