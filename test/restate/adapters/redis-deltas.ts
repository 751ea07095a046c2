import type { DeltaSink, DeltaSource } from 'troupe/restate'

/** What is used of a client of `redis`: whatever `createClient()` gives has it. */
export interface RedisClient {
  readonly isReady: boolean
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  unsubscribe(channel: string, listener: (message: string) => void): Promise<unknown>
}

const channelOf = (runId: string) => `troupe:deltas:${runId}`
const report = (error: unknown) => console.error('Deltas over Redis:', error)

export function redisSink(client: RedisClient): DeltaSink {
  return {
    publish(delta) {
      if (!client.isReady) return // it would queue them until it is
      client.publish(channelOf(delta.runId), JSON.stringify(delta)).catch(report)
    },
  }
}

/** `client` is one of its own: a connection that subscribes does nothing else. */
export function redisSource(client: RedisClient): DeltaSource {
  return {
    subscribe(runId, take) {
      const listener = (message: string) => take(JSON.parse(message))
      const subscribed = client.subscribe(channelOf(runId), listener)
      subscribed.catch(report)
      return () => {
        subscribed.then(() => client.unsubscribe(channelOf(runId), listener)).catch(report)
      }
    },
  }
}
