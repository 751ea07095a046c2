/** A server of runs on Hono, on a socket of this machine. It may be stopped and started again, on the same store and port. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createTroupe, type AnyAgent, type Troupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { sqliteStore } from 'troupe/sqlite'

export interface Asked {
  readonly what: string
  readonly after: string | null
  readonly token: string | null
}

export class SocketServer {
  /** The requests of all servers at this place. */
  readonly asked: Asked[] = []
  /** Streams whose readers have left. */
  left = 0
  /** Requests with another token are refused. */
  token = 'Bearer 1'
  readonly #agent: AnyAgent
  readonly #file: string
  #port = 0
  #open: { readonly server: Server; readonly troupe: Troupe; readonly close: () => Promise<void> } | undefined

  constructor(agent: AnyAgent, file: string) {
    this.#agent = agent
    this.#file = file
  }

  get troupe(): Troupe {
    if (this.#open === undefined) throw new Error('The server is stopped.')
    return this.#open.troupe
  }

  url(runId: string): string {
    return `http://127.0.0.1:${this.#port}/api/runs/${runId}`
  }

  async start(): Promise<void> {
    const store = sqliteStore(this.#file)
    const troupe = createTroupe({ agents: [this.#agent], store, onError: () => undefined })
    await troupe.recover()
    const handler = createHandler(troupe, {
      base: '/api',
      retry: 5,
      authorize: (request) =>
        request.headers.get('authorization') === this.token
          ? { resource: null, by: 'ann' }
          : new Response(null, { status: 401 }),
      onError: () => undefined,
    })
    const app = new Hono().all('/api/*', (context) => {
      const { raw } = context.req
      const { method, headers, signal } = raw
      const after = headers.get('last-event-id')
      const what = `${method} ${raw.url.slice(raw.url.indexOf('/runs/') + 6)}`
      this.asked.push({ what, after, token: headers.get('authorization') })
      if (what.endsWith('/events')) signal.addEventListener('abort', () => this.left++)
      return handler(raw)
    })
    const server = serve({ fetch: app.fetch, port: this.#port, hostname: '127.0.0.1' }) as Server
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    const close = async (): Promise<void> => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await troupe.close()
      await store.close()
    }
    this.#open = { server, troupe, close }
  }

  /** Cuts all connections, in the midst of what they carry. */
  async stop(): Promise<void> {
    await this.#open?.close()
    this.#open = undefined
  }
}
