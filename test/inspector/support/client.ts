/** A client of the inspector, as the page is one. */
import { request } from 'node:http'
import type { Inspector } from 'troupe/inspector'
import { linesOf } from '../../../src/actors/text/lines.ts'
import type { StreamMessage } from '../../../src/inspector/wire/routes.ts'
import type { Row } from '../../../src/inspector/wire/rows.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class Client {
  readonly origin: string
  readonly token: string

  private constructor(url: string) {
    const { origin, hash } = new URL(url)
    this.origin = origin
    this.token = new URLSearchParams(hash.slice(1)).get('t') ?? ''
  }

  static async of(view: Inspector): Promise<Client> {
    return new Client(await view.url)
  }

  /** `url`: the address of the page, with its token. */
  static at(url: string): Client {
    return new Client(url)
  }

  /** A request as it stands: headers that a browser sets, such as `host`, may be given. */
  raw(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const asking = request(`${this.origin}${path}`, { method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', reject)
      })
      asking.on('error', reject)
      asking.end(body)
    })
  }

  ask(path: string, asked: Ask = {}): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.token}`, ...asked.headers }
    return this.raw(`/api${path}`, { ...asked, headers })
  }

  post(path: string, body: unknown): Promise<Reply> {
    const headers = { 'content-type': 'application/json' }
    return this.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** The JSON of an answer; throws for a refusal. */
  async get<Answer>(path: string): Promise<Answer> {
    const { status, text } = await this.ask(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text) as Answer
  }

  /** The messages of a stream, until it ends or the reader leaves. */
  async *stream(runId: string, query = ''): AsyncGenerator<StreamMessage, void> {
    const headers = { authorization: `Bearer ${this.token}` }
    const left = new AbortController()
    const address = `${this.origin}/api/runs/${encodeURIComponent(runId)}/stream${query}`
    const { ok, status, body } = await fetch(address, { headers, signal: left.signal })
    if (!ok || body === null) throw new Error(`stream: ${status}`)
    try {
      for await (const line of linesOf(body)) yield JSON.parse(line) as StreamMessage
    } finally {
      left.abort()
    }
  }

  /** All rows of a run, up to the first message of this type. */
  async rows(runId: string, until: StreamMessage['type'] = 'live'): Promise<readonly Row[]> {
    const rows: Row[] = []
    for await (const message of this.stream(runId)) {
      if (message.type === 'rows') rows.push(...message.rows)
      if (message.type === until) break
    }
    return rows
  }
}
