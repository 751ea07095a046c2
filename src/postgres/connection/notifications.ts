/** Notifications of changed runs, on a connection of its own that is opened again when it is lost. */
import type { StoreListener } from '../../index.ts'
import { ChangeListeners, type Reporter, noContext, sleep, startTimer } from '../../kit/index.ts'
import { fromColumn } from '../../kit/sql/index.ts'
import type { PostgresClient, PostgresNotification } from './pool.ts'
import type { Connections } from './connections.ts'
import type { Tables } from './schema.ts'

export interface NotificationsOptions {
  readonly tables: Tables
  /** Resolves when the tables are there. */
  readonly isOpen: () => Promise<void>
  readonly report: Reporter
}

/** Milliseconds between two attempts to connect. */
const pause = 500

/** Milliseconds that the connection stays without a listener: a worker listens again with its next run. */
const linger = 10_000

export class Notifications {
  readonly #connections: Connections
  readonly #channel: string
  readonly #isOpen: () => Promise<void>
  readonly #listeners: ChangeListeners
  #client: PostgresClient | undefined
  #isConnecting = false
  #isClosed = false
  #stay: () => void = () => undefined

  constructor(connections: Connections, { tables, isOpen, report }: NotificationsOptions) {
    this.#connections = connections
    this.#channel = tables.channel
    this.#isOpen = isOpen
    this.#listeners = new ChangeListeners(report)
  }

  subscribe(listener: StoreListener): () => void {
    const remove = this.#listeners.add(listener)
    this.#stay()
    void noContext.run(() => this.#connect())
    return () => {
      remove()
      this.#stay()
      if (this.#listeners.size === 0) this.#leave()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.#stay()
    this.#letGo(undefined)
  }

  /** Closes the connection unless another listener comes. */
  #leave(): void {
    this.#stay = startTimer(linger, () => this.#letGo(undefined), { background: true })
  }

  get #isWanted(): boolean {
    return !this.#isClosed && this.#listeners.size > 0
  }

  /** Tries until it listens, or until no one listens to it. */
  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#client !== undefined) return
    this.#isConnecting = true
    try {
      while (this.#isWanted && this.#client === undefined) {
        const client = await this.#listen()
        if (client === undefined) await sleep(pause)
        else if (this.#isWanted) this.#client = client
        else client.release(true)
      }
    } finally {
      this.#isConnecting = false
    }
  }

  /** `undefined`: the server cannot be reached now. The next attempt reports nothing either: polls report an outage. */
  async #listen(): Promise<PostgresClient | undefined> {
    let client: PostgresClient | undefined
    try {
      await this.#isOpen()
      client = await this.#connections.connect()
      client.on('error', (error) => this.#letGo(error))
      client.on('notification', this.#notified)
      await client.query(`LISTEN "${this.#channel}"`)
      client.unref?.()
      return client
    } catch {
      client?.release(true)
      return undefined
    }
  }

  /** The connection is closed, and not given back: it listens. */
  #letGo(error: Error | undefined): void {
    const client = this.#client
    if (client === undefined) return
    this.#client = undefined
    client.off('notification', this.#notified)
    client.release(error ?? true)
    if (this.#isWanted) void this.#connect()
  }

  readonly #notified = ({ payload = '' }: PostgresNotification): void => {
    const told = changeIn(payload)
    if (told !== undefined) this.#listeners.tell(...told)
  }
}

const payloadForm = /^(?<change>entries|signals) (?<column>.+)$/s

/** `undefined`: the notification is from another program, since every user of a database may send on any channel. */
function changeIn(payload: string): Parameters<StoreListener> | undefined {
  const { change, column = '' } = payloadForm.exec(payload)?.groups ?? {}
  if (change !== 'entries' && change !== 'signals') return undefined
  try {
    return [fromColumn(column), change]
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
