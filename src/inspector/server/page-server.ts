/** The server of the page and of its requests, on this machine alone. */
import { TroupeError } from '../../index.ts'
import type { Reporter } from '../../kit/index.ts'
import { statusOf, notFound, routeTo, wrongMethod } from '../../kit/wire/index.ts'
import { randomToken } from '../../kit/host.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { write, writeRefusal, type Answer } from './answers.ts'
import { readBody } from './body.ts'
import { assertOwn, assertToken, host } from './guard.ts'
import { pageFile } from './page-files.ts'
import type { Route } from './route-table.ts'

export interface PageServerOptions {
  readonly port: number
  /** Default: a random one. */
  readonly token: string | undefined
  readonly routes: readonly Route[]
  readonly report: Reporter
}

export class PageServer {
  readonly #options: PageServerOptions
  readonly #token: string
  readonly #server = createServer((request, response) => void this.#take(request, response))
  /** Fires when the server is stopped: its streams end. */
  readonly #stopping = new AbortController()

  constructor(options: PageServerOptions) {
    this.#options = options
    this.#token = options.token ?? randomToken()
  }

  /** Resolves with the address of the page. Rejects with a `TroupeError` of the code `INSPECTOR_FAILED`. */
  async listen(): Promise<string> {
    const { port } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const message = `The inspector cannot be served on port ${port}: ${cause.message}`
        reject(new TroupeError('INSPECTOR_FAILED', message, { cause }))
      })
      this.#server.listen(port, host, resolve)
    })
    // Such as too many open files: a request is lost, and nothing else.
    this.#server.on('error', (error) => {
      this.#options.report({
        message: 'the inspector could not take a connection',
        code: 'INSPECTOR_CONNECTION_FAILED',
        where: 'observer',
        error,
      })
    })
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/#t=${this.#token}`
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    if (!this.#server.listening) return
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      assertOwn(request)
      await write(response, await this.#answer(request, response))
    } catch (error) {
      if (statusOf(error) === 500 && !response.destroyed) {
        const message = 'the inspector could not answer a request'
        this.#options.report({ message, code: 'INSPECTOR_REQUEST_FAILED', where: 'observer', error })
      }
      writeRefusal(response, error)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const { method, url = '/' } = request
    const [path = '/', query] = url.split('?', 2)
    if (!path.startsWith('/api/')) {
      if (method !== 'GET' && method !== 'HEAD') throw wrongMethod(['GET'])
      const file = await pageFile(path)
      if (file === undefined) throw notFound(path)
      return file
    }
    assertToken(request, this.#token)
    const { route, named } = routeTo(this.#options.routes, method, path, '/api')
    return route.answer({
      named,
      query: new URLSearchParams(query),
      signal: this.#left(response),
      body: () => readBody(request),
      request,
    })
  }

  #left(response: ServerResponse): AbortSignal {
    const left = new AbortController()
    response.once('close', () => left.abort())
    return AbortSignal.any([left.signal, this.#stopping.signal])
  }
}
