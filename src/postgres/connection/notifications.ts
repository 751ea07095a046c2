/** Notifications of changed runs, on a connection of its own that is opened again when it is lost. */
import { fromColumn } from '../../runtime/journal/column-text.ts'
import type { PostgresClient, PostgresNotification } from './pool.ts'
import { sleep, type Connections } from './connections.ts'
import type { Tables } from './schema.ts'

type Listener = (runId: string) => void

/** Milliseconds between two attempts to connect. */
const pause = 500

export class Notifications {
  readonly #connections: Connections
  readonly #channel: string
  readonly #isOpen: () => Promise<void>
  readonly #listeners = new Set<Listener>()
  #client: PostgresClient | undefined
  #isConnecting = false
  #isClosed = false

  /** `isOpen` resolves when the tables are there. */
  constructor(connections: Connections, { channel }: Tables, isOpen: () => Promise<void>) {
    this.#connections = connections
    this.#channel = channel
    this.#isOpen = isOpen
  }

  subscribe(listener: Listener): () => void {
    const own: Listener = (runId) => listener(runId) // one listener may be added twice
    this.#listeners.add(own)
    void this.#connect()
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#letGo(undefined)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.#letGo(undefined)
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
    const runId = runIdIn(payload)
    if (runId === undefined) return
    for (const listener of this.#listeners) listener(runId)
  }
}

/** `undefined`: the notification is from another program, since every user of a database may send on any channel. */
function runIdIn(payload: string): string | undefined {
  if (payload === '') return undefined
  try {
    return fromColumn(payload)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
