/** Reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. */

/** One event of a stream. */
export interface ServerSentEvent {
  /** The id of the event, or of the last one before that has one. */
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface ServerSentEvents {
  /** The events that have arrived together. */
  readonly groups: AsyncGenerator<readonly ServerSentEvent[], void>
  /** Milliseconds after which a reader comes back, where the stream has said so. */
  readonly retryIn: () => number | undefined
}

export function serverSentEvents(body: ReadableStream<Uint8Array>): ServerSentEvents {
  const parser = new Parser()
  return { groups: groupsOf(body, parser), retryIn: () => parser.retryIn }
}

async function* groupsOf(
  body: ReadableStream<Uint8Array>,
  parser: Parser,
): AsyncGenerator<readonly ServerSentEvent[], void> {
  const reader = body.getReader()
  // The mark at the beginning is the parser's: Node's decoder drops two of them where the first comes in pieces.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = parser.take(decoder.decode(part.value, { stream: true }))
      if (events.length > 0) yield events
    }
  } finally {
    await reader.cancel()
  }
}

class Parser {
  retryIn: number | undefined
  /** The pieces of the last line, which are joined once: a line may come in many. */
  #pending: string[] = []
  /** What is dropped where the next text begins with it: a byte order mark, or the second half of a line break. */
  #dropped: '\u{FEFF}' | '\n' | undefined = '\u{FEFF}'
  #id = ''
  #event = ''
  #data: string[] = []

  /** The events that are complete with this text. An event without an end is dropped with the stream. */
  take(text: string): ServerSentEvent[] {
    if (text === '') return []
    const rest = text[0] === this.#dropped ? text.slice(1) : text
    this.#dropped = text.endsWith('\r') ? '\n' : undefined
    this.#pending.push(rest)
    if (!/[\r\n]/.test(rest)) return []
    const lines = this.#pending.join('').split(/\r\n|\n|\r/)
    this.#pending = lines.splice(-1)
    return lines.flatMap((line) => this.#line(line))
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    switch (name) {
      case 'id':
        if (!value.includes('\0')) this.#id = value
        break
      case 'event':
        this.#event = value
        break
      case 'data':
        this.#data.push(value)
        break
      case 'retry':
        if (/^\d+$/.test(value)) this.retryIn = Number(value)
        break
      default: // a comment, or a field that is not known
    }
    return []
  }

  #dispatch(): ServerSentEvent[] {
    const [event, data] = [this.#event === '' ? 'message' : this.#event, this.#data]
    this.#event = ''
    this.#data = []
    return data.length === 0 ? [] : [{ id: this.#id, event, data: data.join('\n') }]
  }
}
