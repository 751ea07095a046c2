import type { DeltaSink, DeltaSource } from 'troupe/restate'

/** What is used of a connection to NATS: whatever `connect()` gives has it. */
export interface NatsConnection {
  isClosed(): boolean
  isDraining(): boolean
  publish(subject: string, payload: string): void
  subscribe(subject: string, options: { callback: NatsCallback }): { unsubscribe(): void }
}

type NatsCallback = (error: Error | null, message: { string(): string }) => void

const subjectOf = (runId: string) => `troupe.deltas.${runId}`
const isUp = (nats: NatsConnection) => !nats.isClosed() && !nats.isDraining() // otherwise it throws

export function natsDeltas(nats: NatsConnection): DeltaSink & DeltaSource {
  return {
    publish(delta) {
      if (isUp(nats)) nats.publish(subjectOf(delta.runId), JSON.stringify(delta))
    },
    subscribe(runId, take) {
      if (!isUp(nats)) return () => undefined
      const subscription = nats.subscribe(subjectOf(runId), {
        callback(error, message) {
          if (error === null) take(JSON.parse(message.string()))
          else console.error('Deltas over NATS:', error)
        },
      })
      return () => subscription.unsubscribe()
    },
  }
}
