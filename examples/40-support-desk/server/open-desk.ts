/** The server of the desk: its store, its troupe and its port. */
import { readFile } from 'node:fs/promises'
import { serve, type ServerType } from '@hono/node-server'
import { createTroupe, type ChatModel, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { bundlePage } from '../../support/page.ts'
import { createSupportDesk } from '../agents.ts'
import { deskApp } from './app.ts'
import { Sessions } from './sessions.ts'

export interface DeskOptions {
  readonly model: ChatModel
  /** The file of the SQLite store. */
  readonly file: string
  /** 0: any that is free. */
  readonly port: number
  /** Signs the sessions. */
  readonly secret: string
}

export interface OpenDesk {
  readonly url: string
  readonly troupe: Troupe
  readonly close: () => Promise<void>
}

export async function openDesk({ model, file, port, secret }: DeskOptions): Promise<OpenDesk> {
  const desk = createSupportDesk(model)
  const store = sqliteStore(file)
  // A customer waits for the answer: a run whose process has died goes on after two seconds.
  const troupe = createTroupe({ agents: [desk], store, leaseTtl: 2_000 })
  await troupe.recover({ every: 500 })
  const place = new URL('../page/', import.meta.url)
  const [html, css, js] = await Promise.all([
    readFile(new URL('index.html', place), 'utf8'),
    readFile(new URL('page.css', place), 'utf8'),
    bundlePage(new URL('main.tsx', place)),
  ])
  const app = deskApp(troupe, desk, new Sessions(secret), { html, css, js })
  const listening = Promise.withResolvers<number>()
  const server: ServerType = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) =>
    listening.resolve(address.port),
  )
  server.once('error', listening.reject)
  return {
    url: `http://127.0.0.1:${await listening.promise}/`,
    troupe,
    async close() {
      await troupe.close() // ends the streams of events
      await new Promise((resolve) => server.close(resolve))
      await store.close()
    },
  }
}
