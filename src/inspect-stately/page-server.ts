/**
 * A page on this machine that shows the runs of this process. It is served to this machine alone, under an address that
 * holds a random token; its messages (`GET /<token>/messages`, server-sent events) go to no other page. A late reader
 * receives the earlier messages.
 */
import { isLoopback, isToken, nameIn, randomToken } from '../kit/host.ts'
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { randomUUID, createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Backlog, type Written } from './backlog.ts'
import type { ReportFailure } from './report-once.ts'
import { withinGrace, type Transport } from './transport.ts'

const host = '127.0.0.1'
/** Bytes that may wait for a reader; a slower reader is disconnected, and reconnects for the rest. */
const maxBuffered = 2 ** 25

export class PageServer implements Transport {
  /** `undefined` when the server could not start. */
  readonly address: Promise<string | undefined>
  readonly #html: string
  readonly #policy: string
  readonly #token = randomToken()
  readonly #history: Backlog
  readonly #readers = new Set<ServerResponse>()
  readonly #server = createServer((request, response) => this.#answer(request, response))
  /** Distinguishes the messages of this process from those of one that had the port before. */
  readonly #series = randomUUID()

  constructor(port: number, inspectorPage: URL, report: ReportFailure) {
    this.#html = pageHtml(inspectorPage)
    this.#policy = pagePolicy(inspectorPage)
    this.#history = new Backlog(report)
    this.address = new Promise((resolve) => {
      this.#server.on('error', (error) => {
        report(`The inspector cannot be served on port ${port}`, error)
        resolve(undefined)
      })
      this.#server.listen(port, host, () => {
        resolve(`http://${host}:${(this.#server.address() as AddressInfo).port}/${this.#token}/`)
      })
    })
  }

  send(message: StatelyInspectionEvent): void {
    const written = this.#history.push(message)
    for (const reader of this.#readers) {
      reader.write(this.#event(written))
      if (reader.writableLength > maxBuffered) this.#letGo(reader)
    }
  }

  async stop(): Promise<void> {
    const ended = Array.from(
      this.#readers,
      (reader) => new Promise<void>((resolve) => void reader.on('close', resolve).end(resolve)),
    )
    await withinGrace(Promise.all(ended))
    this.#server.close() // not before: it cuts off answers that are ended and not yet sent
    this.#server.closeAllConnections()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [, token = '', ...rest] = URL.parse(request.url ?? '', `http://${host}`)?.pathname.split('/') ?? []
    const asked = rest.join('/')
    // A page from elsewhere whose host name resolves to this machine would otherwise count as ours.
    if (!isLoopback(nameIn(request.headers.host)) || !isToken(token, this.#token)) {
      response.writeHead(403).end()
    } else if (rest.length === 1 && asked === '') {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': this.#policy,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      response.end(this.#html)
    } else if (asked === 'messages') {
      this.#stream(request, response)
    } else {
      response.writeHead(404).end()
    }
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write('retry: 1000\n\n')
    for (const written of this.#history.after(this.#lastSeen(request))) response.write(this.#event(written))
    this.#readers.add(response)
    for (const end of ['close', 'error']) response.on(end, () => this.#letGo(response))
  }

  #letGo(reader: ServerResponse): void {
    this.#readers.delete(reader)
    reader.destroy()
  }

  #lastSeen({ headers }: IncomingMessage): number {
    const [series, number] = String(headers['last-event-id'] ?? '').split('.')
    return series === this.#series ? Number(number) : 0
  }

  #event({ number, text }: Written): string {
    return `id: ${this.#series}.${number}\ndata: ${text}\n\n`
  }
}

/** The policy of the page: it loads and runs its own script, style and messages, and the inspector in its frame. */
function pagePolicy(inspectorPage: URL): string {
  const html = pageHtml(inspectorPage)
  return [
    "default-src 'none'",
    `script-src ${hashIn(html, 'script')}`,
    `style-src ${hashIn(html, 'style')}`,
    "connect-src 'self'",
    `frame-src ${inspectorPage.origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashIn(html: string, tag: 'script' | 'style'): string {
  const text = html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.lastIndexOf(`</${tag}>`))
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The page that we serve: it holds the inspector's own page, and passes the messages of the run on to it. */
export function pageHtml(inspectorPage: URL): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Troupe: inspector</title>
<style>html, body, iframe { height: 100%; width: 100%; margin: 0; border: 0; display: block }</style>
</head>
<body>
<iframe id="inspector" src="${inspectorPage.href.replaceAll('&', '&amp;')}"></iframe>
<script>
const inspector = document.getElementById('inspector')
const waiting = []
let isConnected = false
const pass = (message) => inspector.contentWindow.postMessage(message, ${JSON.stringify(inspectorPage.origin)})
addEventListener('message', ({ source, data }) => {
  if (source !== inspector.contentWindow || data?.type !== '@statelyai.connected') return
  isConnected = true
  for (const message of waiting.splice(0)) pass(message)
})
new EventSource('messages').onmessage = ({ data }) => {
  const message = JSON.parse(data)
  if (isConnected) pass(message)
  else waiting.push(message)
}
</script>
</body>
</html>
`
}
