/** The server of the desk: its store, its troupe and its port. */
import { createTroupe, type ChatModel, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { pageRoutes, servePage } from '../../support/page.ts'
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
  const page = await pageRoutes(new URL('../page/', import.meta.url))
  const server = await servePage(deskApp(troupe, desk, new Sessions(secret), page), port)
  return {
    url: server.url,
    troupe,
    async close() {
      await troupe.close() // ends the streams of events
      await server.close()
      await store.close()
    },
  }
}
