/** The response of a `fetch` over the HTTP of Node. Its body becomes a stream of the platform where one is asked for. */
import type { IncomingBody } from './incoming-body.ts'

export interface ResponseFacts {
  readonly url: string
  readonly isRedirected: boolean
  readonly status: number | undefined
  readonly statusText: string | undefined
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
}

const utf8 = new TextDecoder()

export class IncomingResponse extends Response {
  readonly #facts: ResponseFacts
  /** `undefined`: there is none. */
  readonly #incoming: IncomingBody | undefined
  #isRead = false
  /** The response as the platform makes it, for all that needs a stream. */
  #streamed: Response | undefined

  /** Throws for a status that is none of a response. */
  constructor(facts: ResponseFacts, incoming: IncomingBody | undefined) {
    super(null, { status: facts.status ?? 0, statusText: facts.statusText ?? '' })
    this.#facts = facts
    this.#incoming = incoming
    const { rawHeaders } = facts
    for (let index = 0; index < rawHeaders.length; index += 2) {
      this.headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
    }
  }

  override get url(): string {
    return this.#facts.url
  }

  override get redirected(): boolean {
    return this.#facts.isRedirected
  }

  override get body(): Response['body'] {
    return this.#incoming === undefined ? null : this.#asStreamed(this.#incoming).body
  }

  override get bodyUsed(): boolean {
    return this.#isRead || this.#streamed?.bodyUsed === true
  }

  override async text(): Promise<string> {
    const incoming = this.#unread()
    return incoming === undefined ? this.#other().text() : utf8.decode(await incoming.whole())
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }

  override async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const incoming = this.#unread()
    return new Uint8Array(incoming === undefined ? await this.#other().arrayBuffer() : await incoming.whole())
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer
  }

  override async blob(): Promise<Blob> {
    return this.#other().blob()
  }

  override async formData(): Promise<FormData> {
    return this.#other().formData()
  }

  override clone(): Response {
    const { url, redirected } = this
    const clone = this.#other().clone()
    return Object.defineProperties(clone, { url: { value: url }, redirected: { value: redirected } })
  }

  /** The body, which is read with this call; `undefined` where another has it. */
  #unread(): IncomingBody | undefined {
    if (this.#isRead || this.#streamed !== undefined || this.#incoming === undefined) return undefined
    this.#isRead = true
    return this.#incoming
  }

  #other(): Response {
    return this.#asStreamed(this.#incoming)
  }

  #asStreamed(incoming: IncomingBody | undefined): Response {
    if (this.#streamed !== undefined) return this.#streamed
    const { status, statusText, headers } = this
    const body = this.#isRead ? new ReadableStream() : (incoming?.stream() ?? null)
    this.#streamed = new Response(body, { status, statusText, headers })
    if (this.#isRead) this.#streamed.body?.getReader() // a body that was read stays locked
    return this.#streamed
  }
}
