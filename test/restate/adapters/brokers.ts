/** What Redis and NATS do with messages, in this process: enough for the adapters of docs/reference/deltas.md. */
import type { NatsConnection } from './nats-deltas.ts'
import type { RedisClient } from './redis-deltas.ts'

type Take = (message: string) => void

/** Hands each message on, later, to those who listen by then. */
class Broker {
  readonly #takers = new Map<string, Set<Take>>()

  get isQuiet(): boolean {
    return [...this.#takers.values()].every((takers) => takers.size === 0)
  }

  publish(channel: string, message: string): void {
    setImmediate(() => this.#takers.get(channel)?.forEach((take) => take(message)))
  }

  add(channel: string, take: Take): void {
    this.#takers.set(channel, (this.#takers.get(channel) ?? new Set()).add(take))
  }

  delete(channel: string, take: Take): void {
    this.#takers.get(channel)?.delete(take)
  }
}

/** `isReady` may be changed: a client that is not takes nothing. */
export function redisBroker() {
  const broker = new Broker()
  const client = {
    isReady: true as boolean,
    async publish(channel: string, message: string) {
      if (!client.isReady) throw new Error('The client is not ready.')
      broker.publish(channel, message)
    },
    subscribe: async (channel: string, listener: Take) => broker.add(channel, listener),
    unsubscribe: async (channel: string, listener: Take) => broker.delete(channel, listener),
  } satisfies RedisClient
  return { client, broker }
}

/** `isUp` may be changed: a connection that is closed throws. */
export function natsBroker() {
  const broker = new Broker()
  const state = { isUp: true }
  const assertUp = (): void => {
    if (!state.isUp) throw new Error('The connection is closed.')
  }
  const connection: NatsConnection = {
    isClosed: () => !state.isUp,
    isDraining: () => false,
    publish(subject, payload) {
      assertUp()
      broker.publish(subject, payload)
    },
    subscribe(subject, { callback }) {
      assertUp()
      const take: Take = (message) => callback(null, { string: () => message })
      broker.add(subject, take)
      return { unsubscribe: () => broker.delete(subject, take) }
    },
  }
  return { connection, broker, state }
}
