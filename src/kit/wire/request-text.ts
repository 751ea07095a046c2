/** Reads the body of a request: a text of bounded size. */

/** `tooLong`: it has more bytes than allowed. `cutOff`: the client has left in the midst of it. */
export type RequestText = { readonly text: string } | { readonly unread: 'tooLong' | 'cutOff' | 'notUtf8' }

/** A request as any server has it. */
export interface Incoming {
  /** `name`: in lower case. */
  readonly header: (name: string) => string | undefined
  /** Begins to read the bytes of its body; `undefined`: it has none. */
  readonly body: () => Pieces | undefined
}

/** The bytes of a body, in pieces. */
export interface Pieces {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>
  /** Nothing more is read. */
  cancel(): Promise<unknown>
}

/** A request of the web. */
export function incoming({ headers, body }: Request): Incoming {
  return { header: (name) => headers.get(name) ?? undefined, body: () => body?.getReader() }
}

/** `longest`: in bytes. Does not reject. */
export async function requestText(request: Incoming, longest: number): Promise<RequestText> {
  const body = request.body()
  if (body === undefined) return { text: '' }
  const tooLong = async (): Promise<RequestText> => {
    await body.cancel().catch(() => undefined) // the sender gets the refusal
    return { unread: 'tooLong' }
  }
  if (Number(request.header('content-length') ?? 0) > longest) return tooLong()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, size] = ['', 0]
  for (;;) {
    const read = await body.read().catch(() => undefined)
    if (read === undefined) return { unread: 'cutOff' }
    size += read.value?.byteLength ?? 0
    if (size > longest) return tooLong()
    const piece = decoded(decoder, read.value)
    if (piece === undefined) return { unread: 'notUtf8' }
    text += piece
    if (read.done === true) return { text }
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
